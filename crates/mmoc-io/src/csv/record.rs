//! The records of a table: lines, or several where a field in quotes goes on.

use std::borrow::Cow;

use super::fields::Fields;
use crate::TextPlace;
use crate::error::Expected;
use crate::lines::{LONGEST_LINE, Line, Lines};
use crate::source::Source;
use crate::{Error, Result};

/// Reads a table record by record, with one record in memory at a time.
pub(super) struct Records<'a> {
    lines: Lines<'a>,
    fields: Fields,
    /// A record with quotes in it, and the number of its first line; other records are lines.
    quoted: Option<(String, usize)>,
    /// Whether the present record is still to be read.
    peeked: bool,
}

impl<'a> Records<'a> {
    /// The records of a source.
    pub(super) fn new(source: Source<'a>, separator: u8) -> Self {
        Self {
            lines: Lines::new(source),
            fields: Fields::new(separator),
            quoted: None,
            peeked: false,
        }
    }

    /// The lines that the records are made of.
    pub(super) fn lines(&self) -> &Lines<'a> {
        &self.lines
    }

    /// Reads the first record, which tells what stands between fields if that is not a comma.
    pub(super) fn advance_header(&mut self) -> Result<bool> {
        let with_commas = self.advance();
        if self.separator() != b',' || matches!(with_commas, Ok(false)) || self.len() > 1 {
            return with_commas;
        }
        let line = self.lines.current();
        let Some(other) = other_separator(line.text) else {
            return with_commas;
        };
        let (text, number) = (line.text.to_owned(), line.number);
        self.fields = Fields::new(other);
        self.quoted = Some((self.join_quoted(text, number)?, number));
        Ok(true)
    }

    /// What stands between fields.
    pub(super) fn separator(&self) -> u8 {
        self.fields.separator()
    }

    /// Reads the next record and splits it; false at the end of the file. Empty lines are passed
    /// over.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if !self.advance_whole()? {
            return Ok(false);
        }
        if self.quoted.is_none() {
            self.fields.split(self.lines.current())?;
        }
        Ok(true)
    }

    /// Splits the next record, which stays to be read; false at the end of the file.
    pub(super) fn peek(&mut self) -> Result<bool> {
        self.peeked = self.advance()?;
        Ok(self.peeked)
    }

    /// The next record, not split.
    pub(super) fn next_record(&mut self) -> Result<Option<Line<'_>>> {
        let is_there = std::mem::take(&mut self.peeked) || self.advance_whole()?;
        Ok(is_there.then(|| self.record()))
    }

    /// Number of fields of the record.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The text of a field.
    pub(super) fn field(&self, index: usize) -> Cow<'_, str> {
        self.fields.text(self.record(), index)
    }

    /// The place of a field, or of the record's end if it has no such field.
    pub(super) fn place(&self, index: usize) -> TextPlace {
        self.fields.place(self.record(), index)
    }

    /// The places of all fields.
    pub(super) fn places(&self) -> Vec<TextPlace> {
        self.fields.places(self.record())
    }

    /// The error that a field should have been something else.
    pub(super) fn error(
        &self,
        index: usize,
        expected: impl Into<Expected>,
        found: impl Into<String>,
    ) -> Error {
        self.place(index).error(self.lines.file(), expected, found)
    }

    /// Reads on to the end of the next record.
    fn advance_whole(&mut self) -> Result<bool> {
        self.quoted = None;
        while self.lines.advance()? {
            let line = self.lines.current();
            if line.text.as_bytes().contains(&b'"') {
                let (text, number) = (line.text.to_owned(), line.number);
                self.quoted = Some((self.join_quoted(text, number)?, number));
                return Ok(true);
            }
            if !line.text.bytes().all(|byte| byte == b' ') {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Splits a record with quotes in it, and adds lines to it as long as it ends within quotes.
    fn join_quoted(&mut self, mut text: String, number: usize) -> Result<String> {
        let longest = usize::try_from(LONGEST_LINE).unwrap_or(usize::MAX);
        self.fields.split(joined(&self.lines, number, &text))?;
        while let Some(quote) = self.fields.open_quote() {
            text.push_str(self.lines.current().ending);
            if text.len() >= longest || !self.lines.advance()? {
                let expected = "a closing quote for this field";
                return Err(joined(&self.lines, number, &text).error(quote, expected, "none"));
            }
            text.push_str(self.lines.current().text);
            self.fields.resume(joined(&self.lines, number, &text))?;
        }
        Ok(text)
    }

    /// The present record.
    pub(super) fn record(&self) -> Line<'_> {
        match &self.quoted {
            None => self.lines.current(),
            Some((text, number)) => joined(&self.lines, *number, text),
        }
    }
}

/// What separates the names of columns, if it is no comma.
fn other_separator(header: &str) -> Option<u8> {
    let mut separators = [b';', b'\t'].into_iter();
    separators.find(|separator| header.as_bytes().contains(separator))
}

/// A record that begins in line `number`, of one line or several.
fn joined<'t>(lines: &'t Lines<'_>, number: usize, text: &'t str) -> Line<'t> {
    Line {
        file: lines.file(),
        number,
        text,
        ending: "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(text: &str) -> Result<Vec<Vec<String>>> {
        let mut records = Records::new(Source::new("f", text.as_bytes())?, b',');
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
        let mut records = Records::new(Source::new("f", "a\t\t b\t".as_bytes()).unwrap(), b'\t');
        assert!(records.advance().unwrap());
        let fields: Vec<_> = (0..records.len())
            .map(|index| records.field(index))
            .collect();
        assert_eq!(fields, ["a", "", "b", ""]);
    }

    #[test]
    fn places_are_right_after_a_field_of_several_lines() {
        let text = "x\n\n\"ä\r\nb\" , c";
        let mut records = Records::new(Source::new("f", text.as_bytes()).unwrap(), b',');
        assert!(records.advance().unwrap() && records.advance().unwrap());
        assert_eq!(records.field(0), "ä\r\nb");
        assert_eq!(records.place(0), TextPlace { line: 3, column: 2 });
        assert_eq!(records.place(1), TextPlace { line: 4, column: 6 });
        assert_eq!(records.places(), [records.place(0), records.place(1)]);
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
