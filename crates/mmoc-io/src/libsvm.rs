//! Multi-label LIBSVM files: rows of `label,label index:value …`.
//!
//! Indices count from one and ascend. Labels are whole numbers; the data set has those that occur,
//! ascending, and calls them by their number. Columns are called `x1`, `x2`, … up to the largest
//! index. A row without labels begins with its first pair. `#` begins a comment; empty lines are
//! passed over.

use super::lines::{Line, Lines};
use super::pairs::{KnownLabels, PairGrammar, PairRow, label_numbers};
use super::read::{Collect, Warning};
use super::rows::Rows;
use super::source::Source;
use super::stream::{Matcher, Opened, PairParser, ReadRecord, RowLabels, TextRows, WantedLabels};
use super::{Dataset, Labels};
use crate::MOST_COLUMNS;
use crate::Result;

const GRAMMAR: PairGrammar<'static> = PairGrammar {
    first_index: 1,
    end_index: MOST_COLUMNS + 1,
    labels: KnownLabels::Any,
};

/// Collects LIBSVM files; columns and labels are those of all of them.
pub(super) struct LibSvmCollector {
    rows: Rows,
    columns: usize,
    /// The labels of all rows by their numbers; their indices are known when all files are read.
    label_numbers: Vec<u64>,
    label_offsets: Vec<usize>,
}

impl Default for LibSvmCollector {
    fn default() -> Self {
        Self {
            rows: Rows::sparse(),
            columns: 0,
            label_numbers: Vec::new(),
            label_offsets: vec![0],
        }
    }
}

impl LibSvmCollector {
    fn push(&mut self, row: &PairRow) {
        for &(column, value) in &row.entries {
            self.rows.put(column, value);
            self.columns = self.columns.max(column + 1);
        }
        self.rows.end_row();
        self.label_numbers.extend_from_slice(&row.labels);
        self.label_offsets.push(self.label_numbers.len());
    }
}

impl Collect for LibSvmCollector {
    fn read(&mut self, source: Source<'_>, _: &mut Vec<Warning>) -> Result<()> {
        let mut lines = LibSvmLines(Lines::new(source));
        let before = self.rows.count();
        let mut row = PairRow::default();
        while let Some(line) = lines.next_record()? {
            GRAMMAR.read(line, &mut row)?;
            self.push(&row);
        }
        let missing = if self.rows.count() == before {
            "at least one row"
        } else if self.columns == 0 {
            "at least one index:value"
        } else if self.label_numbers.is_empty() {
            "at least one label"
        } else {
            return Ok(());
        };
        Err(lines.0.error_at_end(missing))
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let mut numbers = self.label_numbers.clone();
        numbers.sort_unstable();
        numbers.dedup();
        let index = |number: &u64| numbers.partition_point(|other| other < number) as u32;
        let members = self.label_numbers.iter().map(index).collect();
        let labels = Labels::new(numbers.len(), self.label_offsets, members)?;
        let (features, _) = self.rows.finish(self.columns, 0)?;
        let feature_names = (1..=self.columns).map(|index| format!("x{index}"));
        let label_names = numbers.iter().map(ToString::to_string);
        let (feature_names, label_names) = (feature_names.collect(), label_names.collect());
        let dataset = Dataset::new(name, features, labels, feature_names, label_names)?;
        Ok(dataset)
    }
}

/// The lines of a file that are rows, without comments.
struct LibSvmLines<'a>(Lines<'a>);

impl ReadRecord for LibSvmLines<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        while self.0.advance()? {
            if !without_comment(self.0.current())
                .text
                .trim_ascii()
                .is_empty()
            {
                return Ok(Some(without_comment(self.0.current())));
            }
        }
        Ok(None)
    }

    fn lines(&self) -> &Lines<'_> {
        &self.0
    }
}

fn without_comment(line: Line<'_>) -> Line<'_> {
    let text = line.text.split('#').next().unwrap_or(line.text);
    Line { text, ..line }
}

/// Opens a file whose columns are those of a schema by their position.
pub(super) fn open<'a>(source: Source<'a>, matcher: Matcher<'a>) -> Opened<'a> {
    let parser = PairParser {
        first_index: 1,
        end_index: matcher.schema.columns() as u64 + 1,
        labels: match matcher.labels {
            WantedLabels::Required => {
                RowLabels::Numbers(label_numbers(matcher.schema.label_names()))
            }
            WantedLabels::Ignored => RowLabels::Ignored(KnownLabels::Any),
        },
    };
    let lines = LibSvmLines(Lines::new(source));
    Opened::new(TextRows::new(lines, parser), Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Features, Format, ReadOptions, read_from};

    #[test]
    fn labels_and_columns_are_those_that_occur() {
        let options = ReadOptions {
            format: Some(Format::LibSvm),
            ..ReadOptions::default()
        };
        let text = "30,4 1:0.5 3:2 # comment\n\n 2:1\n4 5:0\n";
        let dataset = read_from(text.as_bytes(), "f", &options).unwrap().dataset;
        assert_eq!(dataset.label_names(), ["4", "30"]);
        assert_eq!(dataset.feature_names(), ["x1", "x2", "x3", "x4", "x5"]);
        let labels = Labels::new(2, vec![0, 2, 2, 3], vec![0, 1, 0]).unwrap();
        assert_eq!(dataset.labels(), &labels);
        let numbers = Csr::new(5, vec![0, 2, 3, 3], vec![0, 2, 1], vec![0.5, 2.0, 1.0]);
        assert_eq!(dataset.features(), &Features::Sparse(numbers.unwrap()));
    }
}
