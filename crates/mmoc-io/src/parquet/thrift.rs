//! Thrift's compact protocol, in which the metadata of a Parquet file is written.
//!
//! A structure is a sequence of fields, each a byte `delta << 4 | kind` (the number of the field is that of
//! the last one plus `delta`, or follows by itself where `delta` is 0) and a value; a zero byte ends it.
//! Integers are variable-length and zigzag, text and lists have their length before them. The kinds are 1 true,
//! 2 false, 3 byte, 4 to 6 integers, 7 double, 8 text, 9 list, 10 set, 11 map, 12 structure.

use super::fault::{Fault, Found};

/// Structures inside structures; the format itself has fewer than ten.
const DEEPEST: usize = 16;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCTURE: u8 = 12;

/// Reads values one after the other; nothing is stored, so nothing declared can take memory.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// The number of a field and the kind of its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) id: i64,
    kind: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// How many bytes were read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Calls `visit` with every field of a structure; it reads the value or skips it.
    pub(super) fn fields(
        &mut self,
        mut visit: impl FnMut(&mut Self, Field) -> Found<()>,
    ) -> Found<()> {
        let mut id = 0_i64;
        while let Some(field) = self.field(id)? {
            id = field.id;
            visit(self, field)?;
        }
        Ok(())
    }

    fn field(&mut self, last: i64) -> Found<Option<Field>> {
        let byte = self.byte()?;
        let (delta, kind) = (i64::from(byte >> 4), byte & 0x0F);
        if kind == 0 {
            return Ok(None);
        }
        let id = match delta {
            0 => self.integer()?,
            delta => last.saturating_add(delta),
        };
        Ok(Some(Field { id, kind }))
    }

    /// The value of a field that is a structure.
    pub(super) fn structure(
        &mut self,
        field: Field,
        visit: impl FnMut(&mut Self, Field) -> Found<()>,
    ) -> Found<()> {
        expect(field.kind == STRUCTURE)?;
        self.fields(visit)
    }

    /// The value of a field that is a list of structures, or of something else that `visit` reads.
    pub(super) fn list(
        &mut self,
        field: Field,
        mut visit: impl FnMut(&mut Self) -> Found<()>,
    ) -> Found<()> {
        expect(field.kind == LIST)?;
        let (count, kind) = self.list_header()?;
        expect(kind == STRUCTURE || count == 0)?;
        for _ in 0..count {
            visit(self)?;
        }
        Ok(())
    }

    /// The value of a field that is a number, a byte of one, or true or false.
    pub(super) fn number(&mut self, field: Field) -> Found<i64> {
        match field.kind {
            TRUE => Ok(1),
            FALSE => Ok(0),
            BYTE => Ok(i64::from(self.byte()?.cast_signed())),
            4..=6 => self.integer(),
            _ => Err(unexpected()),
        }
    }

    /// The value of a field that is text.
    pub(super) fn text(&mut self, field: Field) -> Found<&'a str> {
        expect(field.kind == TEXT)?;
        let bytes = self.length_and_bytes()?;
        std::str::from_utf8(bytes).map_err(|_| Fault::damaged("a name that is not UTF-8"))
    }

    /// Passes over the value of a field.
    pub(super) fn skip(&mut self, field: Field) -> Found<()> {
        self.skip_kind(field.kind, DEEPEST, true)
    }

    /// `in_structure` tells apart the two ways in which true and false are written: as the kind of a field, or as
    /// a byte in a list.
    fn skip_kind(&mut self, kind: u8, depth: usize, in_structure: bool) -> Found<()> {
        let deeper = depth.checked_sub(1).ok_or_else(unexpected)?;
        match kind {
            TRUE | FALSE if in_structure => Ok(()),
            TRUE | FALSE | BYTE => self.take(1).map(drop),
            4..=6 => self.integer().map(drop),
            DOUBLE => self.take(8).map(drop),
            TEXT => self.length_and_bytes().map(drop),
            LIST | SET => {
                let (count, kind) = self.list_header()?;
                (0..count).try_for_each(|_| self.skip_kind(kind, deeper, false))
            }
            MAP => self.skip_map(deeper),
            STRUCTURE => {
                while let Some(field) = self.field(0)? {
                    self.skip_kind(field.kind, deeper, true)?;
                }
                Ok(())
            }
            _ => Err(unexpected()),
        }
    }

    fn skip_map(&mut self, depth: usize) -> Found<()> {
        let count = self.unsigned()?;
        if count == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        for _ in 0..count {
            self.skip_kind(kinds >> 4, depth, false)?;
            self.skip_kind(kinds & 0x0F, depth, false)?;
        }
        Ok(())
    }

    fn list_header(&mut self) -> Found<(u64, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.unsigned()?,
            few => u64::from(few),
        };
        Ok((count, byte & 0x0F))
    }

    fn length_and_bytes(&mut self) -> Found<&'a [u8]> {
        let length = self.unsigned()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// An integer that may be negative: 0, -1, 1, -2, … are written as 0, 1, 2, 3, ….
    fn integer(&mut self) -> Found<i64> {
        self.unsigned().map(unzigzag)
    }

    fn unsigned(&mut self) -> Found<u64> {
        let (value, length) = varint(&self.bytes[self.position..])?;
        self.position += length;
        Ok(value)
    }

    fn byte(&mut self) -> Found<u8> {
        Ok(self.take(1)?[0])
    }

    fn take(&mut self, count: usize) -> Found<&'a [u8]> {
        let rest = &self.bytes[self.position..];
        let taken = rest.get(..count).ok_or_else(Fault::too_short)?;
        self.position += count;
        Ok(taken)
    }
}

