//! The numbers of a model file by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::header::DecoderValues;
use super::layout::TensorPlace;
use super::refusal::Refusal;
use crate::data::Matrix;

/// The tensors of a model that is to be written, and the values that its decoder has in the header.
#[derive(Debug, Default)]
pub(crate) struct TensorWriter<'a> {
    tensors: BTreeMap<String, (Vec<usize>, Cow<'a, [f64]>)>,
    pub(super) values: DecoderValues,
}

impl<'a> TensorWriter<'a> {
    /// A value of the decoder, in the order in which they are written.
    pub(crate) fn value(&mut self, name: &str, value: impl Into<Value>) {
        self.values.0.push((name.to_owned(), value.into()));
    }

    pub(crate) fn vector(&mut self, name: &str, values: impl Into<Cow<'a, [f64]>>) {
        let values = values.into();
        self.tensors
            .insert(name.into(), (vec![values.len()], values));
    }

    pub(crate) fn matrix(&mut self, name: &str, matrix: &'a Matrix) {
        let shape = vec![matrix.rows(), matrix.columns()];
        self.tensors
            .insert(name.into(), (shape, matrix.values().into()));
    }

    /// Where the tensors lie, by name.
    pub(super) fn places(&self) -> Vec<TensorPlace> {
        let place =
            |(name, (shape, values)): (&String, &(Vec<usize>, Cow<'_, [f64]>))| TensorPlace {
                name: name.clone(),
                shape: shape.clone(),
                count: values.len(),
            };
        self.tensors.iter().map(place).collect()
    }

    /// The numbers of all tensors, in the same order.
    pub(super) fn values(&self) -> impl Iterator<Item = &[f64]> {
        self.tensors.values().map(|(_, values)| values.as_ref())
    }
}

/// The tensors of a file, to be taken one by one.
#[derive(Debug, Default)]
pub(crate) struct TensorReader(BTreeMap<String, (Vec<usize>, Vec<f64>)>);

impl TensorReader {
    pub(super) fn insert(&mut self, place: &TensorPlace, values: Vec<f64>) {
        self.0
            .insert(place.name.clone(), (place.shape.clone(), values));
    }

    /// A tensor of as many finite numbers.
    pub(crate) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f64>, Refusal> {
        self.take(name, &[Some(length)]).map(|(_, values)| values)
    }

    /// A tensor of any number of finite numbers in a row.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Vec<f64>, Refusal> {
        self.take(name, &[None]).map(|(_, values)| values)
    }

    /// A tensor of so many rows and, if it is given, columns of finite numbers.
    pub(crate) fn matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: Option<usize>,
    ) -> Result<Matrix, Refusal> {
        let (shape, values) = self.take(name, &[Some(rows), columns])?;
        Ok(Matrix::new(shape[0], shape[1], values)?)
    }

    fn take(
        &mut self,
        name: &str,
        expected: &[Option<usize>],
    ) -> Result<(Vec<usize>, Vec<f64>), Refusal> {
        let (shape, values) = self
            .0
            .remove(name)
            .ok_or_else(|| Refusal::not_a_model(format!("the tensor '{name}'"), "none"))?;
        let fits =
            |(found, expected): (&usize, &Option<usize>)| expected.is_none_or(|e| e == *found);
        if shape.len() != expected.len() || !shape.iter().zip(expected).all(fits) {
            let expected = format!("'{name}' of shape {}", shown(expected));
            return Err(Refusal::not_a_model(expected, format!("{shape:?}")));
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let expected = format!("finite numbers in '{name}'");
            return Err(Refusal::not_a_model(expected, value.to_string()));
        }
        Ok((shape, values))
    }

    /// Fails if a tensor was not needed.
    pub(super) fn finish(self) -> Result<(), Refusal> {
        match self.0.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal::not_a_model(
                "no tensors but those of the method",
                format!("'{name}'"),
            )),
        }
    }
}

/// A shape of which not all is known.
fn shown(shape: &[Option<usize>]) -> String {
    let size = |size: &Option<usize>| size.map_or("any".into(), |size| size.to_string());
    let sizes: Vec<String> = shape.iter().map(size).collect();
    format!("[{}]", sizes.join(", "))
}
