//! The cells of a page that are not missing, one after the other.

use super::bits::packed;
use super::delta::Delta;
use super::fault::{Fault, Found};
use super::hybrid::Hybrid;
use super::schema::Kind;
use super::words::Words;

/// A cell of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Missing,
    /// A number, which may be infinite or none; true is 1 and false 0.
    Number(f64),
    Word(&'a str),
}

/// The different values of a chunk, to which its pages point.
#[derive(Debug)]
pub(super) enum Dictionary {
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

/// How the values of a page are written, and the place in them. The bytes of the page are given to each call.
#[derive(Debug)]
pub(super) enum Values {
    /// Eight booleans to a byte.
    Bits(usize),
    /// Booleans in runs.
    Runs(Hybrid),
    /// Numbers of a fixed size from a byte onwards.
    Plain(usize),
    /// Places in the dictionary.
    Places(Hybrid),
    /// Differences of integers.
    Differences(Delta),
    /// The first bytes of all numbers, then the second ones, …: where they begin, how many numbers there are, and
    /// which is the next.
    Split {
        start: usize,
        count: usize,
        next: usize,
    },
    /// Text.
    Words(Words),
}

/// The encodings, by their numbers in the file.
const PLAIN: i64 = 0;
const PLAIN_DICTIONARY: i64 = 2;
const RUNS: i64 = 3;
const DELTA_INTEGERS: i64 = 5;
const DELTA_LENGTHS: i64 = 6;
const DELTA_TEXT: i64 = 7;
const RUNS_DICTIONARY: i64 = 8;
const BYTE_STREAM_SPLIT: i64 = 9;

impl Values {
    /// The values that begin at byte `start` of a page and are no more than `most`.
    pub(super) fn new(
        bytes: &[u8],
        start: usize,
        most: usize,
        kind: Kind,
        encoding: i64,
    ) -> Found<Self> {
        Ok(match (encoding, kind) {
            (PLAIN, Kind::Boolean) => Self::Bits(start * 8),
            (PLAIN, Kind::Word) => Self::Words(Words::plain(start)),
            (PLAIN, _) => Self::Plain(start),
            (PLAIN_DICTIONARY | RUNS_DICTIONARY, _) => {
                // Where all cells are missing there may be nothing at all.
                let width = bytes.get(start).copied().unwrap_or(0);
                let start = (start + 1).min(bytes.len());
                Self::Places(Hybrid::new(start, bytes.len(), width.into())?)
            }
            (RUNS, Kind::Boolean) => {
                let (start, end) = with_length(bytes, start)?;
                Self::Runs(Hybrid::new(start, end, 1)?)
            }
            (DELTA_INTEGERS, Kind::Int32 { .. } | Kind::Int64 { .. }) => {
                Self::Differences(Delta::new(bytes, start)?)
            }
            (DELTA_LENGTHS, Kind::Word) => Self::Words(Words::with_lengths(bytes, start, most)?),
            (DELTA_TEXT, Kind::Word) => Self::Words(Words::incremental(bytes, start, most)?),
            (BYTE_STREAM_SPLIT, kind) if kind.size() > 0 => Self::Split {
                start,
                count: (bytes.len() - start) / kind.size(),
                next: 0,
            },
            _ => {
                let expected = "an encoding that fits the type of the column";
                return Err(Fault::new(expected, format!("number {encoding}")));
            }
        })
    }

    /// The next value.
    pub(super) fn next<'a>(
        &'a mut self,
        bytes: &'a [u8],
        kind: Kind,
        dictionary: Option<&'a Dictionary>,
    ) -> Found<Cell<'a>> {
        let number = match self {
            Self::Plain(position) => {
                let number = kind.number(bytes, *position)?;
                *position += kind.size();
                number
            }
            Self::Places(places) => {
                let place = places.next(bytes)? as usize;
                return dictionary
                    .and_then(|dictionary| dictionary.get(place))
                    .ok_or_else(|| Fault::damaged("a value that is not in the dictionary"));
            }
            Self::Words(words) => return words.next(bytes).map(Cell::Word),
            Self::Bits(position) => {
                let bit = packed(bytes, *position, 1)?;
                *position += 1;
                bit as f64
            }
            Self::Runs(runs) => f64::from(runs.next(bytes)?),
            Self::Differences(delta) => kind.integer(delta.next(bytes)?),
            Self::Split { start, count, next } => {
                let number = kind.split_number(bytes, *start, *count, *next)?;
                *next += 1;
                number
            }
        };
        Ok(Cell::Number(number))
    }
}

