//! The types of tensors.

use mmoc::text::excerpt;

use crate::refusal::Refusal;

/// The type of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Datatype {
    Bool,
    Uint(u32),
    Int(u32),
    Float(u32),
    Bytes,
}

impl Datatype {
    pub(super) fn of(name: &str) -> Result<Self, Refusal> {
        Ok(match name {
            "BOOL" => Self::Bool,
            "UINT8" => Self::Uint(8),
            "UINT16" => Self::Uint(16),
            "UINT32" => Self::Uint(32),
            "UINT64" => Self::Uint(64),
            "INT8" => Self::Int(8),
            "INT16" => Self::Int(16),
            "INT32" => Self::Int(32),
            "INT64" => Self::Int(64),
            "FP32" => Self::Float(32),
            "FP64" => Self::Float(64),
            "BYTES" => Self::Bytes,
            _ => {
                let expected = "BOOL, UINT8 to UINT64, INT8 to INT64, FP32, FP64 or BYTES";
                let message = format!("the datatype must be {expected}, not {}", excerpt(name));
                return Err(Refusal::unusable(message));
            }
        })
    }

    /// Bytes of an element; those of words vary.
    fn width(self) -> Option<usize> {
        match self {
            Self::Bool => Some(1),
            Self::Uint(bits) | Self::Int(bits) | Self::Float(bits) => Some(bits as usize / 8),
            Self::Bytes => None,
        }
    }

    /// Whether a number of JSON is one of this type; a missing one is a float that is none.
    pub(super) fn holds(self, number: f64) -> bool {
        let is_within =
            |least: f64, end: f64| number.fract() == 0.0 && number >= least && number < end;
        match self {
            Self::Bool => number == 0.0 || number == 1.0,
            Self::Uint(bits) => is_within(0.0, 2f64.powi(bits.cast_signed())),
            Self::Int(bits) => {
                let end = 2f64.powi(bits.cast_signed() - 1);
                is_within(-end, end)
            }
            Self::Float(32) => number.is_nan() || (number as f32).is_finite(),
            Self::Float(_) => true,
            Self::Bytes => false,
        }
    }

    /// Little-endian elements as numbers.
    pub(super) fn numbers(self, bytes: &[u8]) -> Result<Vec<f64>, Refusal> {
        let width = self
            .width()
            .ok_or_else(|| Refusal::unusable("expected numbers, found BYTES"))?;
        if !bytes.len().is_multiple_of(width) {
            let message = format!(
                "expected a multiple of {width} bytes, found {}",
                bytes.len()
            );
            return Err(Refusal::malformed(message));
        }
        let number = |bytes: &[u8]| {
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(bytes);
            self.number(wide)
        };
        Ok(bytes.chunks_exact(width).map(number).collect())
    }

    /// An element whose bytes are followed by zeros.
    fn number(self, bytes: [u8; 8]) -> f64 {
        let unsigned = u64::from_le_bytes(bytes);
        match self {
            Self::Float(32) => f64::from(f32::from_bits(unsigned as u32)),
            Self::Float(_) => f64::from_bits(unsigned),
            Self::Int(bits) => {
                let unused = 64 - bits;
                ((unsigned << unused).cast_signed() >> unused) as f64
            }
            Self::Bool => f64::from(u8::from(unsigned != 0)),
            Self::Uint(_) | Self::Bytes => unsigned as f64,
        }
    }
}

/// Words, each after four bytes with its length.
pub(super) fn words(mut bytes: &[u8]) -> Result<Vec<Option<String>>, Refusal> {
    let mut words = Vec::new();
    while !bytes.is_empty() {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
            return Err(Refusal::malformed(
                "a length of BYTES has fewer than four bytes",
            ));
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some((word, rest)) = rest.split_at_checked(length) else {
            return Err(Refusal::malformed(
                "an element of BYTES is shorter than its length says",
            ));
        };
        let word = std::str::from_utf8(word)
            .map_err(|_| Refusal::unusable("an element of BYTES is not UTF-8"))?;
        words.push(Some(word.to_owned()));
        bytes = rest;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_the_numbers_that_they_are_in_rust() {
        let read = |name: &str, bytes: &[u8]| Datatype::of(name).unwrap().numbers(bytes).unwrap();
        assert_eq!(read("INT8", &[255, 127]), [-1.0, 127.0]);
        assert_eq!(read("UINT8", &[255]), [255.0]);
        assert_eq!(read("INT16", &(-300i16).to_le_bytes()), [-300.0]);
        assert_eq!(read("INT64", &(-5i64).to_le_bytes()), [-5.0]);
        assert_eq!(
            read("UINT32", &u32::MAX.to_le_bytes()),
            [f64::from(u32::MAX)]
        );
        assert_eq!(read("FP32", &0.1f32.to_le_bytes()), [f64::from(0.1f32)]);
        assert_eq!(read("FP64", &0.1f64.to_le_bytes()), [0.1]);
        assert_eq!(read("BOOL", &[0, 1]), [0.0, 1.0]);
        assert!(Datatype::of("FP64").unwrap().numbers(&[0; 7]).is_err());
    }

    #[test]
    fn words_must_be_as_long_as_they_say() {
        assert_eq!(
            words(b"\x02\0\0\0ab\0\0\0\0"),
            Ok(vec![Some("ab".into()), Some(String::new())])
        );
        for bad in [
            &b"\x03\0\0\0ab"[..],
            b"\x01\0\0",
            b"\xff\xff\xff\xffx",
            b"\x01\0\0\0\xff",
        ] {
            assert!(words(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn numbers_of_json_must_fit_their_type() {
        let holds = |name: &str, number| Datatype::of(name).unwrap().holds(number);
        assert!(holds("INT8", -128.0) && !holds("INT8", 128.0) && !holds("INT8", 0.5));
        assert!(holds("UINT64", 1e18) && !holds("UINT64", -1.0) && !holds("UINT64", 1e20));
        assert!(holds("FP32", f64::NAN) && !holds("FP32", 1e300) && holds("FP64", 1e300));
        assert!(!holds("INT32", f64::NAN) && !holds("BOOL", 2.0));
    }
}
