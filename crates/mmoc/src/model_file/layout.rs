//! The header of a safetensors file: which tensors there are, and where.
//!
//! ```text
//! {"__metadata__":{"mmoc":"…"},"NAME":{"dtype":"F64","shape":[p,m],"data_offsets":[begin,end]},…}
//! ```
//!
//! Offsets count from the end of the header. Tensors lie one after the other without gaps: numbers by name, then integers
//! by name, which so are aligned, and the digest of the file, `sha256`, last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;

/// The longest header that tools for safetensors take.
pub(super) const LONGEST_HEADER: u64 = 100_000_000;
/// The key of a model's description, and of everything else that is said in words.
const DESCRIPTION: &str = "mmoc";
/// The name of the last tensor, the digest of all bytes before it.
pub(super) const DIGEST: &str = "sha256";
/// Bytes of the digest.
pub(super) const DIGEST_BYTES: u64 = 32;

/// What is in a file, in the order of its bytes.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    /// The description of the model in JSON.
    pub(super) description: String,
    /// The tensors of numbers and integers.
    pub(super) tensors: Vec<TensorPlace>,
}

/// A tensor of numbers or integers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TensorPlace {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) shape: Vec<usize>,
    /// How many numbers it has: the product of its shape.
    pub(super) count: usize,
}

/// What a tensor consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 64-bit floating-point numbers.
    Numbers,
    /// 32-bit unsigned integers.
    Integers,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Numbers, Self::Integers];

    /// Its name in the header.
    pub(super) fn dtype(self) -> &'static str {
        match self {
            Self::Numbers => "F64",
            Self::Integers => "U32",
        }
    }

    /// Bytes of one of them.
    fn width(self) -> u64 {
        match self {
            Self::Numbers => 8,
            Self::Integers => 4,
        }
    }
}

impl TensorPlace {
    /// Bytes of its numbers.
    pub(super) fn bytes(&self) -> u64 {
        self.kind.width() * self.count as u64
    }
}

/// The header as it is written. A tensor that it names twice leaves a gap between the others.
#[derive(Serialize, Deserialize)]
struct RawHeader {
    #[serde(rename = "__metadata__", default)]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, RawTensor>,
}

/// A tensor as the header has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Layout {
    /// Bytes of all numbers and the digest.
    pub(super) fn data_bytes(&self) -> u64 {
        let numbers: u64 = self.tensors.iter().map(TensorPlace::bytes).sum();
        numbers + DIGEST_BYTES
    }

    /// The header, padded with spaces to a multiple of eight bytes so that numbers are aligned.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut begin = 0;
        let mut tensors = BTreeMap::new();
        let mut insert = |name: &str, dtype: &str, shape: &[usize], bytes: u64| {
            let data_offsets = [begin, begin + bytes];
            begin += bytes;
            let (dtype, shape) = (dtype.into(), shape.to_vec());
            let raw = RawTensor {
                dtype,
                shape,
                data_offsets,
            };
            tensors.insert(name.to_owned(), raw);
        };
        for place in &self.tensors {
            insert(&place.name, place.kind.dtype(), &place.shape, place.bytes());
        }
        insert(DIGEST, "U8", &[32], DIGEST_BYTES);
        let metadata = BTreeMap::from([(DESCRIPTION.to_owned(), self.description.clone())]);
        let raw = RawHeader { metadata, tensors };
        let mut bytes = serde_json::to_vec(&raw).expect("names and numbers can be written as JSON");
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        bytes
    }

    /// Reads a header: tensors one after the other, the digest last. The description is checked before the tensors,
    /// which a later version may store differently.
    pub(super) fn parse(
        bytes: &[u8],
        check: impl FnOnce(&str) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let raw: RawHeader = serde_json::from_slice(bytes).map_err(|error| {
            Refusal::damaged("the header of a safetensors file", error.to_string())
        })?;
        let description = description(raw.metadata)?;
        check(&description)?;
        let mut entries: Vec<(String, RawTensor)> = raw.tensors.into_iter().collect();
        entries.sort_by_key(|(_, entry)| entry.data_offsets);
        let mut next = 0;
        let mut tensors = Vec::with_capacity(entries.len());
        for (name, entry) in &entries {
            let [begin, end] = entry.data_offsets;
            if begin != next || end < begin {
                let expected = format!("'{name}' to begin at byte {next}");
                return Err(Refusal::damaged(expected, format!("{begin} to {end}")));
            }
            next = end;
            if name == DIGEST {
                entry.check_digest()?;
            } else {
                tensors.push(entry.place(name)?);
            }
        }
        match entries.last() {
            Some((name, _)) if name == DIGEST => Ok(Self {
                description,
                tensors,
            }),
            last => Err(Refusal::not_a_model(
                format!("the tensor '{DIGEST}' at the end"),
                last.map_or("none".into(), |(name, _)| format!("'{name}'")),
            )),
        }
    }
}

