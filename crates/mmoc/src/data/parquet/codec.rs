//! How pages are compressed.

use std::fmt;
use std::io::Read;

use super::fault::{Fault, Found};

/// The ways of compression that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    None,
    Snappy,
    Gzip,
    Zstd,
    Lz4,
}

impl Codec {
    /// The way of compression of a number.
    pub(super) fn new(number: i64) -> Found<Self> {
        let unknown = match number {
            0 => return Ok(Self::None),
            1 => return Ok(Self::Snappy),
            2 => return Ok(Self::Gzip),
            6 => return Ok(Self::Zstd),
            7 => return Ok(Self::Lz4),
            3 => "LZO",
            4 => "Brotli",
            5 => "the old LZ4",
            _ => "another way of compression",
        };
        let expected = "columns compressed by snappy, zstd, gzip, lz4 or not at all";
        Err(Fault::new(expected, unknown))
    }

    /// Exactly `size` bytes; no more are ever made, whatever the compressed ones hold.
    pub(super) fn decompress(self, bytes: &[u8], size: usize) -> Found<Vec<u8>> {
        let made = match self {
            Self::None => Some(bytes.to_vec()),
            Self::Snappy => snappy(bytes, size),
            Self::Gzip => bounded(flate2::read::MultiGzDecoder::new(bytes), size),
            Self::Zstd => ruzstd::decoding::StreamingDecoder::new(bytes)
                .ok()
                .and_then(|decoder| bounded(decoder, size)),
            Self::Lz4 => lz4(bytes, size),
        };
        made.filter(|made| made.len() == size)
            .ok_or_else(|| Fault::damaged(format!("a page that is no {self} data of its size")))
    }
}

fn snappy(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let declared = snap::raw::decompress_len(bytes).ok()?;
    let mut made = vec![0; (declared == size).then_some(size)?];
    let mut decoder = snap::raw::Decoder::new();
    let count = decoder.decompress(bytes, &mut made).ok()?;
    (count == size).then_some(made)
}

fn lz4(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut made = vec![0; size];
    let count = lz4_flex::block::decompress_into(bytes, &mut made).ok()?;
    (count == size).then_some(made)
}

/// One byte more than there should be is enough to notice.
fn bounded(decoder: impl Read, size: usize) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    let most = size as u64 + 1;
    decoder.take(most).read_to_end(&mut made).ok()?;
    Some(made)
}

impl fmt::Display for Codec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "plain",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
        })
    }
}
