//! The columns of a file as they fill up, cell by cell.

use super::fault::{Fault, Found};
use super::schema::{Declared, Kind};
use super::values::Cell;
use crate::Attribute;
use crate::MOST_VALUES;
use crate::Remedy;
use crate::cell::{MISSING, NUMBER};
use crate::csv::assemble::{Part, PartCells};
use crate::csv::column::Words;
use crate::error::Expected;
use crate::read::Missing;
use mmoc::text::excerpt;

/// A column that was read so far.
pub(super) struct Column {
    name: String,
    cells: Cells,
}

enum Cells {
    Labels(Vec<bool>),
    Numbers(Vec<f64>),
    Words(Words),
}

impl Column {
    /// A column without cells.
    pub(super) fn new(declared: &Declared, is_label: bool) -> Self {
        let cells = match declared.kind {
            _ if is_label => Cells::Labels(Vec::new()),
            Kind::Word => Cells::Words(Words::default()),
            _ => Cells::Numbers(Vec::new()),
        };
        Self {
            name: declared.name.clone(),
            cells,
        }
    }

    /// What the column is, for messages and to compare files.
    pub(super) fn describe(&self) -> String {
        let kind = match self.cells {
            Cells::Labels(_) => "the label",
            Cells::Numbers(_) => "the numbers",
            Cells::Words(_) => "the words",
        };
        format!("{kind} {}", excerpt(&self.name))
    }

    /// Adds a cell.
    pub(super) fn push(&mut self, cell: Cell<'_>, missing: Missing) -> Found<()> {
        match &mut self.cells {
            Cells::Labels(cells) => cells.push(flag(cell)?),
            Cells::Numbers(cells) => cells.push(number(cell, missing)?),
            Cells::Words(words) => match word(cell, missing)? {
                None => words.push_missing(),
                Some(word) => words.push(word).map_err(|()| too_many(word))?,
            },
        }
        Ok(())
    }

    /// The column as columns of the data set.
    pub(super) fn finish(self) -> Part {
        let numeric = Attribute::numeric(self.name.as_str());
        let (attribute, cells) = match self.cells {
            Cells::Labels(cells) => (numeric, PartCells::Label(cells)),
            Cells::Numbers(cells) => (numeric, PartCells::Numbers(cells)),
            Cells::Words(words) => match words.all_missing() {
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

/// The number of a feature, NaN if it is missing; pandas writes NaN itself for missing numbers.
pub(super) fn number(cell: Cell<'_>, missing: Missing) -> Found<f64> {
    match cell {
        Cell::Number(value) if value.is_finite() => Ok(value),
        Cell::Number(value) if value.is_nan() => refuse_missing(missing).map(|()| f64::NAN),
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
