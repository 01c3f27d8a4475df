//! The columns of a table as they fill up, cell by cell.

use crate::MOST_VALUES;
use std::collections::HashMap;

use super::assemble::{Part, PartCells};
use crate::Attribute;
use crate::Nominal;
use crate::TextPlace;
use crate::cell::{NUMBER, expected_flag, expected_value, flag, is_missing, number};
use crate::error::Expected;
use crate::read::Missing;
use mmoc::text::excerpt;

/// A column that was read so far.
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Where its name stands.
    pub(super) place: TextPlace,
    cells: Cells,
}

enum Cells {
    Labels(Vec<bool>),
    /// A feature before its first row.
    Unknown,
    Numbers(Vec<f64>),
    Words(Words),
}

/// Text, as the index of each cell's value among the different ones.
#[derive(Default)]
pub(crate) struct Words {
    cells: Vec<Option<usize>>,
    values: HashMap<String, usize>,
}

impl Column {
    /// A column without cells.
    pub(super) fn new(name: String, place: TextPlace, is_label: bool) -> Self {
        let cells = if is_label {
            Cells::Labels(Vec::new())
        } else {
            Cells::Unknown
        };
        Self { name, place, cells }
    }

    /// Whether the column is a label.
    pub(super) fn is_label(&self) -> bool {
        matches!(self.cells, Cells::Labels(_))
    }

    /// Adds a cell; what was expected instead if the column cannot have it.
    ///
    /// The first row decides whether a feature is numeric. A word among numbers, or a number among
    /// words, is an error: it would otherwise turn a column with a slip, or with a mark for missing
    /// cells that we do not know, into a thousand indicators.
    pub(super) fn push(
        &mut self,
        text: &str,
        missing: Missing,
        row: usize,
    ) -> Result<(), Expected> {
        let is_missing = is_missing(text);
        if is_missing && missing == Missing::Refuse && !self.is_label() {
            return Err(expected_value(&self.name, row));
        }
        if matches!(self.cells, Cells::Unknown) {
            self.cells = if is_missing || looks_numeric(text) {
                Cells::Numbers(Vec::new())
            } else {
                Cells::Words(Words::default())
            };
        }
        match &mut self.cells {
            Cells::Labels(cells) => {
                cells.push(flag(text).ok_or_else(|| expected_flag(&self.name))?);
            }
            Cells::Numbers(cells) if is_missing => cells.push(f64::NAN),
            Cells::Numbers(cells) => cells.push(number(text).ok_or(NUMBER)?),
            Cells::Words(words) if is_missing => words.push_missing(),
            Cells::Words(_) if looks_numeric(text) => return Err(expected_word(&self.name).into()),
            Cells::Words(words) => words.push(text).map_err(|()| too_many(&self.name))?,
            Cells::Unknown => (),
        }
        Ok(())
    }

    /// The column as part of a data set.
    pub(super) fn finish(self) -> Part {
        let numeric = Attribute::numeric(self.name.as_str());
        let (attribute, cells) = match self.cells {
            Cells::Labels(cells) => (numeric, PartCells::Label(cells)),
            Cells::Unknown => (numeric, PartCells::Numbers(Vec::new())),
            Cells::Numbers(cells) => (numeric, PartCells::Numbers(cells)),
            Cells::Words(words) => words.finish(self.name),
        };
        Part {
            place: Some(self.place),
            attribute,
            cells,
        }
    }
}

/// Whether text is a number, be it one that we refuse.
fn looks_numeric(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn expected_word(name: &str) -> String {
    format!("a word in {}, as in the first row", excerpt(name))
}

fn too_many(name: &str) -> String {
    format!("at most {MOST_VALUES} different words in {}", excerpt(name))
}

impl Words {
    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) {
        self.cells.push(None);
    }

    /// The number of cells, if all of them are missing.
    #[cfg(feature = "parquet")]
    pub(crate) fn all_missing(&self) -> Option<usize> {
        self.values.is_empty().then_some(self.cells.len())
    }

    /// Adds a word, unless there are too many different ones.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), ()> {
        let next = self.values.len();
        let index = match self.values.get(text) {
            Some(&index) => index,
            None if next == MOST_VALUES => return Err(()),
            None => *self.values.entry(text.to_owned()).or_insert(next),
        };
        self.cells.push(Some(index));
        Ok(())
    }

    /// A feature whose words have the order of their characters, and the place of each cell's word
    /// among them.
    pub(crate) fn finish(self, name: String) -> (Attribute, PartCells) {
        let mut values: Vec<(String, usize)> = self.values.into_iter().collect();
        values.sort_unstable();
        let mut ranks = vec![0; values.len()];
        for (rank, (_, index)) in values.iter().enumerate() {
            ranks[*index] = rank;
        }
        let cells = self.cells.into_iter();
        let cells = cells.map(|cell| cell.map(|index| ranks[index])).collect();
        let words = values.into_iter().map(|(value, _)| value).collect();
        let list = Nominal::new(words).expect("keys of a map are different");
        (Attribute::of_list(name, list), PartCells::Words(cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(cells: &[&str]) -> Column {
        let mut column = Column::new("c".into(), TextPlace::START, false);
        for cell in cells {
            column.push(cell, Missing::Mean, 1).unwrap();
        }
        column
    }

    #[test]
    fn words_are_counted_in_their_order() {
        let part = fill(&["red", "?", "blue", "red", "green"]).finish();
        let values = ["blue", "green", "red"].map(str::to_owned);
        assert_eq!(part.attribute.values(), Some(&values[..]));
        let expected = [Some(2), None, Some(0), Some(2), Some(1)];
        assert!(matches!(part.cells, PartCells::Words(cells) if cells == expected));
    }

    #[test]
    fn words_do_not_grow_without_limit() {
        let words: Vec<String> = (0..=MOST_VALUES).map(|word| format!("w{word}")).collect();
        let mut column = fill(
            &words[..MOST_VALUES]
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        );
        assert!(column.push(&words[0], Missing::Refuse, 1).is_ok());
        assert!(
            column
                .push(&words[MOST_VALUES], Missing::Refuse, 1)
                .is_err()
        );
    }
}
