//! What the cells of a file's rows mean for a schema's columns and labels.

use std::ops::Range;

use super::cell::{NUMBER, expected_flag, expected_value, flag, number};
use super::decimal::short_decimal;
use super::error::Expected;
use super::read::Missing;
use super::rows::Rows;
use super::{Attribute, Schema};

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

/// The columns of a file by their targets in a schema.
#[derive(Debug)]
pub(super) struct Meaning<'f> {
    /// The schema.
    pub(super) schema: &'f Schema,
    /// What each column of the file is for.
    pub(super) targets: Vec<Target>,
    /// Columns of the schema for which the file has none: they are missing in every row.
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
    /// Puts a cell that is a short decimal of a numeric column, as most are, into the present row;
    /// false if it is anything else.
    #[inline]
    pub(super) fn put_decimal(&self, index: usize, text: &[u8], rows: &mut Rows) -> bool {
        match (self.targets[index], short_decimal(text)) {
            (Target::Number(column), Some(value)) => {
                rows.put(column, value);
                true
            }
            _ => false,
        }
    }

    /// Puts a cell that is not missing into the present row; what was expected instead if it
    /// cannot be.
    pub(super) fn put(&self, index: usize, text: &str, rows: &mut Rows) -> Result<(), Expected> {
        let target = self.targets[index];
        match self.read(target, text) {
            Some(Cell::Number(column, value)) => rows.put(column, value),
            Some(Cell::Label(label)) => rows.add_label(label),
            Some(Cell::Nothing) => (),
            None => return Err(self.expected(target).into()),
        }
        Ok(())
    }

    /// Whether a row is the same with the cell as without it.
    pub(super) fn leaves_zeros(&self, index: usize, text: &str) -> bool {
        let cell = self.read(self.targets[index], text);
        matches!(cell, Some(Cell::Nothing | Cell::Number(_, 0.0)))
    }

    fn read(&self, target: Target, text: &str) -> Option<Cell> {
        match target {
            Target::Unused => Some(Cell::Nothing),
            Target::Number(column) => Some(Cell::Number(column, number(text)?)),
            Target::Label(label) => Some(if flag(text)? {
                Cell::Label(label)
            } else {
                Cell::Nothing
            }),
            Target::Word(index, first) => {
                let list = self.schema.attributes()[index].list()?;
                let (offset, value) = list.read(text)?;
                Some(Cell::Number(first + offset, value))
            }
        }
    }

    /// What must stand in a cell, for messages.
    fn expected(&self, target: Target) -> String {
        match target {
            Target::Unused | Target::Number(_) => NUMBER.to_owned(),
            Target::Label(label) => expected_flag(&self.schema.label_names()[label]),
            Target::Word(index, _) => format!("a value of {}", self.schema.attributes()[index]),
        }
    }

    /// Puts a missing cell into row `row` of a file, or says what was expected. A missing feature
    /// is NaN in all of its columns, to be filled in from the training rows.
    pub(super) fn put_missing(
        &self,
        index: usize,
        row: usize,
        rows: &mut Rows,
    ) -> Result<(), Expected> {
        let columns = match self.targets[index] {
            Target::Unused => return Ok(()),
            target @ Target::Label(_) => return Err(self.expected(target).into()),
            Target::Number(column) => column..column + 1,
            Target::Word(index, first) => first..first + self.schema.attributes()[index].width(),
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
            Target::Word(attribute, _) => self.schema.attributes()[attribute].name(),
            _ => &self.schema.feature_names()[column],
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
