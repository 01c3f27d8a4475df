//! Writing the bytes of a model file and their digest.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::layout::{LONGEST_HEADER, Layout};
use super::parts;
use super::tensors::TensorWriter;
use crate::{Error, Model, Result};

/// Numbers that are turned into bytes at a time.
const NUMBERS: usize = 1 << 12;

/// A model that can be written: its header, and its tensors, which the model owns.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    header: Vec<u8>,
    tensors: TensorWriter<'a>,
}

impl<'a> Prepared<'a> {
    /// The model; fails if it cannot be written.
    pub(super) fn new(model: &'a Model) -> Result<Self> {
        let (header, tensors) = parts::take_apart(model);
        Self::of_parts(header.to_json(), tensors)
    }

    /// Fails if a number is not finite or the header is longer than readers take.
    pub(super) fn of_parts(description: String, tensors: TensorWriter<'a>) -> Result<Self> {
        let mut numbers = tensors.all_numbers().flatten();
        if numbers.any(|value| !value.is_finite()) {
            return Err(Error::Dataset {
                expected: "a model of finite numbers".into(),
                found: "NaN or infinite values".into(),
            });
        }
        drop(numbers);
        let layout = Layout {
            description,
            tensors: tensors.places(),
        };
        let header = layout.to_bytes();
        if header.len() as u64 > LONGEST_HEADER {
            return Err(Error::Dataset {
                expected: format!("names of at most {LONGEST_HEADER} bytes in all"),
                found: format!("a header of {} bytes", header.len()),
            });
        }
        Ok(Self { header, tensors })
    }

    /// Writes length, header and numbers, and at the end the digest of all of them.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut sealed = Sealing {
            out,
            hash: Sha256::new(),
            bytes: Vec::with_capacity(8 * NUMBERS),
        };
        sealed.write(&(self.header.len() as u64).to_le_bytes())?;
        sealed.write(&self.header)?;
        for values in self.tensors.all_numbers() {
            sealed.write_numbers(values, f64::to_le_bytes)?;
        }
        for values in self.tensors.all_integers() {
            sealed.write_numbers(values, u32::to_le_bytes)?;
        }
        sealed.finish()
    }
}

/// Writes and hashes.
struct Sealing<'a, W> {
    out: &'a mut W,
    hash: Sha256,
    /// The bytes of some numbers.
    bytes: Vec<u8>,
}

impl<W: Write> Sealing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.out.write_all(bytes)
    }

    fn write_numbers<T: Copy, const WIDTH: usize>(
        &mut self,
        values: &[T],
        to_bytes: fn(T) -> [u8; WIDTH],
    ) -> io::Result<()> {
        for some in values.chunks(NUMBERS) {
            self.bytes.clear();
            self.bytes
                .extend(some.iter().flat_map(|value| to_bytes(*value)));
            self.hash.update(&self.bytes);
            self.out.write_all(&self.bytes)?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.hash.finalize())?;
        self.out.flush()
    }
}
