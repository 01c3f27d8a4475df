//! Long lists of numbers in messages: their bytes as they are in memory, instead of one value after the other.
//!
//! The processes of a cluster are of one kind of machine, so the order of bytes needs no care.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::{AnyBitPattern, NoUninit, cast_slice, pod_collect_to_vec};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers that travel as bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Bulk<T>(pub(crate) Vec<T>);

impl<T> std::ops::Deref for Bulk<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: NoUninit> Serialize for Bulk<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(cast_slice(&self.0))
    }
}

impl<'de, T: NoUninit + AnyBitPattern> Deserialize<'de> for Bulk<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes(PhantomData))
    }
}

struct Bytes<T>(PhantomData<T>);

impl<T: NoUninit + AnyBitPattern> Visitor<'_> for Bytes<T> {
    type Value = Bulk<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the bytes of numbers")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        if bytes.len().is_multiple_of(size_of::<T>()) {
            return Ok(Bulk(pod_collect_to_vec(bytes)));
        }
        Err(E::invalid_length(bytes.len(), &self))
    }
}
