//! Bytes that can be read at any place.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::fault::{Fault, Found};
use crate::Result;
use crate::TextPlace;
use crate::source::Source;

/// More than this is not read into memory from a stream: a file on disk has no such limit.
const LARGEST_STREAM: u64 = 1 << 30;

/// A file on disk, or a stream that was read into memory because its end must be read first.
pub(super) enum Input {
    File { file: File, size: u64 },
    Memory(Vec<u8>),
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
        let size = metadata.len();
        Some(Self::File { file, size })
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
                "at most {largest} bytes of Parquet from a stream or compressed (a plain file may be larger)"
            );
            return Err(Fault::new(expected, "more").at(&source.name, None, None));
        }
        Ok(Self::Memory(bytes))
    }

    /// How many bytes there are.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Some bytes, which must lie within the size.
    pub(super) fn read(&self, start: u64, length: u64) -> Found<Vec<u8>> {
        let end = start.checked_add(length);
        if end.is_none_or(|end| end > self.size()) {
            return Err(Fault::too_short());
        }
        match self {
            Self::File { file, .. } => read_file(file, start, length).map_err(|error| {
                Fault::new("a file that can be read to its end", error.to_string())
            }),
            Self::Memory(bytes) => Ok(bytes[start as usize..][..length as usize].to_vec()),
        }
    }
}

fn read_file(mut file: &File, start: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_too_long_is_refused() {
        let mut source = Source::new("s", &b"12345"[..]).unwrap();
        assert_eq!(Input::in_memory(&mut source, 5).unwrap().size(), 5);
        let mut source = Source::new("s", &b"123456"[..]).unwrap();
        let message = Input::in_memory(&mut source, 5).err().unwrap().to_string();
        assert!(
            message.starts_with("s: expected at most 5 bytes"),
            "{message}"
        );
    }

    #[test]
    fn bytes_outside_of_the_input_are_a_fault() {
        let input = Input::Memory(vec![1, 2, 3]);
        assert_eq!(input.read(1, 2), Ok(vec![2, 3]));
        for (start, length) in [(1, 3), (4, 0), (u64::MAX, 1)] {
            assert_eq!(input.read(start, length), Err(Fault::too_short()));
        }
    }
}
