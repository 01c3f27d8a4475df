//! Files that are damaged or lie about themselves.

use std::path::Path;

use super::{message, read_bytes};

fn fixtures() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/parquet");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    files.map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn every_truncation_is_an_error() {
    for file in fixtures() {
        for length in (0..file.len()).step_by(7) {
            assert!(read_bytes(&file[..length], "mood_*").is_err(), "{length}");
        }
    }
}

/// Bytes that turn small numbers into large ones, negative ones, other kinds, or nothing.
const BYTES: [u8; 5] = [0x00, 0xFF, 0x7F, 0x80, 0x1C];

#[test]
fn a_changed_byte_anywhere_does_no_harm() {
    for file in fixtures() {
        let mut changed = file.clone();
        for place in 0..file.len() {
            changed[place] = BYTES[place % BYTES.len()];
            let _ = read_bytes(&changed, "mood_*");
            changed[place] = file[place];
        }
    }
}

/// A column by the number of its storage type, and what its text is said to be.
#[derive(Clone, Copy)]
enum Kind {
    Numbers = 5,
    Words = 6,
}

/// A file of one column, and one of booleans that is the label, both in the page `page`.
fn file_of(kind: Kind, codec: u8, rows: &[u8], page: &[u8], values: &[u8]) -> Vec<u8> {
    let start = 4_u8;
    let size = varint(page.len() * 2);
    let mut bytes = b"PAR1".to_vec();
    bytes.extend_from_slice(page);
    let chunk = |kind: u8, name: u8| {
        let mut chunk = vec![
            0x26,
            0,
            0x1C,
            0x15,
            kind * 2,
            0x19,
            0x15,
            0,
            0x19,
            0x18,
            1,
            name,
        ];
        chunk.extend([0x15, codec * 2, 0x16]);
        chunk.extend_from_slice(values);
        chunk.push(0x16);
        chunk.extend_from_slice(&size);
        chunk.push(0x16);
        chunk.extend_from_slice(&size);
        chunk.extend([0x26, start * 2, 0, 0]);
        chunk
    };
    let mut metadata = vec![0x15, 2, 0x19, 0x3C];
    metadata.extend([0x48, 1, b's', 0x15, 4, 0]);
    metadata.extend([0x15, kind as u8 * 2, 0x25, 0, 0x18, 1, b'a']);
    if matches!(kind, Kind::Words) {
        metadata.extend([0x25, 0]);
    }
    metadata.push(0);
    metadata.extend([0x15, 0, 0x25, 0, 0x18, 1, b'l', 0]);
    metadata.push(0x16);
    metadata.extend_from_slice(rows);
    metadata.extend([0x19, 0x1C, 0x19, 0x2C]);
    metadata.extend(chunk(kind as u8, b'a'));
    metadata.extend(chunk(0, b'l'));
    metadata.push(0x16);
    metadata.extend_from_slice(&size);
    metadata.push(0x16);
    metadata.extend_from_slice(rows);
    metadata.extend([0, 0]);
    bytes.extend_from_slice(&metadata);
    bytes.extend_from_slice(&u32::try_from(metadata.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(b"PAR1");
    bytes
}

fn file(rows: &[u8], page: &[u8], values: &[u8]) -> Vec<u8> {
    file_of(Kind::Numbers, 0, rows, page, values)
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A page of some cells in an encoding, which declares the size `plain` after decompression.
fn page_of(plain: &[u8], encoding: u8, cells: u8, stored: &[u8]) -> Vec<u8> {
    let mut page = vec![0x15, 0, 0x15];
    page.extend_from_slice(plain);
    page.push(0x15);
    page.extend(varint(stored.len() * 2));
    page.extend([
        0x2C,
        0x15,
        cells * 2,
        0x15,
        encoding * 2,
        0x15,
        6,
        0x15,
        6,
        0,
        0,
    ]);
    page.extend_from_slice(stored);
    page
}

/// A page of plain cells without compression.
fn page(cells: u8, values: &[u8]) -> Vec<u8> {
    page_of(&varint(values.len() * 2), 0, cells, values)
}

#[test]
fn the_smallest_file_is_read() {
    let page = page(1, &1_f64.to_le_bytes());
    let dataset = read_bytes(&file(&[2], &page, &[2]), "l").unwrap();
    assert_eq!(super::cells(&dataset), [[Some(1.0)]]);
    assert_eq!(dataset.labels().row(0), [0; 0]);
}

#[test]
fn sizes_that_are_declared_take_no_memory() {
    let many = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F];
    let one = 1_f64.to_le_bytes();
    let good = page(1, &one);
    let huge_page = page_of(&[0xFE, 0xFF, 0xFF, 0xFF, 0x0F], 0, 1, &one);
    let cases = [
        (
            file(&many, &good, &many),
            "f: expected at most 268435456 cells",
        ),
        (file(&many, &good, &[2]), "another number of cells in 'a'"),
        (
            file(&[2], &huge_page, &[2]),
            "pages of at most 268435456 bytes",
        ),
        (
            file(&[2], &page(9, &one), &[2]),
            "more cells than there are rows",
        ),
        (
            file(&[2], &page(1, &one[..7]), &[2]),
            "expected intact data",
        ),
        (file(&[6], &good, &[6]), "fewer cells than rows"),
        (file(&[1], &good, &[1]), "expected intact data"),
    ];
    for (bytes, expected) in cases {
        let message = message(&bytes);
        assert!(message.contains(expected), "{message}");
    }
}

/// Deflate cannot become more than 1032 times as long, so that a page of up to 254 KiB is harmless.
#[test]
fn a_page_that_holds_more_than_it_declares_is_not_unpacked() {
    let zeros = std::io::Read::take(std::io::repeat(0), 300 << 20);
    let mut zeros = std::io::BufReader::new(zeros);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut zeros, &mut gzip).unwrap();
    let bomb = page_of(&[16], 0, 1, &gzip.finish().unwrap());
    let message = message(&file_of(Kind::Numbers, 2, &[2], &bomb, &[2]));
    let expected = "expected intact data, found a page that holds more than it declares";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn words_that_are_declared_take_no_memory() {
    let lengths = [0x80, 1, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0];
    let repeated = [
        &[0x80, 1, 4, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xF][..],
        &[0x80, 1, 4, 1, 0],
    ];
    let cases = [
        (6, lengths.to_vec(), "at most 33554432 words in a page"),
        (7, lengths.to_vec(), "at most 33554432 words in a page"),
        (
            7,
            repeated.concat(),
            "at most 268435456 bytes of words in a page",
        ),
    ];
    for (encoding, values, expected) in cases {
        let page = page_of(&varint(values.len() * 2), encoding, 1, &values);
        let message = message(&file_of(Kind::Words, 0, &[2], &page, &[2]));
        assert!(message.contains(expected), "{message}");
    }
}