/// A number written seven bits to a byte, the lowest first, and the bytes it takes.
pub(super) fn varint(bytes: &[u8]) -> Found<(u64, usize)> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(if bytes.len() < 10 {
        Fault::too_short()
    } else {
        unexpected()
    })
}

/// The integer behind a zigzag number.
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn expect(is_so: bool) -> Found<()> {
    if is_so { Ok(()) } else { Err(unexpected()) }
}

fn unexpected() -> Fault {
    Fault::damaged("metadata of another kind")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_numbers_alternate_between_signs() {
        let numbers: Vec<i64> = (0..5).map(unzigzag).collect();
        assert_eq!(numbers, [0, -1, 1, -2, 2]);
        assert_eq!(unzigzag(u64::MAX), i64::MIN);
    }

    #[test]
    fn fields_are_read_by_number_and_others_skipped() {
        // 1: -3, 2: "hi", 3: {1: true, 2: [false, true]}, 20 (by its own number): a map {1: 2}, 21: 7.0
        let bytes = [
            0x15, 5, 0x18, 2, b'h', b'i', 0x1C, 0x11, 0x19, 0x21, 2, 1, 0, 0x0B, 40, 1, 0x55, 2, 4,
            0x17, 0, 0, 0, 0, 0, 0, 0x1C, 0x40, 0,
        ];
        let mut reader = Reader::new(&bytes);
        let mut seen = Vec::new();
        let read = reader.fields(|reader, field| {
            match field.id {
                1 => assert_eq!(reader.number(field)?, -3),
                2 => assert_eq!(reader.text(field)?, "hi"),
                _ => reader.skip(field)?,
            }
            seen.push(field.id);
            Ok(())
        });
        read.unwrap();
        assert_eq!(seen, [1, 2, 3, 20, 21]);
        assert_eq!(reader.position(), bytes.len());
    }

    #[test]
    fn every_truncation_is_noticed() {
        let bytes = [0x15, 5, 0x18, 2, b'h', b'i', 0x1C, 0x11, 0, 0];
        for length in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..length]);
            let read = reader.fields(Reader::skip);
            assert!(read.is_err(), "{length}");
        }
    }

    #[test]
    fn depth_and_declared_counts_cost_nothing() {
        let deep = vec![0x1C; 100_000];
        let read = Reader::new(&deep).fields(Reader::skip);
        assert!(read.is_err());
        let endless = [0x19, 0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F];
        let read = Reader::new(&endless).fields(Reader::skip);
        assert!(read.is_err());
    }
}
