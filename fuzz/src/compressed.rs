//! Compressed data is read as the same data without its compression would be.

use std::io::{Cursor, Read, Write};

use bzip2::read::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use mmoc::data::Dataset;
use mmoc_io::{Format, LabelSource, MissingCells};

use super::readers::{check_error, read_with};

/// What expands beyond this is read, but not compared.
const LARGEST: u64 = 1 << 20;

/// A table. The first byte says what follows: 0 a compressed one, 1 and 2 one to be compressed first.
pub fn compressed(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, stream)) => check_stream(stream),
        Some((1, table)) => check_same(&gzip(table), table),
        Some((2, table)) => check_same(&bzip2(table), table),
        _ => (),
    }
}

/// Bytes that claim to be compressed: if they are, they are read as what they expand to.
fn check_stream(stream: &[u8]) {
    let expanded = match stream {
        [0x1F, 0x8B, ..] => expand(MultiGzDecoder::new(Cursor::new(stream))),
        [b'B', b'Z', b'h', ..] => expand(MultiBzDecoder::new(Cursor::new(stream))),
        _ => return,
    };
    match expanded {
        Some(table) => check_same(stream, &table),
        None => drop(read(stream).map_err(|error| check_error(&error))),
    }
}

/// All that a stream expands to, if that is not too much and the stream intact.
fn expand(stream: impl Read) -> Option<Vec<u8>> {
    let mut expanded = Vec::new();
    let length = stream.take(LARGEST).read_to_end(&mut expanded).ok()?;
    (length as u64 != LARGEST).then_some(expanded)
}

fn check_same(stream: &[u8], table: &[u8]) {
    if table.starts_with(&[0x1F, 0x8B]) || table.starts_with(b"BZh") {
        // Only the outer compression is taken off.
        return;
    }
    match (read(stream), read(table)) {
        (Ok(from_stream), Ok(from_table)) => assert_eq!(from_stream, from_table),
        (Err(from_stream), Err(from_table)) => {
            check_error(&from_stream);
            assert_eq!(from_stream.to_string(), from_table.to_string());
        }
        (from_stream, from_table) => panic!("{from_stream:?} is not {from_table:?}"),
    }
}

fn read(bytes: &[u8]) -> mmoc_io::Result<Dataset> {
    read_with(
        bytes,
        Format::Csv,
        &LabelSource::Last(1),
        MissingCells::Refuse,
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("a vector takes all");
    encoder.finish().expect("a vector takes all")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("a vector takes all");
    encoder.finish().expect("a vector takes all")
}
