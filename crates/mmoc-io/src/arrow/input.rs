//! Bytes that can be read at any place, by several threads.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::fault::Fault;
use crate::Result;
use crate::TextPlace;
use crate::source::Source;

/// More than this is not read into memory from a stream: a file on disk has no such limit.
const LARGEST_STREAM: u64 = 1 << 30;

/// A file on disk, or a stream that was read into memory because its end must be read first.
pub(super) enum Input {
    File { file: Mutex<File>, size: u64 },
    Memory(Bytes),
}

impl Input {
    /// The bytes of a source, decompressed.
    pub(super) fn new(source: &mut Source<'_>) -> Result<Self> {
        if let Some(input) = source.plain_file().and_then(Self::on_disk) {
            return Ok(input);
        }
        Self::in_memory(source, LARGEST_STREAM)
    }

    /// A file that can be read at any place, as pipes and devices cannot.
    fn on_disk(path: &std::path::Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Self::File {
            file: Mutex::new(file),
            size: metadata.len(),
        })
    }

    fn in_memory(source: &mut Source<'_>, largest: u64) -> Result<Self> {
        let mut bytes = Vec::new();
        let read = (&mut source.reader)
            .take(largest + 1)
            .read_to_end(&mut bytes);
        if let Err(error) = read {
            return Err(source.failure(error, TextPlace::START));
        }
        if bytes.len() as u64 > largest {
            let expected = format!(
                "at most {largest} bytes from a stream or compressed (a plain file may be larger)"
            );
            return Err(Fault::new(expected, "more").at(&source.name, None, None));
        }
        Ok(Self::Memory(bytes.into()))
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for Input {
    type T = bytes::buf::Reader<Bytes>;

    /// Everything from `start` on; only the metadata at the end of a file are read so.
    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let length = self.len().saturating_sub(start);
        Ok(self.get_bytes(start, length as usize)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("its end too early".into()));
        }
        match self {
            Self::File { file, .. } => {
                let mut file = file
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let mut bytes = vec![0; length];
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes.into())
            }
            Self::Memory(bytes) => Ok(bytes.slice(start as usize..start as usize + length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_too_long_is_refused() {
        let mut source = Source::new("s", &b"12345"[..]).unwrap();
        assert_eq!(Input::in_memory(&mut source, 5).unwrap().len(), 5);
        let mut source = Source::new("s", &b"123456"[..]).unwrap();
        let message = Input::in_memory(&mut source, 5).err().unwrap().to_string();
        assert!(
            message.starts_with("s: expected at most 5 bytes"),
            "{message}"
        );
    }

    #[test]
    fn bytes_outside_of_the_input_are_an_error() {
        let input = Input::Memory(vec![1, 2, 3].into());
        assert_eq!(input.get_bytes(1, 2).unwrap(), [2, 3].as_slice());
        for (start, length) in [(1, 3), (4, 0), (u64::MAX, 1)] {
            assert!(input.get_bytes(start, length).is_err());
        }
    }
}
