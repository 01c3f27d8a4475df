//! Rows of `label,label index:value …`, whose columns are those of a schema by their position.

use super::ParseRow;
use crate::Result;
use crate::lines::Line;
use crate::pairs::{KnownLabels, PairGrammar, PairRow};
use crate::rows::Rows;

/// Parses rows of pairs. Columns that a row or a whole file leaves out are zeros.
pub(crate) struct PairParser {
    /// The index of the first column.
    pub(crate) first_index: u64,
    /// One more than the index of the last column there can be.
    pub(crate) end_index: u64,
    /// The labels there can be.
    pub(crate) labels: RowLabels,
}

/// What happens to the labels of rows.
pub(crate) enum RowLabels {
    /// They are not used, but must be such.
    Ignored(KnownLabels<'static>),
    /// They are the schema's by the places of their numbers among these, which ascend.
    Numbers(Vec<u64>),
}

impl PairParser {
    fn grammar(&self) -> PairGrammar<'_> {
        PairGrammar {
            first_index: self.first_index,
            end_index: self.end_index,
            labels: match &self.labels {
                RowLabels::Ignored(known) => *known,
                RowLabels::Numbers(numbers) => KnownLabels::Among(numbers),
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
        if let RowLabels::Numbers(numbers) = &self.labels {
            for label in &row.labels {
                rows.add_label(numbers.partition_point(|number| number < label));
            }
        }
        rows.end_row();
        Ok(())
    }
}
