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

/// A file of one column of booleans that is the label, and one of numbers, both in the page `page`.
fn file(rows: &[u8], page: &[u8], values: &[u8]) -> Vec<u8> {
    let start = 4_u8;
    let size = u8::try_from(page.len()).unwrap();
    let mut bytes = b"PAR1".to_vec();
    bytes.extend_from_slice(page);
    let chunk = |kind: u8| {
        let mut chunk = vec![0x26, 0, 0x1C, 0x15, kind * 2, 0x15 + 0x20, 0, 0x16];
        chunk.extend_from_slice(values);
        chunk.extend([0x26, size * 2, 0x26, start * 2, 0, 0]);
        chunk
    };
    let mut metadata = vec![0x29, 0x3C];
    metadata.extend([0x48, 1, b's', 0x15, 4, 0]);
    metadata.extend([0x15, 10, 0x25, 0, 0x18, 1, b'a', 0]);
    metadata.extend([0x15, 0, 0x25, 0, 0x18, 1, b'l', 0]);
    metadata.push(0x16);
    metadata.extend_from_slice(rows);
    metadata.extend([0x19, 0x1C, 0x19, 0x2C]);
    metadata.extend(chunk(5));
    metadata.extend(chunk(0));
    metadata.push(0x26);
    metadata.extend_from_slice(rows);
    metadata.extend([0, 0]);
    bytes.extend_from_slice(&metadata);
    bytes.extend_from_slice(&u32::try_from(metadata.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(b"PAR1");
    bytes
}

/// A page of plain cells without compression.
fn page(size: &[u8], cells: u8, values: &[u8]) -> Vec<u8> {
    let mut page = vec![0x15, 0, 0x15];
    page.extend_from_slice(size);
    page.push(0x15);
    page.extend_from_slice(size);
    page.extend([0x2C, 0x15, cells * 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0]);
    page.extend_from_slice(values);
    page
}

#[test]
fn the_smallest_file_is_read() {
    let page = page(&[16], 1, &1_f64.to_le_bytes());
    let dataset = read_bytes(&file(&[2], &page, &[2]), "l").unwrap();
    assert_eq!(super::cells(&dataset), [[Some(1.0)]]);
    assert_eq!(dataset.labels().row(0), [0; 0]);
}

#[test]
fn sizes_that_are_declared_take_no_memory() {
    let many = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F];
    let one = 1_f64.to_le_bytes();
    let good = page(&[16], 1, &one);
    let huge_page = page(&[0xFE, 0xFF, 0xFF, 0xFF, 0x0F], 1, &one);
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
            file(&[2], &page(&[16], 9, &one), &[2]),
            "more cells than there are rows",
        ),
        (file(&[2], &page(&[14], 1, &one), &[2]), "its end too early"),
        (file(&[6], &good, &[6]), "fewer cells than rows"),
        (file(&[1], &good, &[1]), "a negative count"),
    ];
    for (bytes, expected) in cases {
        let message = message(&bytes);
        assert!(message.contains(expected), "{message}");
    }
}
