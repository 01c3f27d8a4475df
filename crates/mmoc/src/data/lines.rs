//! Lines of text with their numbers, and errors that point into them.

use std::io::{BufRead, Read};

use super::source::Source;
use crate::{ColumnError, DataError, Error, Result};

/// A line longer than this is refused: it is no row of a data set, and a small compressed file can
/// hold one that fills the memory.
pub(super) const LONGEST_LINE: u64 = 1 << 28;

/// A place in a file; line and column count from one, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// Where a file begins.
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// The error that something else stands here.
    pub(super) fn error(
        self,
        file: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::Data(DataError {
            file: file.to_owned(),
            line: self.line,
            column: self.column,
            expected: expected.into(),
            found: found.into(),
        })
    }
}

/// The error that something else stands in a file, at a place if it has lines.
pub(super) fn error_at(
    place: Option<Place>,
    file: &str,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> Error {
    match place {
        Some(place) => place.error(file, expected, found),
        None => Error::Column(ColumnError {
            file: file.to_owned(),
            column: None,
            row: None,
            expected: expected.into(),
            found: found.into(),
        }),
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
    pub(super) fn place(self, offset: usize) -> Place {
        let before = self.text.as_bytes()[..offset].split(|&byte| byte == b'\n');
        let (lines, last) = before.fold((0, &[][..]), |(lines, _), line| (lines + 1, line));
        Place {
            line: self.number + lines - 1,
            column: count_characters(last) + 1,
        }
    }

    /// The error that something else stands at byte `offset` of the text.
    pub(super) fn error(
        self,
        offset: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        self.place(offset).error(self.file, expected, found)
    }
}

/// Reads a source line by line, with one line in memory at a time.
pub(super) struct Lines<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    number: usize,
    longest: u64,
}

impl<'a> Lines<'a> {
    /// The lines of a source.
    pub(super) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            number: 0,
            longest: LONGEST_LINE,
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

    /// The line after the last one read.
    pub(super) fn end(&self) -> Place {
        Place {
            line: self.number + 1,
            column: 1,
        }
    }

    /// The error that the file goes on differently, or ends, after the last line read.
    pub(super) fn error_at_end(&self, expected: impl Into<String>) -> Error {
        self.end()
            .error(self.file(), expected, "the end of the file")
    }

    /// The next line, or `None` at the end of the file.
    ///
    /// Fails if the system or a decompressor fails, if the line is not UTF-8, and if it is longer
    /// than any row of data can sensibly be.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.buffer.clear();
        let read = (&mut self.source.reader)
            .take(self.longest)
            .read_until(b'\n', &mut self.buffer);
        let count = match read {
            Ok(0) => return Ok(None),
            Ok(count) => count as u64,
            Err(error) => return Err(self.source.failure(error, self.end())),
        };
        self.number += 1;
        if count == self.longest && self.buffer.last() != Some(&b'\n') {
            return Err(self.too_long());
        }
        self.line().map(Some)
    }

    fn too_long(&self) -> Error {
        let place = Place {
            line: self.number,
            column: 1,
        };
        let expected = format!("a line of less than {} bytes", self.longest);
        place.error(self.file(), expected, "a longer one")
    }

    /// The buffer as text, without byte order mark and line ending.
    fn line(&self) -> Result<Line<'_>> {
        let mut bytes = self.buffer.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        }
        let (bytes, ending) = split_ending(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Line {
                file: self.file(),
                number: self.number,
                text,
                ending,
            }),
            Err(error) => Err(self.not_utf8(bytes, error.valid_up_to())),
        }
    }

    fn not_utf8(&self, bytes: &[u8], offset: usize) -> Error {
        let place = Place {
            line: self.number,
            column: count_characters(&bytes[..offset]) + 1,
        };
        let found = match bytes {
            // What Windows programs call Unicode; the bytes cannot begin UTF-8 text.
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] if self.number == 1 => {
                "UTF-16 text (convert it with iconv -f UTF-16 -t UTF-8)".to_owned()
            }
            _ => format!("the byte 0x{:02X}", bytes[offset]),
        };
        place.error(self.file(), "UTF-8 text", found)
    }
}

fn split_ending(bytes: &[u8]) -> (&[u8], &'static str) {
    match bytes {
        [text @ .., b'\r', b'\n'] => (text, "\r\n"),
        [text @ .., b'\n'] => (text, "\n"),
        text => (text, ""),
    }
}

/// Number of characters in UTF-8 text: every byte but those that continue a character.
fn count_characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Text as it is shown in a message: in quotes, control characters escaped, the end of a long text
/// left out.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    format!("'{}'", safe(text, LONGEST))
}

/// Text with control characters escaped and what follows the `longest` first characters left out.
pub(super) fn safe(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == longest {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
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
    fn places_count_characters_not_bytes() {
        let line = Line {
            file: "f",
            number: 3,
            text: "äö\nüx",
            ending: "",
        };
        assert_eq!(line.place(4), Place { line: 3, column: 3 });
        assert_eq!(line.place(7), Place { line: 4, column: 2 });
    }

    #[test]
    fn long_text_and_control_characters_are_not_shown_raw() {
        assert_eq!(excerpt("a\tb\u{1b}"), "'a\\tb\\u{1b}'");
        assert_eq!(excerpt(&"x".repeat(41)), format!("'{}…'", "x".repeat(40)));
    }
}
