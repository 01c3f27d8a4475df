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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const PLAIN: &[u8] = b"na na na na na na na na na na";

    fn compressed(codec: Codec) -> Vec<u8> {
        match codec {
            Codec::None => PLAIN.to_vec(),
            Codec::Snappy => snap::raw::Encoder::new().compress_vec(PLAIN).unwrap(),
            Codec::Gzip => {
                let fast = flate2::Compression::fast();
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), fast);
                gzip.write_all(PLAIN).unwrap();
                gzip.finish().unwrap()
            }
            Codec::Zstd => {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                ruzstd::encoding::compress_to_vec(PLAIN, level)
            }
            Codec::Lz4 => lz4_flex::block::compress(PLAIN),
        }
    }

    #[test]
    fn bytes_of_the_size_declared_are_made_and_no_others() {
        for number in [0, 1, 2, 6, 7] {
            let codec = Codec::new(number).unwrap();
            let bytes = compressed(codec);
            let size = PLAIN.len();
            assert_eq!(codec.decompress(&bytes, size).unwrap(), PLAIN, "{codec}");
            for other in [0, size - 1, size + 1] {
                assert!(codec.decompress(&bytes, other).is_err(), "{codec} {other}");
            }
            assert!(codec.decompress(&bytes[1..], size).is_err(), "{codec}");
        }
    }

    #[test]
    fn a_stream_without_end_is_left_after_one_byte_too_many() {
        assert_eq!(bounded(std::io::repeat(0), 8), Some(vec![0; 9]));
    }

    #[test]
    fn other_ways_of_compression_are_refused_by_name() {
        for (number, name) in [(3, "LZO"), (4, "Brotli"), (5, "the old LZ4")] {
            let expected = "columns compressed by snappy, zstd, gzip, lz4 or not at all";
            assert_eq!(Codec::new(number), Err(Fault::new(expected, name)));
        }
    }
}
