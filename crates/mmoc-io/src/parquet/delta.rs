//! Integers as differences from the ones before them.
//!
//! A header says how many numbers a block has, in how many parts it is divided, how many numbers there are,
//! and the first of them. A block begins with its smallest difference m and, for each part, a width; the part is the
//! packed differences less m, each of that width. The parts after the last number are left out, their widths are not.

use super::bits::packed;
use super::fault::{Fault, Found};
use super::thrift::{unzigzag, varint};

/// The place in such a sequence; the bytes are given to each call.
#[derive(Debug)]
pub(super) struct Delta {
    parts: usize,
    part_length: usize,
    left: usize,
    is_first: bool,
    last: i64,
    smallest: i64,
    /// Where the widths of the present block stand, and which of its parts comes next.
    widths: usize,
    next_part: usize,
    /// The part being read.
    bit: usize,
    width: usize,
    left_in_part: usize,
    /// Where the bytes go on after the part.
    position: usize,
}

impl Delta {
    /// The sequence that begins at `start`.
    pub(super) fn new(bytes: &[u8], start: usize) -> Found<Self> {
        let mut position = start;
        let mut number = || -> Found<u64> {
            let rest = bytes.get(position..).ok_or_else(Fault::too_short)?;
            let (value, length) = varint(rest)?;
            position += length;
            Ok(value)
        };
        let (block, parts, count, first) = (number()?, number()?, number()?, number()?);
        let part_length = block.checked_div(parts).unwrap_or(0);
        if part_length == 0 || part_length % 8 != 0 || part_length * parts != block {
            return Err(Fault::damaged("blocks that cannot be divided"));
        }
        let size = |number: u64| usize::try_from(number).map_err(|_| Fault::too_short());
        Ok(Self {
            parts: size(parts)?,
            part_length: size(part_length)?,
            left: size(count)?,
            is_first: true,
            last: unzigzag(first),
            smallest: 0,
            widths: position,
            next_part: size(parts)?,
            bit: 0,
            width: 0,
            left_in_part: 0,
            position,
        })
    }

    /// How many numbers are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Where the bytes go on after all numbers, once they are read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next number.
    pub(super) fn next(&mut self, bytes: &[u8]) -> Found<i64> {
        self.left = self.left.checked_sub(1).ok_or_else(Fault::too_short)?;
        if self.is_first {
            self.is_first = false;
            return Ok(self.last);
        }
        if self.left_in_part == 0 {
            self.begin_part(bytes)?;
        }
        let above = packed(bytes, self.bit, self.width)?;
        self.bit += self.width;
        self.left_in_part -= 1;
        let difference = self.smallest.wrapping_add(above.cast_signed());
        self.last = self.last.wrapping_add(difference);
        Ok(self.last)
    }

    fn begin_part(&mut self, bytes: &[u8]) -> Found<()> {
        if self.next_part == self.parts {
            self.begin_block(bytes)?;
        }
        let width = bytes.get(self.widths + self.next_part);
        self.width = usize::from(*width.ok_or_else(Fault::too_short)?);
        if self.width > 64 {
            return Err(Fault::damaged("differences of more than 64 bits"));
        }
        self.next_part += 1;
        self.left_in_part = self.part_length;
        self.bit = self.position * 8;
        let size = (self.part_length / 8).saturating_mul(self.width);
        self.position = self.position.saturating_add(size).min(bytes.len());
        Ok(())
    }

    fn begin_block(&mut self, bytes: &[u8]) -> Found<()> {
        let rest = bytes.get(self.position..).ok_or_else(Fault::too_short)?;
        let (smallest, length) = varint(rest)?;
        self.smallest = unzigzag(smallest);
        self.widths = self.position + length;
        self.next_part = 0;
        let end = self.widths.checked_add(self.parts);
        let end = end.filter(|&end| end <= bytes.len());
        self.position = end.ok_or_else(Fault::too_short)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sums_of_differences() {
        // Blocks of 128 in four parts; 7, 5, 3, 1, 2, 3: the smallest difference is -2, the others lie 0 or 3 above.
        let mut bytes = vec![0x80, 1, 4, 6, 14, 3, 2, 0, 9, 0];
        bytes.extend([0b1100_0000, 0b11, 0, 0, 0, 0, 0, 0]);
        let mut delta = Delta::new(&bytes, 0).unwrap();
        let numbers: Vec<i64> = (0..6).map(|_| delta.next(&bytes).unwrap()).collect();
        assert_eq!(numbers, [7, 5, 3, 1, 2, 3]);
        assert_eq!(delta.position(), bytes.len());
        assert!(delta.next(&bytes).is_err());
    }

    #[test]
    fn headers_that_make_no_sense_are_faults() {
        let headers: [&[u8]; 5] = [
            &[],
            &[0, 0, 1, 0],
            &[0x80, 1, 3, 1, 0],
            &[4, 4, 1, 0],
            &[0x80, 1, 4],
        ];
        for header in headers {
            assert!(Delta::new(header, 0).is_err(), "{header:?}");
        }
        let wide = [8, 1, 2, 0, 0, 65, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut delta = Delta::new(&wide, 0).unwrap();
        assert_eq!(delta.next(&wide), Ok(0));
        assert!(delta.next(&wide).is_err());
    }
}