impl Dictionary {
    /// The `count` values of a dictionary's page.
    pub(super) fn read(bytes: &[u8], count: usize, kind: Kind) -> Found<Self> {
        // A value takes at least four bytes, so that a count alone cannot fill the memory.
        if count > bytes.len() / 4 {
            return Err(Fault::too_short());
        }
        if kind == Kind::Word {
            let mut words = Words::plain(0);
            let word = |_| words.next(bytes).map(str::to_owned);
            return Ok(Self::Words((0..count).map(word).collect::<Found<_>>()?));
        }
        if kind.size() == 0 {
            return Err(Fault::damaged("a dictionary of booleans"));
        }
        let number = |index| kind.number(bytes, index * kind.size());
        Ok(Self::Numbers((0..count).map(number).collect::<Found<_>>()?))
    }

    /// The memory it takes, roughly.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Numbers(numbers) => size_of_val(numbers.as_slice()),
            Self::Words(words) => {
                size_of_val(words.as_slice()) + words.iter().map(String::len).sum::<usize>()
            }
        }
    }

    fn get(&self, place: usize) -> Option<Cell<'_>> {
        match self {
            Self::Numbers(numbers) => numbers.get(place).copied().map(Cell::Number),
            Self::Words(words) => words.get(place).map(|word| Cell::Word(word)),
        }
    }
}

impl Kind {
    /// The bytes of a number; none if the cells are no numbers of bytes.
    fn size(self) -> usize {
        match self {
            Self::Boolean | Self::Word => 0,
            Self::Int32 { .. } | Self::Float => 4,
            Self::Int64 { .. } | Self::Double => 8,
        }
    }

    fn number(self, bytes: &[u8], start: usize) -> Found<f64> {
        let rest = bytes.get(start..).unwrap_or_default();
        let stored = match self.size() {
            8 => rest.first_chunk().map(|&eight| u64::from_le_bytes(eight)),
            _ => rest
                .first_chunk()
                .map(|&four| u32::from_le_bytes(four).into()),
        };
        stored
            .map(|stored| self.decode(stored))
            .ok_or_else(Fault::too_short)
    }

    /// The `index`-th of `count` numbers whose first bytes come first, then the second ones, and so on.
    fn split_number(self, bytes: &[u8], start: usize, count: usize, index: usize) -> Found<f64> {
        if index >= count {
            return Err(Fault::too_short());
        }
        let mut eight = [0; 8];
        for (place, byte) in eight[..self.size()].iter_mut().enumerate() {
            *byte = bytes[start + place * count + index];
        }
        Ok(self.decode(u64::from_le_bytes(eight)))
    }

    fn decode(self, stored: u64) -> f64 {
        match self {
            Self::Float => f64::from(f32::from_bits(stored as u32)),
            Self::Double => f64::from_bits(stored),
            _ => self.integer(stored.cast_signed()),
        }
    }

    /// An integer of which only the bytes of its type count.
    fn integer(self, stored: i64) -> f64 {
        match self {
            Self::Int32 { signed: true } => f64::from(stored as i32),
            Self::Int32 { signed: false } => f64::from(stored.cast_unsigned() as u32),
            Self::Int64 { signed: false } => stored.cast_unsigned() as f64,
            _ => stored as f64,
        }
    }
}

/// Where bytes begin and end whose length stands in the four bytes before them.
pub(super) fn with_length(bytes: &[u8], start: usize) -> Found<(usize, usize)> {
    let length = bytes.get(start..start + 4).ok_or_else(Fault::too_short)?;
    let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
    let start = start + 4;
    let end = start + length as usize;
    if end > bytes.len() {
        return Err(Fault::too_short());
    }
    Ok((start, end))
}
