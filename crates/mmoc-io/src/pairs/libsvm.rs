//! Multi-label LIBSVM files: rows of `label,label index:value …`.
//!
//! Indices count from one, or from zero if a zero occurs among them, and stand in any order. Labels are
//! whole numbers; the data set has those that occur, ascending, and calls them by their number. Columns are
//! called `x1`, `x2`, … up to the largest index. A row without labels begins with its first pair. `#` begins
//! a comment; empty lines are passed over.

use super::grammar::{KnownLabels, label_numbers};
use super::{PairParser, RowLabels};
use crate::inference::{NumberedColumns, refuse_choices};
use crate::lines::{Line, Lines, has_text, whole_lines};
use crate::open::{Opened, Purpose};
use crate::source::Source;
use crate::stream::WantedLabels;
use crate::text::{ReadRecord, TextRows};
use crate::{MOST_COLUMNS, Result};

/// Opens a file. Its columns are those of a schema by their position, or those that occur; so are its labels by their
/// numbers.
pub(crate) fn open<'a>(source: Source<'a>, purpose: &mut Purpose<'a, '_>) -> Result<Opened<'a>> {
    let (first_index, columns, labels) = match purpose {
        Purpose::Match(matcher) => {
            matcher.check_no_names()?;
            let labels = match matcher.options.labels {
                WantedLabels::Required => {
                    RowLabels::Numbers(label_numbers(matcher.wanted.label_names))
                }
                WantedLabels::Ignored => RowLabels::Ignored(KnownLabels::Any),
            };
            let names = matcher.wanted.feature_names;
            let from_zero = names.first().is_some_and(|name| name == "x0");
            let first_index = u64::from(!from_zero);
            (first_index, matcher.wanted.columns() as u64, labels)
        }
        Purpose::Infer(inference) => {
            refuse_choices(inference.options)?;
            inference.numbered(NumberedColumns {
                file: source.name.clone(),
                sizes: None,
            });
            // Whether the first of these occurs is known at the end.
            (0, MOST_COLUMNS, RowLabels::Found)
        }
    };
    let parser = PairParser {
        first_index,
        end_index: columns + first_index,
        labels,
    };
    let lines = LibSvmLines(Lines::new(source));
    Ok(Opened::new(TextRows::new(lines, parser), Vec::new()))
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

    fn is_next_here(&self) -> bool {
        let row = |line: &[u8]| {
            line.split(|&byte| byte == b'#')
                .next()
                .is_some_and(has_text)
        };
        whole_lines(self.0.ahead()).any(row)
    }
}

fn without_comment(line: Line<'_>) -> Line<'_> {
    let text = line.text.split('#').next().unwrap_or(line.text);
    Line { text, ..line }
}

#[cfg(test)]
mod tests {
    use crate::{Csr, Features, Format, Labels, ReadOptions, read_from};

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
