//! The header of a safetensors file: which tensors there are, and where.
//!
//! ```text
//! {"__metadata__":{"mmoc":"…"},"NAME":{"dtype":"F64","shape":[p,m],"data_offsets":[begin,end]},…}
//! ```
//!
//! Offsets count from the end of the header. Tensors lie one after the other without gaps, numbers by name and the
//! digest of the file, `sha256`, last.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::refusal::Refusal;
use super::tensors::KNOWN;

/// The longest header that tools for safetensors take.
pub(super) const LONGEST_HEADER: u64 = 100_000_000;
/// The key of a model's description, and of everything else that is said in words.
const DESCRIPTION: &str = "mmoc";
const METADATA: &str = "__metadata__";
/// The name of the last tensor, the digest of all bytes before it.
pub(super) const DIGEST: &str = "sha256";
/// Bytes of the digest.
pub(super) const DIGEST_BYTES: u64 = 32;

/// What is in a file, in the order of its bytes.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    /// The description of the model in JSON.
    pub(super) description: String,
    /// The tensors of numbers.
    pub(super) tensors: Vec<Place>,
}

/// A tensor of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    /// How many numbers it has: the product of its shape.
    pub(super) count: usize,
}

/// A tensor as the header has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Layout {
    /// Bytes of all numbers and the digest.
    pub(super) fn data_bytes(&self) -> u64 {
        let numbers: u64 = self.tensors.iter().map(|place| place.count as u64).sum();
        8 * numbers + DIGEST_BYTES
    }

    /// The header, filled with spaces to a multiple of eight bytes so that numbers are aligned.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("names and numbers can be written as JSON");
        bytes.resize(bytes.len().next_multiple_of(8), b' ');
        bytes
    }

    /// Reads a header: tensors that this program knows, one after the other, the digest last. The description is
    /// checked before them: those of a later version need not be known.
    pub(super) fn parse(
        bytes: &[u8],
        check: impl FnOnce(&str) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        let mut raw: Raw = serde_json::from_slice(bytes).map_err(|error| {
            Refusal::damaged("the header of a safetensors file", error.to_string())
        })?;
        let description = raw.description()?;
        check(&description)?;
        let mut entries = raw.entries;
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
            tensors.push(entry.place(name)?);
        }
        match entries.last() {
            Some((name, _)) if name == DIGEST => {
                tensors.pop();
                Ok(Self {
                    description,
                    tensors,
                })
            }
            last => Err(Refusal::not_a_model(
                format!("the tensor '{DIGEST}' at the end"),
                last.map_or("none".into(), |(name, _)| format!("'{name}'")),
            )),
        }
    }
}

impl Entry {
    fn place(&self, name: &str) -> Result<Place, Refusal> {
        let (dtype, width) = match name {
            DIGEST => ("U8", 1),
            _ if KNOWN.contains(&name) => ("F64", 8),
            _ => {
                let expected = format!("tensors among {}", KNOWN.join(", "));
                return Err(Refusal::not_a_model(expected, format!("'{name}'")));
            }
        };
        if self.dtype != dtype {
            let expected = format!("'{name}' to be {dtype}");
            return Err(Refusal::not_a_model(expected, self.dtype.clone()));
        }
        if name == DIGEST && self.shape != [32] {
            let expected = format!("'{name}' of shape [32]");
            return Err(Refusal::not_a_model(expected, format!("{:?}", self.shape)));
        }
        let product = |count: usize, size: &usize| count.checked_mul(*size);
        let count = self.shape.iter().try_fold(1, product);
        let bytes = count.and_then(|count| (count as u64).checked_mul(width));
        let [begin, end] = self.data_offsets;
        match count.filter(|_| bytes == Some(end - begin)) {
            Some(count) => Ok(Place {
                name: name.to_owned(),
                shape: self.shape.clone(),
                count,
            }),
            None => Err(Refusal::damaged(
                format!("'{name}' to have the bytes of its shape {:?}", self.shape),
                (end - begin).to_string(),
            )),
        }
    }
}

impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.tensors.len() + 2))?;
        map.serialize_entry(
            METADATA,
            &BTreeMap::from([(DESCRIPTION, &self.description)]),
        )?;
        let mut begin = 0;
        let mut entry = |name: &str, dtype: &str, shape: &[usize], bytes: u64| {
            let data_offsets = [begin, begin + bytes];
            begin += bytes;
            map.serialize_entry(
                name,
                &Entry {
                    dtype: dtype.into(),
                    shape: shape.to_vec(),
                    data_offsets,
                },
            )
        };
        for place in &self.tensors {
            entry(&place.name, "F64", &place.shape, 8 * place.count as u64)?;
        }
        entry(DIGEST, "U8", &[32], DIGEST_BYTES)?;
        map.end()
    }
}

/// A header before its parts are looked at.
struct Raw {
    metadata: BTreeMap<String, String>,
    entries: Vec<(String, Entry)>,
}

impl Raw {
    /// What is said of a model, if nothing else is said.
    fn description(&mut self) -> Result<String, Refusal> {
        let own = self.metadata.remove(DESCRIPTION);
        match (own, self.metadata.keys().next()) {
            (Some(own), None) => Ok(own),
            (_, other) => Err(Refusal::not_a_model(
                "the description of a model and nothing else",
                other.map_or("none".into(), |key| format!("'{key}'")),
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with a tensor for each name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let (mut metadata, mut entries) = (BTreeMap::new(), Vec::new());
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(de::Error::custom(format!("'{name}' twice")));
            }
            if name == METADATA {
                metadata = map.next_value()?;
            } else {
                entries.push((name, map.next_value()?));
            }
        }
        Ok(Raw { metadata, entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str, shape: &[usize]) -> Place {
        Place {
            name: name.into(),
            shape: shape.to_vec(),
            count: shape.iter().product(),
        }
    }

    fn example() -> Layout {
        Layout {
            description: "{\"a\": \"é\\n\"}".into(),
            tensors: vec![
                place("code.origin", &[3]),
                place("code.projections", &[3, 0]),
                place("outputs.coefficients", &[2, 2]),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_and_the_description_comes_first() {
        let bytes = example().to_bytes();
        assert_eq!(bytes.len() % 8, 0);
        assert!(bytes.starts_with(super::super::BEGINNING));
        assert_eq!(Layout::parse(&bytes, |_| Ok(())).unwrap(), example());
        assert_eq!(example().data_bytes(), 7 * 8 + 32);
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
            ("\"dtype\":\"F64\"", "\"dtype\":\"F32\"", "to be F64"),
            ("code.origin", "code.another", "tensors among"),
            ("code.origin", "code.projections", "twice"),
            ("sha256", "sha512", "tensors among"),
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
