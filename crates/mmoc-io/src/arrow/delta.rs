//! The lengths of words that are written as differences, checked before the crate takes memory for them.
//!
//! A page of the encodings `DELTA_LENGTH_BYTE_ARRAY` and `DELTA_BYTE_ARRAY` declares how many lengths it holds, and
//! a word of the second may repeat any part of the one before it: a few bytes can stand for any amount of text.

use super::fault::{Fault, Found};
use super::thrift::{varint, zigzag};

/// A page has at most so many words.
const MOST_WORDS: u64 = 1 << 25;
/// The words of a page have at most so many bytes together, where they repeat each other.
const LONGEST_TEXT: u64 = 1 << 28;

/// Checks the number of words of a page, whose lengths come first.
pub(super) fn check_count(bytes: &[u8]) -> Found<()> {
    Lengths::new(bytes).map(drop)
}

/// Checks the number of words of a page and their size: the lengths of what they repeat come first, then those of
/// what they add.
pub(super) fn check_text(bytes: &[u8]) -> Found<()> {
    let (repeated, rest) = Lengths::new(bytes)?.sum()?;
    let (added, _) = Lengths::new(rest)?.sum()?;
    if repeated.saturating_add(added) <= LONGEST_TEXT {
        return Ok(());
    }
    let expected = format!("at most {LONGEST_TEXT} bytes of words in a page");
    Err(Fault::new(expected, "more"))
}

/// Lengths in blocks of miniature blocks, each of which has a width of bits of its own.
struct Lengths<'a> {
    bytes: &'a [u8],
    blocks: usize,
    block_length: u64,
    left: u64,
    last: i64,
}

impl<'a> Lengths<'a> {
    fn new(mut bytes: &'a [u8]) -> Found<Self> {
        let numbers = [(); 4].map(|()| number(&mut bytes));
        let [Some(length), Some(blocks), Some(count), Some(first)] = numbers else {
            return Err(Fault::too_short());
        };
        if count > MOST_WORDS {
            let expected = format!("at most {MOST_WORDS} words in a page");
            return Err(Fault::new(expected, count.to_string()));
        }
        let block_length = length.checked_div(blocks);
        let (Some(block_length), Ok(blocks)) = (block_length, usize::try_from(blocks)) else {
            return Err(Fault::damaged("lengths in no blocks"));
        };
        Ok(Self {
            bytes,
            blocks,
            block_length,
            left: count,
            last: zigzag(first),
        })
    }

    /// The sum of all lengths, and the bytes after them.
    fn sum(mut self) -> Found<(u64, &'a [u8])> {
        let mut sum = 0;
        if self.left > 0 {
            self.left -= 1;
            self.add_last(&mut sum)?;
        }
        while self.left > 0 {
            let least = number(&mut self.bytes).ok_or_else(Fault::too_short)?;
            let widths = self.take(self.blocks as u64)?;
            for &width in widths {
                if self.left == 0 {
                    break;
                }
                self.add_block(zigzag(least), width, &mut sum)?;
            }
        }
        Ok((sum, self.bytes))
    }

    fn add_block(&mut self, least: i64, width: u8, sum: &mut u64) -> Found<()> {
        let bits = self.block_length.checked_mul(width.into());
        let bits = bits.filter(|_| width <= 32).ok_or_else(Fault::too_short)?;
        let packed = self.take(bits.div_ceil(8))?;
        let count = self.left.min(self.block_length);
        if count == 0 {
            return Err(Fault::damaged("lengths in empty blocks"));
        }
        for index in 0..count {
            let step = packed_number(packed, index * u64::from(width), width);
            self.last = self.last.wrapping_add(least).wrapping_add(step);
            self.add_last(sum)?;
        }
        self.left -= count;
        Ok(())
    }

    fn add_last(&self, sum: &mut u64) -> Found<()> {
        let length = u64::try_from(self.last).map_err(|_| Fault::damaged("a negative length"))?;
        *sum = sum.saturating_add(length);
        Ok(())
    }

    fn take(&mut self, count: u64) -> Found<&'a [u8]> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let split = self.bytes.split_at_checked(count);
        let (taken, rest) = split.ok_or_else(Fault::too_short)?;
        self.bytes = rest;
        Ok(taken)
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    varint(&mut || bytes.split_off_first().copied())
}

/// The `width` bits from bit `start` on; the bytes hold them.
fn packed_number(bytes: &[u8], start: u64, width: u8) -> i64 {
    let first = (start / 8) as usize;
    let mut value = 0_u64;
    for (place, &byte) in bytes[first..].iter().take(5).enumerate() {
        value |= u64::from(byte) << (8 * place);
    }
    let mask = (1_u64 << width) - 1;
    ((value >> (start % 8)) & mask).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths 7, 5, 3, 1, 2, 3, 4, 5 (the example of the format's description), with block sizes of 128 and 4.
    const LENGTHS: &[u8] = &[
        0x80, 0x01, 0x04, 0x08, 0x0E, 0x03, 0x02, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn lengths_are_summed_and_their_end_is_found() {
        let (sum, rest) = Lengths::new(LENGTHS).unwrap().sum().unwrap();
        assert_eq!(sum, 30);
        assert!(rest.is_empty());
        let two = [LENGTHS, LENGTHS].concat();
        assert_eq!(check_text(&two), Ok(()));
    }

    #[test]
    fn too_many_words_and_too_much_text_are_refused() {
        let many = [0x80, 0x01, 0x04, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0];
        assert!(check_count(&many).is_err());
        let long = [0x80, 0x01, 0x04, 0x01, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F];
        assert!(check_text(&[&long[..], LENGTHS].concat()).is_err());
    }

    #[test]
    fn what_ends_too_early_is_refused() {
        for length in 0..LENGTHS.len() {
            assert!(check_text(&LENGTHS[..length]).is_err(), "{length}");
        }
        let no_blocks = [0x80, 0x01, 0, 0x08, 0x0E];
        assert!(check_count(&no_blocks).is_err());
    }
}
