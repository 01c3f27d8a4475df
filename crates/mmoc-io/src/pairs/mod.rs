//! Rows of `label,label index:value …`, whose columns have numbers for names: LIBSVM files and those of the extreme
//! classification repository.

pub(super) mod extreme;
mod grammar;
pub(super) mod libsvm;

pub use grammar::label_numbers;

use super::lines::Line;
use super::rows::Rows;
use super::text::ParseRow;
use crate::Result;
use grammar::{KnownLabels, PairGrammar, PairRow};

/// Parses rows of pairs. Columns that a row or a whole file leaves out are zeros.
struct PairParser {
    /// The index of the first column.
    first_index: u64,
    /// One more than the index of the last column there can be.
    end_index: u64,
    /// What happens to labels.
    labels: RowLabels,
}

/// What happens to the labels of rows.
enum RowLabels {
    /// They are not used, but must be such.
    Ignored(KnownLabels<'static>),
    /// They are the numbers from zero to below this one.
    Below(u64),
    /// They are known by the places of their numbers among these, which ascend.
    Numbers(Vec<u64>),
    /// They are those that are found.
    Found,
}

impl PairParser {
    fn grammar(&self) -> PairGrammar<'_> {
        PairGrammar {
            first_index: self.first_index,
            end_index: self.end_index,
            labels: match &self.labels {
                RowLabels::Ignored(known) => *known,
                RowLabels::Below(end) => KnownLabels::Below(*end),
                RowLabels::Numbers(numbers) => KnownLabels::Among(numbers),
                RowLabels::Found => KnownLabels::Any,
            },
        }
    }
}

impl ParseRow for PairParser {
    type Scratch = PairRow;

    fn scratch(&self) -> PairRow {
        PairRow::default()
    }

    fn parse(&self, line: Line<'_>, _: usize, row: &mut PairRow, rows: &mut Rows) -> Result<()> {
        self.grammar().read(line, row)?;
        for &(column, value) in &row.entries {
            rows.put(column, value);
        }
        for &label in &row.labels {
            match &self.labels {
                RowLabels::Ignored(_) => (),
                RowLabels::Below(_) => rows.add_label(label as usize),
                RowLabels::Numbers(numbers) => {
                    rows.add_label(numbers.partition_point(|&number| number < label));
                }
                RowLabels::Found => rows.add_label_number(label),
            }
        }
        rows.end_row();
        Ok(())
    }

    fn lacking(&self, rows: &Rows) -> Option<&'static str> {
        match self.labels {
            RowLabels::Found if rows.reach() == 0 => Some("at least one index:value"),
            RowLabels::Found if rows.lacks_labels() => Some("at least one label"),
            _ => None,
        }
    }
}
