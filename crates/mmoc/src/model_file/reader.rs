//! Reading the bytes of a model file: hashed and counted; declared sizes are never trusted.

use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

use super::layout::{DIGEST_BYTES, Kind, LONGEST_HEADER, Layout, TensorPlace};
use super::refusal::Refusal;
use super::tensors::{TensorReader, Values};
use crate::{Error, Result};

/// Bytes that are read and hashed at a time.
const PIECE: usize = 1 << 15;

/// A stream of bytes that may be a model.
#[derive(Debug)]
pub(super) struct Source<R> {
    stream: R,
    file: String,
    /// How many bytes there are, where that is known.
    bytes: Option<u64>,
    hash: Sha256,
    piece: Vec<u8>,
}

impl<R: Read> Source<R> {
    /// The bytes of a file of known or unknown length.
    pub(super) fn new(stream: R, file: &str, bytes: Option<u64>) -> Self {
        Self {
            stream,
            file: file.to_owned(),
            bytes,
            hash: Sha256::new(),
            piece: vec![0; PIECE],
        }
    }

    /// Why this file is not a model that can be used.
    pub(super) fn refuse(&self, refusal: Refusal) -> Error {
        refusal.of(&self.file)
    }

    /// The header, without the eight bytes that say how long it is.
    pub(super) fn header(&mut self) -> Result<Vec<u8>> {
        let mut length = Vec::new();
        self.read_to(8, |bytes| length.extend_from_slice(bytes))?;
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes were read"));
        if length > LONGEST_HEADER {
            // A file that is no model may have any bytes in the place of the header's length.
            let found = "something else";
            return Err(self.refuse(Refusal::not_a_model("a model", found)));
        }
        self.check_length(8 + length, false)?;
        let mut header = Vec::new();
        self.read_to(length, |bytes| header.extend_from_slice(bytes))?;
        if !header.starts_with(b"{") {
            let found = "something else";
            return Err(self.refuse(Refusal::not_a_model("a model", found)));
        }
        let header_end = 8 + length;
        self.bytes = self.bytes.map(|bytes| bytes - header_end);
        Ok(header)
    }

    /// All numbers, if nothing but their digest follows and it is right.
    pub(super) fn tensors(&mut self, layout: &Layout) -> Result<TensorReader> {
        self.check_length(layout.data_bytes(), true)?;
        let mut tensors = TensorReader::default();
        for place in &layout.tensors {
            let values = match place.kind {
                Kind::Numbers => Values::Numbers(self.numbers(place, f64::from_le_bytes)?),
                Kind::Integers => Values::Integers(self.numbers(place, u32::from_le_bytes)?),
            };
            tensors.insert(place, values);
        }
        let computed = self.hash.clone().finalize();
        let mut stored = Vec::new();
        self.read_to(DIGEST_BYTES, |bytes| stored.extend_from_slice(bytes))?;
        self.check_end()?;
        if stored != computed[..] {
            let expected = "the bytes that were written, by their SHA-256";
            return Err(self.refuse(Refusal::damaged(expected, "others")));
        }
        Ok(tensors)
    }

    /// The numbers of a tensor. Memory is taken at once only where so many bytes are known to be there.
    fn numbers<T, const WIDTH: usize>(
        &mut self,
        place: &TensorPlace,
        number: fn([u8; WIDTH]) -> T,
    ) -> Result<Vec<T>> {
        let mut values = match self.bytes {
            Some(_) => Vec::with_capacity(place.count),
            None => Vec::new(),
        };
        self.read_to(place.bytes(), |bytes| {
            let (numbers, _) = bytes.as_chunks::<WIDTH>();
            values.extend(numbers.iter().map(|bytes| number(*bytes)));
        })?;
        Ok(values)
    }

    /// Fails if the file is known to be shorter, or with `exactly` longer, than so many bytes more.
    fn check_length(&self, needed: u64, exactly: bool) -> Result<()> {
        match self.bytes {
            Some(bytes) if bytes < needed => Err(self.too_short(needed - bytes)),
            Some(bytes) if exactly && bytes > needed => Err(self.too_long()),
            _ => Ok(()),
        }
    }

    fn too_short(&self, missing: u64) -> Error {
        let found = format!("an end {missing} bytes too early");
        self.refuse(Refusal::damaged("a whole file", found))
    }

    fn too_long(&self) -> Error {
        let found = "more bytes after its end";
        self.refuse(Refusal::damaged("a model alone", found))
    }

    fn check_end(&mut self) -> Result<()> {
        match read_some(&mut self.stream, &mut self.piece[..1]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.too_long()),
            Err(source) => Err(self.failed(source)),
        }
    }

    /// Hands on exactly so many bytes, in pieces of a multiple of eight but for the last.
    fn read_to(&mut self, count: u64, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut left = count;
        while left > 0 {
            let size = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            let mut filled = 0;
            while filled < size {
                match read_some(&mut self.stream, &mut self.piece[filled..size]) {
                    Ok(0) => return Err(self.too_short(left - filled as u64)),
                    Ok(more) => filled += more,
                    Err(source) => return Err(self.failed(source)),
                }
            }
            self.hash.update(&self.piece[..size]);
            take(&self.piece[..size]);
            left -= size as u64;
        }
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Io {
            path: self.file.clone().into(),
            source,
        }
    }
}

/// Reads into a buffer as much as there is, whatever interrupts.
fn read_some(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