/// The description of the model, if nothing else is said.
fn description(mut metadata: BTreeMap<String, String>) -> Result<String, Refusal> {
    let own = metadata.remove(DESCRIPTION);
    match (own, metadata.keys().next()) {
        (Some(own), None) => Ok(own),
        (_, other) => Err(Refusal::not_a_model(
            "the description of a model and nothing else",
            other.map_or("none".into(), |key| format!("'{key}'")),
        )),
    }
}

impl RawTensor {
    fn place(&self, name: &str) -> Result<TensorPlace, Refusal> {
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| kind.dtype() == self.dtype);
        let kind = kind.ok_or_else(|| {
            let names = Kind::ALL.map(Kind::dtype).join(" or ");
            Refusal::not_a_model(format!("'{name}' to be {names}"), self.dtype.clone())
        })?;
        let count = self.check_bytes(name, kind.width())?;
        Ok(TensorPlace {
            name: name.to_owned(),
            kind,
            shape: self.shape.clone(),
            count,
        })
    }

    /// Fails unless this is the tensor of a digest.
    fn check_digest(&self) -> Result<(), Refusal> {
        if self.dtype != "U8" {
            let expected = format!("'{DIGEST}' to be U8");
            return Err(Refusal::not_a_model(expected, self.dtype.clone()));
        }
        if self.shape != [32] {
            let expected = format!("'{DIGEST}' of shape [32]");
            return Err(Refusal::not_a_model(expected, format!("{:?}", self.shape)));
        }
        self.check_bytes(DIGEST, 1).map(|_| ())
    }

    /// The product of the shape; fails unless so many numbers of this width fill the bytes.
    fn check_bytes(&self, name: &str, width: u64) -> Result<usize, Refusal> {
        let product = |count: usize, size: &usize| count.checked_mul(*size);
        let count = self.shape.iter().try_fold(1, product);
        let bytes = count.and_then(|count| (count as u64).checked_mul(width));
        let [begin, end] = self.data_offsets;
        count.filter(|_| bytes == Some(end - begin)).ok_or_else(|| {
            Refusal::damaged(
                format!("'{name}' to have the bytes of its shape {:?}", self.shape),
                (end - begin).to_string(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, kind: Kind, shape: &[usize]) -> TensorPlace {
        TensorPlace {
            name: name.into(),
            kind,
            shape: shape.to_vec(),
            count: shape.iter().product(),
        }
    }

    fn example() -> Layout {
        Layout {
            description: "{\"a\": \"é\\n\"}".into(),
            tensors: vec![
                place("code.origin", Kind::Numbers, &[3]),
                place("code.projections", Kind::Numbers, &[3, 0]),
                place("outputs.coefficients", Kind::Numbers, &[2, 2]),
                place("code.members", Kind::Integers, &[5]),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_and_the_description_comes_first() {
        let bytes = example().to_bytes();
        assert_eq!(bytes.len() % 8, 0);
        assert!(bytes.starts_with(super::super::BEGINNING));
        assert_eq!(Layout::parse(&bytes, |_| Ok(())).unwrap(), example());
        assert_eq!(example().data_bytes(), 7 * 8 + 5 * 4 + 32);
    }

    #[test]
    fn headers_that_do_not_fit_are_refused() {
        let text = String::from_utf8(example().to_bytes()).unwrap();
        let cases = [
            ("[0,24]", "[0,16]", "to have the bytes of its shape [3]"),
            ("[24,24]", "[32,32]", "to begin at byte 56"),
            ("[24,56]", "[24,8]", "to begin at byte 24"),
            (
                "\"shape\":[2,2]",
                "\"shape\":[9999999999,9999999999999]",
                "the bytes of its shape",
            ),
            ("\"shape\":[32]", "\"shape\":[4,8]", "of shape [32]"),
            ("\"dtype\":\"F64\"", "\"dtype\":\"F32\"", "to be F64 or U32"),
            ("\"U32\"", "\"F64\"", "to have the bytes of its shape [5]"),
            ("\"U8\"", "\"U32\"", "'sha256' to be U8"),
            ("[76,108]", "[76,104]", "the bytes of its shape [32]"),
            ("code.origin", "code.projections", "to begin at byte 0"),
            ("sha256", "sha512", "'sha512' to be F64 or U32"),
            ("\"mmoc\"", "\"pt\"", "nothing else, found 'pt'"),
            (
                "__metadata__\":{\"mmoc\":\"{\\\"a\\\": \\\"é\\\\n\\\"}\"}",
                "__metadata__\":{}",
                "nothing else, found none",
            ),
            (
                "\"shape\"",
                "\"extra\":1,\"shape\"",
                "unknown field `extra`",
            ),
        ];
        for (before, after, expected) in cases {
            assert!(text.contains(before), "{before}");
            let changed = text.replacen(before, after, 1);
            let refusal = Layout::parse(changed.as_bytes(), |_| Ok(())).unwrap_err();
            let message = refusal.of("m").to_string();
            assert!(message.contains(expected), "{before}: {message}");
        }
    }
}
