//! The header of a Parquet page, read for its sizes only.
//!
//! The crate `parquet` takes memory for the size that a header declares, and does not show headers before. They are
//! written in Thrift's compact protocol: fields of a number and a type, of which all but a few are skipped here.

/// Deeper structures are refused; a header has three levels.
const DEEPEST: usize = 16;

const STOP: u8 = 0;
const FALSE: u8 = 2;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCTURE: u8 = 12;

/// What a page declares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// The length of the header itself.
    pub(super) length: u64,
    /// 0 for data, 2 for a dictionary, 3 for data of version 2.
    pub(super) kind: i64,
    /// The size of the page after decompression.
    pub(super) plain_size: i64,
    /// The size of the page in the file.
    pub(super) stored_size: i64,
    /// The number of cells, or of entries of a dictionary.
    pub(super) values: i64,
    /// The bytes of a page of version 2 that come before what is compressed.
    pub(super) levels: i64,
    /// Whether a page of version 2 is not compressed.
    pub(super) is_plain: bool,
}

impl PageHeader {
    /// The header at the start of some bytes; none if it does not end there.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut header = Self::default();
        let mut reader = Reader { bytes };
        reader.fields(|reader, id, kind| {
            match id {
                1 => header.kind = reader.integer()?,
                2 => header.plain_size = reader.integer()?,
                3 => header.stored_size = reader.integer()?,
                5 | 7 | 8 if kind == STRUCTURE => header.read_values(reader, id)?,
                _ => reader.skip(kind, DEEPEST)?,
            }
            Some(())
        })?;
        header.length = (bytes.len() - reader.bytes.len()) as u64;
        Some(header)
    }

    /// What is special to a kind of page; all kinds begin with the number of values.
    fn read_values(&mut self, reader: &mut Reader<'_>, page: i64) -> Option<()> {
        reader.fields(|reader, id, kind| {
            match (page, id) {
                (_, 1) => self.values = reader.integer()?,
                (8, 5 | 6) => self.levels = self.levels.saturating_add(reader.integer()?),
                (8, 7) => self.is_plain = kind == FALSE,
                _ => reader.skip(kind, DEEPEST)?,
            }
            Some(())
        })
    }
}

/// What is left of some bytes.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// Seven bits of each byte, the lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        varint(&mut || self.byte())
    }

    /// 0, −1, 1, −2, … written as 0, 1, 2, 3, ….
    fn integer(&mut self) -> Option<i64> {
        self.unsigned().map(zigzag)
    }

    /// Calls `each` with the number and type of every field; it must read or skip the value.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, i64, u8) -> Option<()>) -> Option<()> {
        let mut id = 0;
        loop {
            let byte = self.byte()?;
            if byte == STOP {
                return Some(());
            }
            id = match i64::from(byte >> 4) {
                0 => self.integer()?,
                step => id + step,
            };
            each(self, id, byte & 0xF)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let deeper = depth.checked_sub(1)?;
        match kind {
            // Booleans are part of the type.
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.unsigned().map(drop),
            DOUBLE => self.pass(8),
            BINARY => self.unsigned().and_then(|length| self.pass(length)),
            LIST | SET => self.skip_list(deeper),
            STRUCTURE => self.fields(|reader, _, kind| reader.skip(kind, deeper)),
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: usize) -> Option<()> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.unsigned()?,
            count => count.into(),
        };
        for _ in 0..count {
            match byte & 0xF {
                // In a list they take a byte each.
                1 | 2 => self.pass(1)?,
                kind => self.skip(kind, depth)?,
            }
        }
        Some(())
    }
}

/// Seven bits of each byte, the lowest first.
pub(super) fn varint(next: &mut impl FnMut() -> Option<u8>) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = next()?;
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// 0, 1, 2, 3, … as 0, −1, 1, −2, ….
pub(super) fn zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page of 9 cells, 300 bytes that take 16, with statistics of a word.
    const HEADER: &[u8] = &[
        0x15, 0, 0x15, 0xD8, 0x04, 0x15, 32, 0x2C, 0x15, 18, 0x15, 0, 0x15, 6, 0x15, 6, 0x1C, 0x18,
        2, b'a', b'b', 0, 0, 0,
    ];

    #[test]
    fn sizes_are_found_among_other_fields() {
        let mut bytes = HEADER.to_vec();
        bytes.extend([1, 2, 3]);
        let expected = PageHeader {
            length: HEADER.len() as u64,
            kind: 0,
            plain_size: 300,
            stored_size: 16,
            values: 9,
            ..PageHeader::default()
        };
        assert_eq!(PageHeader::read(&bytes), Some(expected));
    }

    #[test]
    fn a_header_that_does_not_end_is_none() {
        for length in 0..HEADER.len() {
            assert_eq!(PageHeader::read(&HEADER[..length]), None, "{length}");
        }
        assert_eq!(PageHeader::read(&[0x9C; 100]), None);
    }
}
