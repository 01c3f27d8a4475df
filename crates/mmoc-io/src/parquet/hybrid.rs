//! Runs of equal numbers and packed numbers in turn: how definition levels and places in a dictionary are
//! written.
//!
//! A run begins with a number h. If h is even, the next ⌈width/8⌉ bytes are a number that is repeated h/2
//! times; if it is odd, (h−1)/2 groups of eight packed numbers follow.

use super::bits::packed;
use super::fault::{Fault, Found};
use super::thrift::varint;

/// The place in such a sequence. The bytes are given to each call, so that a page owns them.
#[derive(Debug)]
pub(super) struct Hybrid {
    position: usize,
    end: usize,
    width: usize,
    run: Run,
}

#[derive(Debug)]
enum Run {
    Repeated { value: u32, left: u64 },
    Packed { bit: usize, left: u64 },
}

impl Hybrid {
    /// The numbers of `width` bits in the bytes from `start` to `end`.
    pub(super) fn new(start: usize, end: usize, width: usize) -> Found<Self> {
        if width > 32 {
            return Err(Fault::damaged("numbers of more than 32 bits"));
        }
        Ok(Self {
            position: start,
            end,
            width,
            run: Run::Repeated { value: 0, left: 0 },
        })
    }

    /// The next number.
    pub(super) fn next(&mut self, bytes: &[u8]) -> Found<u32> {
        loop {
            match &mut self.run {
                Run::Repeated { value, left } if *left > 0 => {
                    *left -= 1;
                    return Ok(*value);
                }
                Run::Packed { bit, left } if *left > 0 => {
                    *left -= 1;
                    let value = packed(&bytes[..self.end], *bit, self.width)?;
                    *bit += self.width;
                    return Ok(value as u32);
                }
                _ => self.next_run(bytes)?,
            }
        }
    }

    fn next_run(&mut self, bytes: &[u8]) -> Found<()> {
        let rest = bytes.get(self.position..self.end).unwrap_or_default();
        let (header, length) = varint(rest)?;
        self.position += length;
        if header & 1 == 0 {
            let value = packed(
                &bytes[..self.end],
                self.position * 8,
                self.width.next_multiple_of(8),
            )?;
            self.position += self.width.div_ceil(8);
            self.run = Run::Repeated {
                value: value as u32,
                left: header >> 1,
            };
        } else {
            let size = usize::try_from(header >> 1).ok();
            let size = size.and_then(|groups| groups.checked_mul(self.width));
            self.run = Run::Packed {
                bit: self.position * 8,
                left: (header >> 1).saturating_mul(8),
            };
            self.position = self.position.saturating_add(size.unwrap_or(usize::MAX));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], width: usize, count: usize) -> Found<Vec<u32>> {
        let mut hybrid = Hybrid::new(0, bytes.len(), width)?;
        (0..count).map(|_| hybrid.next(bytes)).collect()
    }

    #[test]
    fn runs_and_packed_groups_follow_each_other() {
        // Three fives, the numbers from 0 to 7 packed, an empty run, one six; each of three bits.
        let bytes = [6, 5, 3, 0x88, 0xC6, 0xFA, 0, 1, 2, 6];
        let expected = [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 6];
        assert_eq!(read(&bytes, 3, 12).unwrap(), expected);
        assert_eq!(read(&bytes, 3, 13), Err(Fault::too_short()));
    }

    #[test]
    fn numbers_of_no_bits_are_zero() {
        assert_eq!(read(&[6, 3], 0, 11).unwrap(), [0; 11]);
    }

    #[test]
    fn a_run_that_is_longer_than_the_bytes_is_a_fault_where_they_end() {
        let endless = [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0xAA,
        ];
        assert_eq!(read(&endless, 4, 2).unwrap(), [10, 10]);
        assert!(read(&endless, 4, 3).is_err());
        assert!(read(&[], 1, 1).is_err());
        assert!(read(&[4], 8, 1).is_err());
    }
}
