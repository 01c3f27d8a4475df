//! Files of the extreme classification repository: a line `rows features labels` of sizes, then
//! rows of `label,label index:value …`.
//!
//! Labels and indices count from zero; indices ascend. Columns are called `x0`, `x1`, …, labels by
//! their number. A row without labels begins with its first pair, and an empty line is a row without labels
//! and features.

use super::grammar::{KnownLabels, natural_number, shown};
use super::{PairParser, RowLabels};
use crate::inference::{NumberedColumns, refuse_choices};
use crate::lines::{Line, Lines};
use crate::open::{Opened, Purpose};
use crate::source::Source;
use crate::stream::WantedLabels;
use crate::text::{ReadRecord, TextRows};
use crate::{MOST_COLUMNS, Result, TextPlace};

/// Opens a file. Its columns and labels are those of a schema by their position, or as many as its first line says.
pub(crate) fn open<'a>(source: Source<'a>, purpose: &mut Purpose<'a, '_>) -> Result<Opened<'a>> {
    if let Purpose::Infer(inference) = purpose {
        refuse_choices(inference.options)?;
    }
    let lines = ExtremeLines::new(source)?;
    let sizes = lines.sizes;
    let (columns, labels) = match purpose {
        Purpose::Match(matcher) => {
            let known = matcher.wanted.label_names.len() as u64;
            matcher.check_no_names()?;
            let labels = match matcher.options.labels {
                WantedLabels::Required => RowLabels::Below(sizes.labels.min(known)),
                WantedLabels::Ignored => RowLabels::Ignored(KnownLabels::Below(sizes.labels)),
            };
            (sizes.features.min(matcher.wanted.columns() as u64), labels)
        }
        Purpose::Infer(inference) => {
            let found = NumberedColumns {
                file: lines.lines.file().to_owned(),
                sizes: Some((sizes.features as usize, sizes.labels as usize)),
            };
            check_same(inference.numbered(found.clone()), &found)?;
            (sizes.features, RowLabels::Below(sizes.labels))
        }
    };
    let parser = PairParser {
        first_index: 0,
        end_index: columns,
        labels,
    };
    Ok(Opened::new(TextRows::new(lines, parser), Vec::new()))
}

/// All files have the columns and labels of the first.
fn check_same(first: &NumberedColumns, found: &NumberedColumns) -> Result<()> {
    if first.sizes == found.sizes {
        return Ok(());
    }
    let describe = |columns: &NumberedColumns| {
        let (features, labels) = columns.sizes.unwrap_or_default();
        format!("{features} features and {labels} labels")
    };
    let expected = format!("{}, as in {}", describe(first), first.file);
    Err(TextPlace::START.error(&found.file, expected, describe(found)))
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
            let is_blank = line.text.trim_ascii().is_empty();
            if is_blank && self.count == rows {
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
