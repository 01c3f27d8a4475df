//! Files of the extreme classification repository: a line `rows features labels` of sizes, then
//! rows of `label,label index:value …`.
//!
//! Labels and indices count from zero; indices ascend. Columns are called `x0`, `x1`, …, labels by
//! their number. A row without labels begins with its first pair.

use super::Dataset;
use super::lines::{Line, Lines};
use super::pairs::{KnownLabels, PairGrammar, PairRow, natural_number, shown};
use super::read::{Collect, Warning};
use super::rows::Rows;
use super::source::Source;
use super::stream::{Matcher, Opened, PairParser, ReadRecord, RowLabels, TextRows, WantedLabels};
use crate::MOST_COLUMNS;
use crate::Result;
use crate::TextPlace;

/// Collects files with the same numbers of features and labels.
pub(super) struct ExtremeCollector {
    rows: Rows,
    /// The first file and its sizes.
    first: Option<(String, Sizes)>,
}

impl Default for ExtremeCollector {
    fn default() -> Self {
        Self {
            rows: Rows::sparse(),
            first: None,
        }
    }
}

/// The line of sizes. Nothing is allocated by it before the rows are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sizes {
    rows: u64,
    features: u64,
    labels: u64,
}

impl Sizes {
    fn read(line: Line<'_>) -> Result<Self> {
        let mut position = 0;
        let mut next = |what: &str, most: u64| {
            let rest = &line.text[position..];
            let blank = rest.len() - rest.trim_ascii_start().len();
            let text = rest[blank..].split_ascii_whitespace().next().unwrap_or("");
            let start = position + blank;
            position = start + text.len();
            match natural_number(text) {
                Some(size) if (1..=most).contains(&size) => Ok(size),
                _ => {
                    let expected = format!("the number of {what} (1 to {most})");
                    Err(line.error(start, expected, shown(text)))
                }
            }
        };
        let sizes = Self {
            rows: next("rows", u64::from(u32::MAX))?,
            features: next("features", MOST_COLUMNS)?,
            labels: next("labels", MOST_COLUMNS)?,
        };
        match line.text[position..].trim_ascii() {
            "" => Ok(sizes),
            more => Err(line.error(position, "the end of the line of sizes", shown(more))),
        }
    }

    fn grammar(self) -> PairGrammar<'static> {
        PairGrammar {
            first_index: 0,
            end_index: self.features,
            labels: KnownLabels::Below(self.labels),
        }
    }
}

/// The lines of a file after that of sizes that are rows: as many as it says.
struct ExtremeLines<'a> {
    lines: Lines<'a>,
    sizes: Sizes,
    count: u64,
}

impl<'a> ExtremeLines<'a> {
    fn new(source: Source<'a>) -> Result<Self> {
        let mut lines = Lines::new(source);
        let Some(line) = lines.next_line()? else {
            return Err(lines.error_at_end("the numbers of rows, features and labels"));
        };
        let sizes = Sizes::read(line)?;
        Ok(Self {
            lines,
            sizes,
            count: 0,
        })
    }
}

impl ReadRecord for ExtremeLines<'_> {
    fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        let rows = self.sizes.rows;
        while self.lines.advance()? {
            let line = self.lines.current();
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            self.count += 1;
            if self.count > rows {
                let expected = format!("no row after {rows} as the first line says");
                return Err(line.error(0, expected, "one more"));
            }
            return Ok(Some(self.lines.current()));
        }
        if self.count < rows {
            let expected = format!("row {} of {rows}", self.count + 1);
            return Err(self.lines.error_at_end(expected));
        }
        Ok(None)
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }
}

/// Opens a file whose columns and labels are those of a schema by their position.
pub(super) fn open<'a>(source: Source<'a>, matcher: Matcher<'a>) -> Result<Opened<'a>> {
    let lines = ExtremeLines::new(source)?;
    let sizes = lines.sizes;
    let known = sizes.labels.min(matcher.schema.label_names().len() as u64);
    let parser = PairParser {
        first_index: 0,
        end_index: sizes.features.min(matcher.schema.columns() as u64),
        labels: match matcher.labels {
            WantedLabels::Required => RowLabels::Numbers((0..known).collect()),
            WantedLabels::Ignored => RowLabels::Ignored(KnownLabels::Below(sizes.labels)),
        },
    };
    Ok(Opened::new(TextRows::new(lines, parser), Vec::new()))
}

impl ExtremeCollector {
    fn check_same(&mut self, file: &str, sizes: Sizes) -> Result<()> {
        let (first, known) = self.first.get_or_insert_with(|| (file.to_owned(), sizes));
        if (known.features, known.labels) == (sizes.features, sizes.labels) {
            return Ok(());
        }
        let describe =
            |sizes: Sizes| format!("{} features and {} labels", sizes.features, sizes.labels);
        let expected = format!("{}, as in {first}", describe(*known));
        Err(TextPlace::START.error(file, expected, describe(sizes)))
    }

    fn push(&mut self, row: &PairRow) {
        for &(column, value) in &row.entries {
            self.rows.put(column, value);
        }
        for &label in &row.labels {
            self.rows.add_label(label as usize);
        }
        self.rows.end_row();
    }
}

impl Collect for ExtremeCollector {
    fn read(&mut self, source: Source<'_>, _: &mut Vec<Warning>) -> Result<()> {
        let mut lines = ExtremeLines::new(source)?;
        self.check_same(lines.lines.file(), lines.sizes)?;
        let grammar = lines.sizes.grammar();
        let mut row = PairRow::default();
        while let Some(line) = lines.next_record()? {
            grammar.read(line, &mut row)?;
            self.push(&row);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, name: String) -> Result<Dataset> {
        let (_, sizes) = self.first.expect("a file was read");
        let (columns, count) = (sizes.features as usize, sizes.labels as usize);
        let (features, labels) = self.rows.finish(columns, count)?;
        let feature_names = (0..columns).map(|index| format!("x{index}"));
        let label_names = (0..count).map(|label| label.to_string());
        let (feature_names, label_names) = (feature_names.collect(), label_names.collect());
        let dataset = Dataset::new(name, features, labels, feature_names, label_names)?;
        Ok(dataset)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Csr, Features, Format, Labels, ReadOptions, read_from};

    #[test]
    fn sizes_come_from_the_first_line() {
        let options = ReadOptions {
            format: Some(Format::Extreme),
            ..ReadOptions::default()
        };
        let text = "3 4 5\n4,0 0:0.5 2:2\n 1:1\n1\n";
        let dataset = read_from(text.as_bytes(), "f", &options).unwrap().dataset;
        let labels = Labels::new(5, vec![0, 2, 2, 3], vec![0, 4, 1]).unwrap();
        assert_eq!(dataset.labels(), &labels);
        let numbers = Csr::new(4, vec![0, 2, 3, 3], vec![0, 2, 1], vec![0.5, 2.0, 1.0]);
        assert_eq!(dataset.features(), &Features::Sparse(numbers.unwrap()));
    }
}
