//! The words and signs of one line of an ARFF file.
//!
//! A word ends at white space, a comma, a brace or `%`, which begins a comment. Backslashes and
//! quotes inside of a word are characters like others: `TAG_m\'usica` is a word of eleven. A word
//! that begins with a quote ends at the next one of its kind; inside, a backslash escapes.

use std::borrow::Cow;

use crate::TextPlace;
use crate::error::Expected;
use crate::lines::Line;
use crate::{Error, Result};
use mmoc::text::excerpt;

/// Reads a line from left to right.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    line: Line<'a>,
    position: usize,
}

/// A word of a line.
pub(super) struct Word<'a> {
    /// The word, without quotes and escapes.
    pub(super) text: Cow<'a, str>,
    /// Where it begins in the line.
    pub(super) start: usize,
    /// Whether it was in quotes.
    pub(super) quoted: bool,
}

impl<'a> Tokens<'a> {
    /// At the beginning of a line.
    pub(super) fn new(line: Line<'a>) -> Self {
        Self { line, position: 0 }
    }

    /// The next byte that is no white space, or `None` at the end and before a comment.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.line.text.as_bytes();
        while bytes
            .get(self.position)
            .is_some_and(u8::is_ascii_whitespace)
        {
            self.position += 1;
        }
        bytes
            .get(self.position)
            .copied()
            .filter(|&byte| byte != b'%')
    }

    /// Where the line is read on.
    pub(super) fn place(&self) -> TextPlace {
        self.line.place(self.position)
    }

    /// Passes the sign `byte` if it comes next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let comes = self.peek() == Some(byte);
        self.position += usize::from(comes);
        comes
    }

    /// The next word, or `None` if something else comes. Fails on a broken quotation.
    pub(super) fn word(&mut self) -> Result<Option<Word<'a>>> {
        match self.peek() {
            None => Ok(None),
            Some(quote @ (b'\'' | b'"')) => self.quotation(quote).map(Some),
            Some(_) => Ok(self.plain_word()),
        }
    }

    /// The error that something else was expected here.
    pub(super) fn unexpected(&mut self, expected: impl Into<Expected>) -> Error {
        let found = self.describe_next();
        self.line.error(self.position, expected, found)
    }

    /// The error that something else was expected here than was found.
    pub(super) fn error(&self, expected: impl Into<Expected>, found: impl Into<String>) -> Error {
        self.line.error(self.position, expected, found)
    }

    /// The error that a word should have been something else.
    pub(super) fn wrong(&self, word: &Word<'_>, expected: impl Into<Expected>) -> Error {
        self.line.error(word.start, expected, excerpt(&word.text))
    }

    /// The rest of the line, without the comment at its end.
    pub(super) fn rest(&mut self) -> &'a str {
        let rest = &self.line.text[self.position..];
        let rest = rest.split('%').next().unwrap_or(rest);
        self.position += rest.len();
        rest.trim()
    }

    fn plain_word(&mut self) -> Option<Word<'a>> {
        let start = self.position;
        let rest = &self.line.text[start..];
        let length = rest.bytes().position(ends_word).unwrap_or(rest.len());
        self.position += length;
        (length > 0).then(|| Word {
            text: Cow::Borrowed(&rest[..length]),
            start,
            quoted: false,
        })
    }

    fn quotation(&mut self, quote: u8) -> Result<Word<'a>> {
        let start = self.position;
        let inside = &self.line.text[start + 1..];
        let stop = inside
            .bytes()
            .position(|byte| byte == quote || byte == b'\\');
        let text = match stop {
            Some(length) if inside.as_bytes()[length] == quote => {
                self.position += length + 2;
                Cow::Borrowed(&inside[..length])
            }
            _ => Cow::Owned(self.escaped_quotation(char::from(quote))?),
        };
        let next = self.line.text.as_bytes().get(self.position);
        if !next.is_none_or(|&byte| ends_word(byte)) {
            return Err(self.unexpected("a separator after the closing quote"));
        }
        Ok(Word {
            text,
            start,
            quoted: true,
        })
    }

    /// A quotation with escapes in it, or without an end.
    fn escaped_quotation(&mut self, quote: char) -> Result<String> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.line.text[start + 1..].chars();
        while let Some(character) = characters.next() {
            if character == quote {
                self.position = self.line.text.len() - characters.as_str().len();
                return Ok(text);
            }
            text.push(match character {
                '\\' => {
                    let escape = self.line.text.len() - characters.as_str().len() - 1;
                    unescape(&mut characters).ok_or_else(|| self.no_escape(escape))?
                }
                other => other,
            });
        }
        let expected = format!("a closing {quote}");
        let end = self.line.text.len();
        Err(self.line.error(end, expected, "the end of the line"))
    }

    fn no_escape(&self, offset: usize) -> Error {
        let shown: String = self.line.text[offset..].chars().take(2).collect();
        let expected = r"an escape (\n, \r, \t, \uXXXX or \ before a sign)";
        self.line.error(offset, expected, excerpt(&shown))
    }

    fn describe_next(&mut self) -> String {
        match self.peek() {
            None => "the end of the line".to_owned(),
            Some(byte) if ends_word(byte) => excerpt(&char::from(byte).to_string()),
            Some(_) => {
                let rest = &self.line.text[self.position..];
                let length = rest.bytes().position(ends_word).unwrap_or(rest.len());
                excerpt(&rest[..length])
            }
        }
    }
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b'{' | b'}' | b'%') || byte.is_ascii_whitespace()
}

/// The character that an escape stands for, read after its backslash.
fn unescape(characters: &mut std::str::Chars<'_>) -> Option<char> {
    match characters.next()? {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => {
            let digits = characters.as_str().get(..4)?;
            *characters = characters.as_str()[4..].chars();
            let all_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok()?;
            char::from_u32(code).filter(|_| all_hexadecimal)
        }
        letter if letter.is_alphanumeric() => None,
        sign => Some(sign),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Vec<String>> {
        let mut tokens = Tokens::new(Line {
            file: "f",
            number: 1,
            text,
            ending: "",
        });
        let mut words = Vec::new();
        while let Some(word) = tokens.word()? {
            words.push(word.text.into_owned());
        }
        Ok(words)
    }

    #[test]
    fn words_may_be_made_of_any_sign_but_separators() {
        let text = "-\t/ 0; a\"b m\\'u % comment";
        assert_eq!(words(text).unwrap(), ["-", "/", "0;", "a\"b", r"m\'u"]);
    }

    #[test]
    fn quotations_hold_separators_and_escapes() {
        let text = r#"'a b,{%}' "it's" 'it\'s' '\\\u00e9\n' ''"#;
        let expected = ["a b,{%}", "it's", "it's", "\\é\n", ""];
        assert_eq!(words(text).unwrap(), expected);
    }

    #[test]
    fn broken_quotations_are_refused() {
        for text in [
            "'a",
            "'a\\",
            "'a\\'",
            "'\\x'",
            "'\\u12'",
            "'\\u+123'",
            "'a'b",
        ] {
            assert!(words(text).is_err(), "{text}");
        }
    }
}
