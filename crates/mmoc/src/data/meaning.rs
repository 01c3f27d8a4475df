//! What the cells of a file's rows mean for a frame's columns and labels.

use std::ops::Range;

use super::cell::{NUMBER, expected_flag, expected_value, flag, number};
use super::read::Missing;
use super::rows::Rows;
use super::{Attribute, Frame};

/// What a column of a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Nothing.
    Unused,
    /// The label of this index.
    Label(usize),
    /// The number of this column.
    Number(usize),
    /// A word of the attribute of this index, whose columns begin at the second number.
    Word(usize, usize),
}

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    /// Nothing, or that a label is not carried.
    Nothing,
    /// That the row carries a label.
    Label(usize),
    /// The number of a column.
    Number(usize, f64),
}

/// The columns of a file by their targets in a frame.
#[derive(Debug)]
pub(super) struct Meaning<'f> {
    /// The frame.
    pub(super) frame: &'f Frame,
    /// What each column of the file is for.
    pub(super) targets: Vec<Target>,
    /// Columns of the frame for which the file has none: they are missing in every row.
    pub(super) absent: Vec<Range<usize>>,
    /// What happens to missing cells.
    pub(super) missing: Missing,
}

impl Target {
    /// That of the attribute of an index, whose columns begin at `first`.
    pub(super) fn of(attribute: &Attribute, index: usize, first: usize) -> Self {
        match attribute.list() {
            None => Self::Number(first),
            Some(_) => Self::Word(index, first),
        }
    }
}

impl Meaning<'_> {
    /// Puts a cell that is not missing into the present row; what was expected instead if it
    /// cannot be.
    pub(super) fn put(&self, index: usize, text: &str, rows: &mut Rows) -> Result<(), String> {
        match self.read(self.targets[index], text)? {
            Cell::Nothing => (),
            Cell::Label(label) => rows.add_label(label),
            Cell::Number(column, value) => rows.put(column, value),
        }
        Ok(())
    }

    /// Whether a row is the same with the cell as without it.
    pub(super) fn leaves_zeros(&self, index: usize, text: &str) -> bool {
        let cell = self.read(self.targets[index], text);
        matches!(cell, Ok(Cell::Nothing | Cell::Number(_, 0.0)))
    }

    fn read(&self, target: Target, text: &str) -> Result<Cell, String> {
        match target {
            Target::Unused => Ok(Cell::Nothing),
            Target::Number(column) => {
                let value = number(text).ok_or(NUMBER)?;
                Ok(Cell::Number(column, value))
            }
            Target::Label(label) => {
                let name = || expected_flag(&self.frame.label_names()[label]);
                let carried = flag(text).ok_or_else(name)?;
                Ok(if carried {
                    Cell::Label(label)
                } else {
                    Cell::Nothing
                })
            }
            Target::Word(index, first) => {
                let attribute = &self.frame.attributes()[index];
                let cell = attribute.list().and_then(|list| list.read(text));
                let (offset, value) = cell.ok_or_else(|| format!("a value of {attribute}"))?;
                Ok(Cell::Number(first + offset, value))
            }
        }
    }

    /// Puts a missing cell into row `row` of a file, or says what was expected. A missing feature
    /// is NaN in all of its columns, to be filled in from the training rows.
    pub(super) fn put_missing(
        &self,
        index: usize,
        row: usize,
        rows: &mut Rows,
    ) -> Result<(), String> {
        let columns = match self.targets[index] {
            Target::Unused => return Ok(()),
            Target::Label(label) => return Err(expected_flag(&self.frame.label_names()[label])),
            Target::Number(column) => column..column + 1,
            Target::Word(index, first) => first..first + self.frame.attributes()[index].width(),
        };
        match self.missing {
            Missing::Mean => {
                columns.for_each(|column| rows.put(column, f64::NAN));
                Ok(())
            }
            Missing::Refuse => Err(expected_value(self.feature(index, columns.start), row)),
        }
    }

    /// What the feature of a file's column is called.
    fn feature(&self, index: usize, column: usize) -> &str {
        match self.targets[index] {
            Target::Word(attribute, _) => self.frame.attributes()[attribute].name(),
            _ => &self.frame.feature_names()[column],
        }
    }

    /// Ends the present row.
    pub(super) fn end_row(&self, rows: &mut Rows) {
        for column in self.absent.iter().cloned().flatten() {
            rows.put(column, f64::NAN);
        }
        rows.end_row();
    }
}
