//! The fields of a record, with their places.
//!
//! Fields follow RFC 4180: one in quotes may hold separators, line ends and doubled quotes. Blanks
//! around a field without quotes are no part of it. The splitting is our own because messages name
//! the place of a field, which the `csv` crate does not keep; a test compares the two.

use std::borrow::Cow;

use crate::Result;
use crate::TextPlace;
use crate::lines::Line;

/// Splits one record after the other.
pub(super) struct Fields {
    separator: u8,
    found: Vec<Field>,
    open: Option<Quotation>,
}

/// Where a field lies in the text of its record, which is shorter than 2³² bytes.
struct Field {
    start: u32,
    end: u32,
    /// Whether the content has doubled quotes.
    doubled: bool,
}

/// A field in quotes that is not yet closed.
#[derive(Clone, Copy)]
struct Quotation {
    begin: usize,
    /// How far a closing quote was looked for.
    position: usize,
    doubled: bool,
}

impl Fields {
    /// For records whose fields have this separator, which is ASCII, between them.
    pub(super) fn new(separator: u8) -> Self {
        Self {
            separator,
            found: Vec::new(),
            open: None,
        }
    }

    /// What stands between fields.
    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// Splits a record, in place of the one before.
    pub(super) fn split(&mut self, record: Line<'_>) -> Result<()> {
        self.found.clear();
        self.open = None;
        if !record.text.as_bytes().contains(&b'"') {
            self.split_plain(record.text);
            return Ok(());
        }
        self.split_from(record, 0)
    }

    /// Splits on after a record got another line, because it ended in a field with an open quote.
    pub(super) fn resume(&mut self, record: Line<'_>) -> Result<()> {
        match self.open.take() {
            None => Ok(()),
            Some(open) => match self.split_quoted(record, open)? {
                Some(end) if end < record.text.len() => self.split_from(record, end + 1),
                _ => Ok(()),
            },
        }
    }

    /// Where the quote stands that the record ends without closing.
    pub(super) fn open_quote(&self) -> Option<usize> {
        self.open.map(|open| open.begin)
    }

    /// Number of fields.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The bytes of a field of the record, its doubled quotes still doubled.
    #[inline]
    pub(super) fn bytes<'t>(&self, record: Line<'t>, index: usize) -> &'t [u8] {
        let field = &self.found[index];
        &record.text.as_bytes()[field.start as usize..field.end as usize]
    }

    /// The text of a field of the record.
    #[inline]
    pub(super) fn text<'t>(&self, record: Line<'t>, index: usize) -> Cow<'t, str> {
        let field = &self.found[index];
        let content = &record.text[field.start as usize..field.end as usize];
        if field.doubled {
            Cow::Owned(content.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(content)
        }
    }

    /// The place of a field, or of the record's end if it has no such field.
    pub(super) fn place(&self, record: Line<'_>, index: usize) -> TextPlace {
        let field = self.found.get(index);
        record.place(field.map_or(record.text.len(), |field| field.start as usize))
    }

    /// The places of all fields. They are counted in one pass: a table may have a million columns.
    pub(super) fn places(&self, record: Line<'_>) -> Vec<TextPlace> {
        let (mut place, mut passed) = (record.place(0), 0);
        let next = |field: &Field| {
            let start = field.start as usize;
            place = place.after(&record.text[passed..start]);
            passed = start;
            place
        };
        self.found.iter().map(next).collect()
    }

    /// Splits a record without quotes.
    fn split_plain(&mut self, text: &str) {
        let (bytes, separator) = (text.as_bytes(), self.separator);
        let mut start = 0;
        for (end, &byte) in bytes.iter().enumerate() {
            if byte == separator {
                self.push_plain(bytes, start, end);
                start = end + 1;
            }
        }
        self.push_plain(bytes, start, bytes.len());
    }

    #[inline]
    fn push_plain(&mut self, bytes: &[u8], mut start: usize, mut end: usize) {
        while start < end && is_blank(bytes[start]) {
            start += 1;
        }
        while start < end && is_blank(bytes[end - 1]) {
            end -= 1;
        }
        self.push(start, end, false);
    }

    #[inline]
    fn push(&mut self, start: usize, end: usize, doubled: bool) {
        self.found.push(Field {
            start: start as u32,
            end: end as u32,
            doubled,
        });
    }

    fn split_from(&mut self, record: Line<'_>, mut start: usize) -> Result<()> {
        while let Some(end) = self.split_field(record, start)? {
            if end == record.text.len() {
                break;
            }
            start = end + 1;
        }
        Ok(())
    }

    /// Splits off the field that begins at `start`; where its separator or the record's end is,
    /// or nothing if its quote is not closed.
    fn split_field(&mut self, record: Line<'_>, start: usize) -> Result<Option<usize>> {
        let bytes = record.text.as_bytes();
        let begin = self.skip_blanks(bytes, start);
        if bytes.get(begin) == Some(&b'"') {
            let open = Quotation {
                begin,
                position: begin + 1,
                doubled: false,
            };
            return self.split_quoted(record, open);
        }
        let length = find(&bytes[start..], self.separator);
        let end = length.map_or(bytes.len(), |length| start + length);
        if let Some(quote) = find(&bytes[start..end], b'"') {
            let expected = "quotes only around a whole field";
            return Err(record.error(start + quote, expected, "one inside"));
        }
        self.push_plain(bytes, start, end);
        Ok(Some(end))
    }

    fn split_quoted(&mut self, record: Line<'_>, mut open: Quotation) -> Result<Option<usize>> {
        let bytes = record.text.as_bytes();
        while let Some(offset) = find(&bytes[open.position..], b'"') {
            let quote = open.position + offset;
            if bytes.get(quote + 1) != Some(&b'"') {
                return self.close_quoted(record, open, quote).map(Some);
            }
            open.doubled = true;
            open.position = quote + 2;
        }
        open.position = bytes.len();
        self.open = Some(open);
        Ok(None)
    }

    fn close_quoted(&mut self, record: Line<'_>, open: Quotation, close: usize) -> Result<usize> {
        self.push(open.begin + 1, close, open.doubled);
        let bytes = record.text.as_bytes();
        let end = self.skip_blanks(bytes, close + 1);
        match bytes.get(end) {
            Some(&byte) if byte != self.separator => {
                let expected = "a separator after the closing quote";
                Err(record.error(end, expected, "more text"))
            }
            _ => Ok(end),
        }
    }

    fn skip_blanks(&self, bytes: &[u8], position: usize) -> usize {
        let blanks = bytes[position..].iter();
        let blanks = blanks.take_while(|&&byte| is_blank(byte) && byte != self.separator);
        position + blanks.count()
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|&byte| byte == wanted)
}
