//! The columns of a table as they fill up.

use arrow_array::Array;

use super::cells::{numbers, words};
use super::fault::{Fault, Found};
use super::kind::Kind;
use crate::Attribute;
use crate::MOST_VALUES;
use crate::Remedy;
use crate::cell::{MISSING, NUMBER};
use crate::csv::assemble::{Part, PartCells};
use crate::csv::column::Words;
use crate::error::Expected;
use crate::read::Missing;
use mmoc::text::excerpt;

/// A cell of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Missing,
    Number(f64),
    Word(&'a str),
}

/// Some cells of a column.
pub(super) enum Cells<'a> {
    Numbers(Vec<f64>),
    Words(Vec<Option<&'a str>>),
}

impl<'a> Cells<'a> {
    /// The cells of an array.
    pub(super) fn of(array: &'a dyn Array, kind: Kind) -> Found<Self> {
        match kind {
            Kind::Numbers => numbers(array).map(Self::Numbers),
            Kind::Words => words(array).map(Self::Words),
        }
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(cells) => cells.len(),
            Self::Words(cells) => cells.len(),
        }
    }

    /// A cell; NaN is a missing one, as pandas writes it.
    pub(super) fn cell(&self, index: usize) -> Cell<'a> {
        match self {
            Self::Numbers(cells) if cells[index].is_nan() => Cell::Missing,
            Self::Numbers(cells) => Cell::Number(cells[index]),
            Self::Words(cells) => cells[index].map_or(Cell::Missing, Cell::Word),
        }
    }
}

/// A column that was read so far.
pub(super) struct Column {
    name: String,
    kind: Kind,
    filled: Filled,
}

enum Filled {
    Labels(Vec<bool>),
    Numbers(Vec<f64>),
    Words(Words),
}

impl Column {
    /// A column without cells.
    pub(super) fn new(name: &str, kind: Kind, is_label: bool) -> Self {
        let filled = match kind {
            _ if is_label => Filled::Labels(Vec::new()),
            Kind::Words => Filled::Words(Words::default()),
            Kind::Numbers => Filled::Numbers(Vec::new()),
        };
        Self {
            name: name.to_owned(),
            kind,
            filled,
        }
    }

    /// What the column is, for messages and to compare files.
    pub(super) fn describe(&self) -> String {
        let kind = match self.filled {
            Filled::Labels(_) => "the label",
            Filled::Numbers(_) => "the numbers",
            Filled::Words(_) => "the words",
        };
        format!("{kind} {}", excerpt(&self.name))
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Adds the cells of an array; a cell that cannot be is told by its place in it.
    pub(super) fn push(
        &mut self,
        array: &dyn Array,
        missing: Missing,
    ) -> Result<(), (usize, Fault)> {
        let cells = Cells::of(array, self.kind).map_err(|fault| (0, fault))?;
        for index in 0..cells.len() {
            let pushed = self.push_cell(cells.cell(index), missing);
            pushed.map_err(|fault| (index, fault))?;
        }
        Ok(())
    }

    fn push_cell(&mut self, cell: Cell<'_>, missing: Missing) -> Found<()> {
        match &mut self.filled {
            Filled::Labels(cells) => cells.push(flag(cell)?),
            Filled::Numbers(cells) => cells.push(number(cell, missing)?),
            Filled::Words(words) => match word(cell, missing)? {
                None => words.push_missing(),
                Some(word) => words.push(word).map_err(|()| too_many(word))?,
            },
        }
        Ok(())
    }

    /// The column as columns of the data set.
    pub(super) fn finish(self) -> Part {
        let numeric = Attribute::numeric(self.name.as_str());
        let (attribute, cells) = match self.filled {
            Filled::Labels(cells) => (numeric, PartCells::Label(cells)),
            Filled::Numbers(cells) => (numeric, PartCells::Numbers(cells)),
            Filled::Words(words) => match words.all_missing() {
                // Where no word is there is no list of them.
                Some(count) => (numeric, PartCells::Numbers(vec![f64::NAN; count])),
                None => words.finish(self.name),
            },
        };
        Part {
            place: None,
            attribute,
            cells,
        }
    }
}

/// Whether a row carries a label.
pub(super) fn flag(cell: Cell<'_>) -> Found<bool> {
    match cell {
        Cell::Number(1.0) => Ok(true),
        Cell::Number(0.0) => Ok(false),
        other => Err(Fault::new("0 or 1 for a label", describe(other))),
    }
}

/// The number of a feature, NaN if it is missing.
pub(super) fn number(cell: Cell<'_>, missing: Missing) -> Found<f64> {
    match cell {
        Cell::Number(value) if value.is_finite() => Ok(value),
        Cell::Missing => refuse_missing(missing).map(|()| f64::NAN),
        other => Err(Fault::new(NUMBER, describe(other))),
    }
}

/// The word of a feature, none if it is missing. An empty word and `?` are missing, as they are in a CSV file.
pub(super) fn word(cell: Cell<'_>, missing: Missing) -> Found<Option<&str>> {
    match cell {
        Cell::Word(word) if !word.is_empty() && word != MISSING => Ok(Some(word)),
        Cell::Word(_) | Cell::Missing => refuse_missing(missing).map(|()| None),
        other @ Cell::Number(_) => Err(Fault::new("a word", describe(other))),
    }
}

fn refuse_missing(missing: Missing) -> Found<()> {
    match missing {
        Missing::Mean => Ok(()),
        Missing::Refuse => {
            let expected = Expected::or("a value", Remedy::FillMissing);
            Err(Fault::new(expected, "a missing cell"))
        }
    }
}

fn too_many(word: &str) -> Fault {
    let expected = format!("at most {MOST_VALUES} different words");
    Fault::new(expected, excerpt(word))
}

fn describe(cell: Cell<'_>) -> String {
    match cell {
        Cell::Missing => "a missing cell".to_owned(),
        Cell::Number(value) => value.to_string(),
        Cell::Word(word) => excerpt(word),
    }
}
