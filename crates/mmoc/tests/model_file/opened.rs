//! A model file as parts that can be changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::{Dtype, SafeTensors, View, serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A parsed model file, which the safetensors library writes again.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) description: Value,
    pub(crate) tensors: BTreeMap<String, Tensor>,
}

#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        self.bytes.as_slice().into()
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// A tensor of `f64` values.
pub(crate) fn numbers(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor {
        dtype: Dtype::F64,
        shape: shape.to_vec(),
        bytes: values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    }
}

/// A tensor of `u32` values.
pub(crate) fn integers(values: &[u32]) -> Tensor {
    Tensor {
        dtype: Dtype::U32,
        shape: vec![values.len()],
        bytes: values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    }
}

impl Opened {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
        let description = &header.metadata().as_ref().unwrap()["mmoc"];
        let file = SafeTensors::deserialize(bytes).unwrap();
        let tensors = file.tensors().into_iter().map(|(name, view)| {
            let tensor = Tensor {
                dtype: view.dtype(),
                shape: view.shape().to_vec(),
                bytes: view.data().to_vec(),
            };
            (name, tensor)
        });
        Self {
            description: serde_json::from_str(description).unwrap(),
            tensors: tensors.collect(),
        }
    }

    /// The file with the digest of its changed bytes.
    pub(crate) fn sealed(&self) -> Vec<u8> {
        let words = HashMap::from([("mmoc".to_owned(), self.description.to_string())]);
        let mut bytes = serialize(&self.tensors, Some(words)).unwrap();
        let end = bytes.len() - 32;
        let digest = Sha256::digest(&bytes[..end]);
        bytes[end..].copy_from_slice(&digest);
        bytes
    }

    pub(crate) fn tensor(&mut self, name: &str) -> &mut Tensor {
        self.tensors.get_mut(name).unwrap()
    }

    pub(crate) fn put(&mut self, name: &str, tensor: Tensor) {
        self.tensors.insert(name.into(), tensor);
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.tensors.remove(name).unwrap();
    }

    pub(crate) fn set(&mut self, name: &str, place: usize, value: f64) {
        self.tensor(name).bytes[8 * place..][..8].copy_from_slice(&value.to_le_bytes());
    }
}
