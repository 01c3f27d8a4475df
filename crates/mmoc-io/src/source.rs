//! Where bytes come from: a file or a stream, decompressed on the way.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::expansion::{self, Counted, Limited};
use crate::TextPlace;
use crate::{Error, Result};

/// Enough of the beginning to recognise a compressed stream.
const HEAD: usize = 10;

/// So many bytes are held in memory at once.
const BUFFER: usize = 1 << 17;

const GZIP: &[u8] = &[0x1F, 0x8B];
const BZIP2: &[u8] = b"BZh";

/// Bytes, of which some are in memory already.
type Buffered<'a> = BufReader<Box<dyn Read + 'a>>;

/// An opened input with the name that messages give it.
pub(super) struct Source<'a> {
    /// The file, as the user named it.
    pub(super) name: String,
    /// The decompressed bytes.
    pub(super) reader: Buffered<'a>,
    /// The file's path, if it is one: other files may lie beside it.
    pub(super) path: Option<PathBuf>,
    compression: Option<Compression>,
}

impl Source<'static> {
    /// Opens a file.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let opened = File::open(path).and_then(Compression::strip);
        let (compression, reader) = opened.map_err(|source| Error::io(path.to_owned(), source))?;
        Ok(Self {
            name: path.display().to_string(),
            reader,
            path: Some(path.to_owned()),
            compression,
        })
    }
}

impl<'a> Source<'a> {
    /// Reads from a stream that messages call `name`.
    pub(super) fn new(name: &str, stream: impl Read + 'a) -> Result<Self> {
        let (compression, reader) =
            Compression::strip(stream).map_err(|source| Error::io(name, source))?;
        Ok(Self {
            name: name.to_owned(),
            reader,
            path: None,
            compression,
        })
    }

    /// The path of a file that is not compressed.
    #[cfg(feature = "parquet")]
    pub(super) fn plain_file(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.compression.is_none())
    }

    /// What a failed read says: of bad compressed data where it happened, otherwise what the
    /// system said.
    pub(super) fn failure(&self, error: io::Error, place: TextPlace) -> Error {
        match self.compression {
            Some(compression) if error.raw_os_error().is_none() => {
                if error.kind() == io::ErrorKind::FileTooLarge {
                    return place.error(&self.name, expansion::expected(), "more");
                }
                let expected = format!("intact {compression} data");
                let found = match error.kind() {
                    io::ErrorKind::UnexpectedEof => "its end too early".to_owned(),
                    _ => format!("damage ({error})"),
                };
                place.error(&self.name, expected, found)
            }
            _ => Error::io(&self.name, error),
        }
    }
}

/// Whether a stream that begins with these bytes would be decompressed.
pub fn is_compressed(head: &[u8]) -> bool {
    Compression::of(&head[..head.len().min(HEAD)]).is_some()
}

/// The ways of compression that are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    Gzip,
    Bzip2,
}

impl Compression {
    /// Recognises a compressed stream by its first bytes, whatever the file is called.
    fn of(head: &[u8]) -> Option<Self> {
        // After "BZh" and a digit a stream begins with the digits of π, or of √π if it is empty;
        // the first three letters alone could begin the header of a table.
        const BLOCK: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
        const EMPTY: &[u8] = &[0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
        match head {
            _ if head.starts_with(GZIP) => Some(Self::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if rest == BLOCK || rest == EMPTY => {
                Some(Self::Bzip2)
            }
            _ => None,
        }
    }

    /// The stream without its compression, which may be made of several parts.
    fn strip<'a>(mut stream: impl Read + 'a) -> io::Result<(Option<Self>, Buffered<'a>)> {
        let head = read_head(&mut stream)?;
        let compression = Self::of(&head);
        let whole = Cursor::new(head).chain(stream);
        let Some(compression) = compression else {
            return Ok((None, BufReader::with_capacity(BUFFER, Box::new(whole))));
        };
        let (whole, taken) = Counted::new(BufReader::with_capacity(BUFFER, whole));
        let decoder: Box<dyn Read + 'a> = match compression {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(whole)),
        };
        let limited: Box<dyn Read + 'a> = Box::new(Limited::new(decoder, taken));
        let limited = BufReader::with_capacity(BUFFER, limited);
        Ok((Some(compression), limited))
    }
}

/// The first bytes of a stream, as many as it takes to see whether it is compressed: whoever sends one short row and
/// waits for the answer sends no more.
fn read_head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while may_be_compressed(&head) {
        let wanted = (HEAD - head.len()) as u64;
        let mut part = [0; HEAD];
        match stream.take(wanted).read(&mut part) {
            Ok(0) => break,
            Ok(count) => head.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    Ok(head)
}

/// Whether more bytes could show that a stream is compressed.
fn may_be_compressed(head: &[u8]) -> bool {
    let is_begun = |magic: &[u8]| head.iter().zip(magic).all(|(found, known)| found == known);
    (head.len() < GZIP.len() && is_begun(GZIP)) || (head.len() < HEAD && is_begun(BZIP2))
}

impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn contents(bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut source = Source::new("f", bytes).unwrap();
        source.reader.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn compressed_streams_are_recognised_by_their_bytes() {
        assert_eq!(contents(b"plain"), "plain");
        assert_eq!(contents(&gzip(b"zipped")), "zipped");
        assert_eq!(contents(&bzip2(b"zipped")), "zipped");
        assert_eq!(contents(&bzip2(b"")), "");
    }

    #[test]
    fn a_table_may_begin_with_the_letters_of_bzip2() {
        assert_eq!(contents(b"BZh9,BZh1415926\n"), "BZh9,BZh1415926\n");
    }

    /// Gives a byte at a time, and must not be asked for more than it has.
    struct Drop(Vec<u8>);

    impl Read for Drop {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer[0] = self
                .0
                .pop()
                .expect("nothing is asked for that is not needed");
            Ok(1)
        }
    }

    #[test]
    fn no_more_is_awaited_than_shows_that_nothing_is_compressed() {
        for head in ["a", "Ba", "BZa", "\u{1F}a"] {
            let mut stream = Drop(head.bytes().rev().collect());
            assert_eq!(read_head(&mut stream).unwrap(), head.as_bytes());
        }
    }

    #[test]
    fn streams_of_several_parts_are_read_to_the_end() {
        let parts = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(contents(&parts), "one two");
        let parts = [bzip2(b"one "), bzip2(b"two")].concat();
        assert_eq!(contents(&parts), "one two");
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = Source::open(Path::new("no/such/file")).err().unwrap();
        assert!(error.to_string().starts_with("no/such/file: "), "{error}");
    }
}
