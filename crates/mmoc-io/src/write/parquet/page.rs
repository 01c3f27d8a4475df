//! The pages of a column.

use super::thrift::{Writer, push_varint};

/// A page as it stands in the file.
pub(super) struct Page {
    /// The header and the compressed cells.
    pub(super) bytes: Vec<u8>,
    /// What these would take without compression.
    pub(super) plain_size: u64,
}

/// Numbers, with a level for each cell where some may be missing.
pub(super) fn numbers(values: &[f64], optional: bool) -> Page {
    let mut bytes = Vec::with_capacity(values.len() * 8 + 16);
    if optional {
        push_levels(&mut bytes, values);
    }
    let present = values.iter().filter(|value| !value.is_nan());
    present.for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    finish(&bytes, values.len())
}

/// Booleans, eight to a byte.
pub(super) fn flags(values: &[bool]) -> Page {
    let pack = |eight: &[bool]| {
        let bits = eight.iter().enumerate();
        bits.fold(0, |byte, (place, &bit)| byte | u8::from(bit) << place)
    };
    let bytes: Vec<u8> = values.chunks(8).map(pack).collect();
    finish(&bytes, values.len())
}

/// For each cell whether it is there, in runs, with the length of all before them.
fn push_levels(bytes: &mut Vec<u8>, values: &[f64]) {
    let mut levels = Vec::new();
    for run in values.chunk_by(|a, b| a.is_nan() == b.is_nan()) {
        push_varint(&mut levels, (run.len() as u64) << 1);
        levels.push(u8::from(!run[0].is_nan()));
    }
    bytes.extend_from_slice(&(levels.len() as u32).to_le_bytes());
    bytes.append(&mut levels);
}

fn finish(plain: &[u8], cells: usize) -> Page {
    let compressed = snap::raw::Encoder::new()
        .compress_vec(plain)
        .expect("a page is far smaller than snappy's limit of 4 GiB");
    let mut header = Writer::default();
    header.element(|header| {
        header.int32(1, 0);
        header.int32(2, plain.len());
        header.int32(3, compressed.len());
        header.structure(5, |data| {
            data.int32(1, cells);
            data.int32(2, super::PLAIN);
            data.int32(3, super::RUNS);
            data.int32(4, super::RUNS);
        });
    });
    let mut bytes = header.into_bytes();
    let plain_size = (bytes.len() + plain.len()) as u64;
    bytes.extend_from_slice(&compressed);
    Page { bytes, plain_size }
}
