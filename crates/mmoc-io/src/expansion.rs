//! A limit to what a small compressed file can become.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// So many bytes may come out of any compressed file.
const FREE: u64 = 1 << 28;
/// More may come out of a file only up to so many for each byte that went in. Data shrinks to a third or a tenth, tables
/// that are almost all zeros to a hundredth; what is made to fill the memory, to a thousandth and less.
const FACTOR: u64 = 200;

/// A stream that counts its bytes as they are taken.
pub(super) struct Counted<R> {
    stream: R,
    taken: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    /// The stream and its counter.
    pub(super) fn new(stream: R) -> (Self, Rc<Cell<u64>>) {
        let taken = Rc::new(Cell::new(0));
        let counted = Self {
            stream,
            taken: Rc::clone(&taken),
        };
        (counted, taken)
    }

    fn add(&self, count: usize) {
        self.taken.set(self.taken.get() + count as u64);
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.add(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.stream.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.stream.consume(count);
        self.add(count);
    }
}

/// Decompressed bytes, which end in an error of the kind `FileTooLarge` where they become too many.
pub(super) struct Limited<R> {
    decoder: R,
    made: u64,
    taken: Rc<Cell<u64>>,
    free: u64,
}

impl<R> Limited<R> {
    /// What a decoder makes of a stream whose bytes are counted.
    pub(super) fn new(decoder: R, taken: Rc<Cell<u64>>) -> Self {
        Self {
            decoder,
            made: 0,
            taken,
            free: FREE,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.made += count as u64;
        if self.made > self.free && self.made / FACTOR > self.taken.get() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

/// What a compressed file must be, for messages.
pub(super) fn expected() -> String {
    format!(
        "at most {FREE} bytes, or {FACTOR} for each compressed one (decompress the file first if it is right)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes come out where `taken` went in.
    fn length(bytes: usize, free: u64, taken: u64) -> io::Result<usize> {
        let zeros = vec![0; bytes];
        let mut limited = Limited::new(zeros.as_slice(), Rc::new(Cell::new(taken)));
        limited.free = free;
        io::copy(&mut limited, &mut io::sink()).map(|count| count as usize)
    }

    #[test]
    fn few_bytes_may_become_anything_and_many_only_so_many_times_more() {
        assert_eq!(length(1000, 1000, 0).unwrap(), 1000);
        assert_eq!(length(1999, 10, 9).unwrap(), 1999);
        for (bytes, free, taken) in [(1001, 1000, 0), (2000, 10, 9)] {
            let error = length(bytes, free, taken).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
    }

    #[test]
    fn bytes_are_counted_when_they_are_taken() {
        let (mut counted, taken) = Counted::new(&b"abcdef"[..]);
        counted.fill_buf().unwrap();
        assert_eq!(taken.get(), 0);
        counted.consume(2);
        counted.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(taken.get(), 5);
    }
}
