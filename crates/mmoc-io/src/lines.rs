//! Lines of text with their numbers, and errors that point into them.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::string::FromUtf8Error;

use super::source::Source;
use crate::error::{Expected, PlaceInFile, TextPlace};
use crate::{Error, Result};

/// A line longer than this is refused: it is no row of a data set, and a small compressed file can
/// hold one that fills the memory.
pub(super) const LONGEST_LINE: u64 = 1 << 28;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl TextPlace {
    /// Where a file begins.
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// The place behind some text that begins here.
    pub(super) fn after(self, text: &str) -> Self {
        match text.rsplit_once('\n') {
            None => Self {
                column: self.column + count_characters(text.as_bytes()),
                ..self
            },
            Some((before, last)) => Self {
                line: self.line + 1 + before.matches('\n').count(),
                column: 1 + count_characters(last.as_bytes()),
            },
        }
    }

    /// The error that something else stands here.
    pub(super) fn error(
        self,
        file: &str,
        expected: impl Into<Expected>,
        found: impl Into<String>,
    ) -> Error {
        let place = PlaceInFile::Text(self);
        expected.into().but_found(found, file, place)
    }
}

/// A line of a file without its ending; a record of several lines where a format has those.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The file, as the user named it.
    pub(super) file: &'a str,
    /// Number of the line, or of the first line of a record.
    pub(super) number: usize,
    /// The text.
    pub(super) text: &'a str,
    /// What ended the line: nothing at the end of a file.
    pub(super) ending: &'static str,
}

impl Line<'_> {
    /// The place of the character that begins at byte `offset` of the text.
    pub(super) fn place(self, offset: usize) -> TextPlace {
        let before = self.text.as_bytes()[..offset].split(|&byte| byte == b'\n');
        let (lines, last) = before.fold((0, &[][..]), |(lines, _), line| (lines + 1, line));
        TextPlace {
            line: self.number + lines - 1,
            column: count_characters(last) + 1,
        }
    }

    /// The error that something else stands at byte `offset` of the text.
    pub(super) fn error(
        self,
        offset: usize,
        expected: impl Into<Expected>,
        found: impl Into<String>,
    ) -> Error {
        self.place(offset).error(self.file, expected, found)
    }
}

/// Reads a source line by line, with one line in memory at a time.
pub(super) struct Lines<'a> {
    source: Source<'a>,
    /// The present line, with its ending and, in the first one, the byte order mark.
    text: String,
    number: usize,
    longest: u64,
    /// What ends a line: a line feed, but in files of old programs a carriage return.
    terminator: u8,
}

impl<'a> Lines<'a> {
    /// The lines of a source.
    pub(super) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            text: String::new(),
            number: 0,
            longest: LONGEST_LINE,
            terminator: b'\n',
        }
    }

    /// The file, as the user named it.
    pub(super) fn file(&self) -> &str {
        &self.source.name
    }

    /// The source the lines come from.
    pub(super) fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// The bytes behind the last line read that are in memory already.
    pub(super) fn ahead(&self) -> &[u8] {
        self.source.reader.buffer()
    }

    /// The line after the last one read.
    pub(super) fn end(&self) -> TextPlace {
        TextPlace {
            line: self.number + 1,
            column: 1,
        }
    }

    /// The error that the file goes on differently, or ends, after the last line read.
    pub(super) fn error_at_end(&self, expected: impl Into<Expected>) -> Error {
        self.end()
            .error(self.file(), expected, "the end of the file")
    }

    /// The next line, or `None` at the end of the file.
    ///
    /// Fails if the system or a decompressor fails, if the line is not UTF-8, and if it is longer
    /// than any row of data can sensibly be.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        Ok(self.advance()?.then(|| self.current()))
    }

    /// Reads the next line, as [`Lines::next_line`] does; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        let mut buffer = std::mem::take(&mut self.text).into_bytes();
        buffer.clear();
        let read = (&mut self.source.reader)
            .take(self.longest)
            .read_until(self.terminator, &mut buffer);
        let count = match read {
            Ok(0) => return Ok(false),
            Ok(count) => count as u64,
            Err(error) => return Err(self.source.failure(error, self.end())),
        };
        self.number += 1;
        let is_ended = buffer.last() == Some(&self.terminator);
        if count == self.longest && !is_ended {
            return Err(self.too_long());
        }
        if self.number == 1 && !is_ended && returns_end_lines(&buffer) {
            self.begin_again(buffer);
            return self.advance();
        }
        self.text = String::from_utf8(buffer).map_err(|error| self.not_utf8(&error))?;
        Ok(true)
    }

    /// Reads the text, which is whole and has no line feed, once more with lines that carriage returns end.
    fn begin_again(&mut self, text: Vec<u8>) {
        self.source.reader = BufReader::new(Box::new(Cursor::new(text)));
        self.number = 0;
        self.terminator = b'\r';
    }

    /// The present line, without byte order mark and line ending.
    pub(super) fn current(&self) -> Line<'_> {
        let whole = if self.number == 1 {
            self.text.strip_prefix('\u{FEFF}').unwrap_or(&self.text)
        } else {
            &self.text
        };
        let (text, ending) = match whole.strip_suffix('\r') {
            Some(text) if self.terminator == b'\r' => (text, "\r"),
            _ => split_ending(whole),
        };
        Line {
            file: self.file(),
            number: self.number,
            text,
            ending,
        }
    }

    fn too_long(&self) -> Error {
        let place = TextPlace {
            line: self.number,
            column: 1,
        };
        let expected = format!("a line of less than {} bytes", self.longest);
        place.error(self.file(), expected, "a longer one")
    }

    fn not_utf8(&self, error: &FromUtf8Error) -> Error {
        let valid = error.utf8_error().valid_up_to();
        let (before, after) = error.as_bytes().split_at(valid);
        let before = match before.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.number == 1 => rest,
            _ => before,
        };
        let place = TextPlace {
            line: self.number,
            column: count_characters(before) + 1,
        };
        let found = match after {
            // What Windows programs call Unicode; the bytes cannot begin UTF-8 text.
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] if place == TextPlace::START => {
                "UTF-16 text (convert it with iconv -f UTF-16 -t UTF-8)".to_owned()
            }
            _ => format!("the byte 0x{:02X}", after[0]),
        };
        place.error(self.file(), "UTF-8 text", found)
    }
}

