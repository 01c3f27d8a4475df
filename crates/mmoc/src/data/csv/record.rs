//! The records of a table and the fields of a record, with their places.
//!
//! Fields follow RFC 4180: one in quotes may hold separators, line ends and doubled quotes. Blanks
//! around a field without quotes are no part of it. The splitting is our own because messages name
//! the place of a field, which the `csv` crate does not keep; a test compares the two.

use std::borrow::Cow;
use std::ops::Range;

use super::super::lines::{LONGEST_LINE, Line, Lines, Place};
use super::super::source::Source;
use crate::{Error, Result};

/// Reads a table record by record, with one record in memory at a time.
pub(super) struct Records<'a> {
    lines: Lines<'a>,
    separator: char,
    text: String,
    number: usize,
    ending: &'static str,
    fields: Vec<Field>,
}

/// Where a field lies in the text of its record.
struct Field {
    content: Range<usize>,
    /// Whether the content has doubled quotes.
    doubled: bool,
}

impl<'a> Records<'a> {
    /// The records of a source.
    pub(super) fn new(source: Source<'a>, separator: char) -> Self {
        Self {
            lines: Lines::new(source),
            separator,
            text: String::new(),
            number: 0,
            ending: "",
            fields: Vec::new(),
        }
    }

    /// The lines that the records are made of.
    pub(super) fn lines(&self) -> &Lines<'a> {
        &self.lines
    }

    /// Reads the next record; false at the end of the file. Empty lines are passed over.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.text.clear();
        self.fields.clear();
        while self.text.trim_matches(' ').is_empty() {
            self.text.clear();
            if !self.append_line()? {
                return Ok(false);
            }
            self.number = self.lines.end().line - 1;
        }
        self.split()?;
        Ok(true)
    }

    /// Number of fields of the record.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The text of a field.
    pub(super) fn field(&self, index: usize) -> Cow<'_, str> {
        let field = &self.fields[index];
        let content = &self.text[field.content.clone()];
        if field.doubled {
            Cow::Owned(content.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(content)
        }
    }

    /// The place of a field, or of the record's end if it has no such field.
    pub(super) fn place(&self, index: usize) -> Place {
        let field = self.fields.get(index);
        let offset = field.map_or(self.text.len(), |field| field.content.start);
        self.line().place(offset)
    }

    /// The error that a field should have been something else.
    pub(super) fn error(
        &self,
        index: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        self.place(index).error(self.lines.file(), expected, found)
    }

    fn line(&self) -> Line<'_> {
        Line {
            file: self.lines.file(),
            number: self.number,
            text: &self.text,
            ending: "",
        }
    }

    fn append_line(&mut self) -> Result<bool> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(false);
        };
        self.text.push_str(line.text);
        self.ending = line.ending;
        Ok(true)
    }

    fn split(&mut self) -> Result<()> {
        let mut position = 0;
        loop {
            position = self.split_field(position)?;
            if position == self.text.len() {
                return Ok(());
            }
            position += self.separator.len_utf8();
        }
    }

    /// Splits off the field that begins at `start`; where its separator or the record's end is.
    fn split_field(&mut self, start: usize) -> Result<usize> {
        let begin = self.skip_blanks(start);
        if self.text[begin..].starts_with('"') {
            return self.split_quoted(begin);
        }
        let length = self.text[start..].find(self.separator);
        let end = length.map_or(self.text.len(), |length| start + length);
        if let Some(quote) = self.text[start..end].find('"') {
            let expected = "quotes only around a whole field";
            return Err(self.line().error(start + quote, expected, "one inside"));
        }
        let content = self.text[begin.min(end)..end].trim_end_matches([' ', '\t']);
        let content = begin.min(end)..begin.min(end) + content.len();
        self.fields.push(Field {
            content,
            doubled: false,
        });
        Ok(end)
    }

    fn split_quoted(&mut self, begin: usize) -> Result<usize> {
        let mut position = begin + 1;
        let mut doubled = false;
        let close = loop {
            match self.text[position..].find('"') {
                Some(offset) if self.text[position + offset + 1..].starts_with('"') => {
                    doubled = true;
                    position += offset + 2;
                }
                Some(offset) => break position + offset,
                None => {
                    position = self.text.len();
                    self.continue_quoted(begin)?;
                }
            }
        };
        self.fields.push(Field {
            content: begin + 1..close,
            doubled,
        });
        let end = self.skip_blanks(close + 1);
        let rest = &self.text[end..];
        if rest.is_empty() || rest.starts_with(self.separator) {
            return Ok(end);
        }
        let expected = "a separator after the closing quote";
        Err(self.line().error(end, expected, "more text"))
    }

    /// Adds the next line to a record that ends within quotes.
    fn continue_quoted(&mut self, begin: usize) -> Result<()> {
        self.text.push_str(self.ending);
        let longest = usize::try_from(LONGEST_LINE).unwrap_or(usize::MAX);
        if self.text.len() < longest && self.append_line()? {
            return Ok(());
        }
        let expected = "a closing quote for this field";
        Err(self.line().error(begin, expected, "none"))
    }

    fn skip_blanks(&self, position: usize) -> usize {
        let is_blank =
            |byte: u8| matches!(byte, b' ' | b'\t') && char::from(byte) != self.separator;
        let blanks = self.text[position..]
            .bytes()
            .take_while(|&byte| is_blank(byte));
        position + blanks.count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(text: &str) -> Result<Vec<Vec<String>>> {
        let mut records = Records::new(Source::new("f", text.as_bytes())?, ',');
        let mut all = Vec::new();
        while records.advance()? {
            let fields = (0..records.len()).map(|index| records.field(index).into_owned());
            all.push(fields.collect());
        }
        Ok(all)
    }

    #[test]
    fn blanks_around_fields_are_dropped_unless_in_quotes() {
        let text = " a ,\t\" b \" , ,\"\"\n";
        assert_eq!(records(text).unwrap(), [["a", " b ", "", ""]]);
    }

    #[test]
    fn tabs_separate_empty_fields_when_they_are_separators() {
        let mut records = Records::new(Source::new("f", "a\t\t b\t".as_bytes()).unwrap(), '\t');
        assert!(records.advance().unwrap());
        let fields: Vec<_> = (0..records.len())
            .map(|index| records.field(index))
            .collect();
        assert_eq!(fields, ["a", "", "b", ""]);
    }

    #[test]
    fn places_are_right_after_a_field_of_several_lines() {
        let text = "x\n\n\"ä\r\nb\" , c";
        let mut records = Records::new(Source::new("f", text.as_bytes()).unwrap(), ',');
        assert!(records.advance().unwrap() && records.advance().unwrap());
        assert_eq!(records.field(0), "ä\r\nb");
        assert_eq!(records.place(0), Place { line: 3, column: 2 });
        assert_eq!(records.place(1), Place { line: 4, column: 6 });
    }

    proptest! {
        /// Whatever the crate writes, we split as it does.
        #[test]
        fn splits_like_the_csv_crate(
            rows in prop::collection::vec(prop::collection::vec("[a\",\n\r é]{0,4}", 3), 1..5)
        ) {
            let mut writer = csv::WriterBuilder::new()
                .quote_style(csv::QuoteStyle::Always)
                .from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            prop_assert_eq!(records(&text).unwrap(), rows);
        }
    }
}