/// Whether carriage returns end the lines of a text without a line feed: one stands outside of quotes before its end.
fn returns_end_lines(text: &[u8]) -> bool {
    let mut quoted = false;
    let inner = text.split_last().map_or(text, |(_, inner)| inner);
    inner.iter().any(|&byte| {
        quoted ^= byte == b'"';
        byte == b'\r' && !quoted
    })
}

/// The lines of some bytes that are there as a whole.
pub(super) fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.filter_map(|line| line.strip_suffix(b"\n"))
}

/// Whether a line has more than blanks.
pub(super) fn has_text(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty()
}

fn split_ending(text: &str) -> (&str, &'static str) {
    match text.strip_suffix('\n') {
        None => (text, ""),
        Some(line) => match line.strip_suffix('\r') {
            None => (line, "\n"),
            Some(line) => (line, "\r\n"),
        },
    }
}

/// Number of characters in UTF-8 text: every byte but those that continue a character.
fn count_characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(bytes: &[u8]) -> Lines<'_> {
        Lines::new(Source::new("f", bytes).unwrap())
    }

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut lines = lines_of(bytes);
        let mut texts = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            texts.push(format!("{}{}", line.text, line.ending));
        }
        texts
    }

    #[test]
    fn the_byte_order_mark_is_no_part_of_the_first_line() {
        assert_eq!(all(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb"), ["a\n", "\u{FEFF}b"]);
    }

    #[test]
    fn every_line_ending_is_known_and_the_last_may_lack_one() {
        assert_eq!(all(b"a\r\n\nb\r"), ["a\r\n", "\n", "b\r"]);
        assert_eq!(all(b"a\rb\r\rc"), ["a\r", "b\r", "\r", "c"]);
        assert_eq!(all(b"\"a\rb\",c\rd"), ["\"a\r", "b\",c\r", "d"]);
        assert_eq!(all(b"\"a\rb\",c"), ["\"a\rb\",c"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let mut lines = lines_of(b"abc\nabcd\n");
        lines.longest = 4;
        assert!(lines.next_line().is_ok());
        let message = lines.next_line().unwrap_err().to_string();
        assert_eq!(
            message,
            "f:2:1: expected a line of less than 4 bytes, found a longer one"
        );
    }

    #[test]
    fn a_byte_that_is_no_text_is_found_behind_the_mark() {
        let message = |bytes: &[u8]| lines_of(bytes).next_line().unwrap_err().to_string();
        for bytes in [&b"a\xFF\n"[..], b"\xEF\xBB\xBFa\xFF"] {
            assert_eq!(
                message(bytes),
                "f:1:2: expected UTF-8 text, found the byte 0xFF"
            );
        }
    }

    #[test]
    fn places_count_characters_not_bytes() {
        let line = Line {
            file: "f",
            number: 3,
            text: "äö\nüx",
            ending: "",
        };
        assert_eq!(line.place(4), TextPlace { line: 3, column: 3 });
        assert_eq!(line.place(7), TextPlace { line: 4, column: 2 });
        let first = line.place(0).after("äö");
        assert_eq!(first, line.place(4));
        assert_eq!(first.after("\nü"), line.place(7));
    }
}
