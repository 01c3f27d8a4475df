//! The numbers and integers of a model file by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::header::DecoderValues;
use super::layout::{Kind, TensorPlace};
use super::refusal::Refusal;
use crate::data::Matrix;

/// The tensors of a model that is to be written, and the values that its decoder has in the header.
#[derive(Debug, Default)]
pub(crate) struct TensorWriter<'a> {
    numbers: BTreeMap<String, (Vec<usize>, Cow<'a, [f64]>)>,
    integers: BTreeMap<String, Cow<'a, [u32]>>,
    pub(super) values: DecoderValues,
}

impl<'a> TensorWriter<'a> {
    /// A value of the decoder, in the order in which they are written.
    pub(crate) fn value(&mut self, name: &str, value: impl Into<Value>) {
        self.values.0.push((name.to_owned(), value.into()));
    }

    pub(crate) fn vector(&mut self, name: &str, values: impl Into<Cow<'a, [f64]>>) {
        let values = values.into();
        self.numbers
            .insert(name.into(), (vec![values.len()], values));
    }

    pub(crate) fn integers(&mut self, name: &str, values: impl Into<Cow<'a, [u32]>>) {
        self.integers.insert(name.into(), values.into());
    }

    pub(crate) fn matrix(&mut self, name: &str, matrix: &'a Matrix) {
        let shape = vec![matrix.rows(), matrix.columns()];
        self.numbers
            .insert(name.into(), (shape, matrix.values().into()));
    }

    /// Where the tensors lie: numbers by name, then integers by name.
    pub(super) fn places(&self) -> Vec<TensorPlace> {
        let numbers = self.numbers.iter().map(|(name, (shape, values))| {
            let shape = shape.clone();
            (name, Kind::Numbers, shape, values.len())
        });
        let integers = self.integers.iter().map(|(name, values)| {
            let count = values.len();
            (name, Kind::Integers, vec![count], count)
        });
        let place = |(name, kind, shape, count): (&String, _, _, _)| TensorPlace {
            name: name.clone(),
            kind,
            shape,
            count,
        };
        numbers.chain(integers).map(place).collect()
    }

    /// The numbers of all tensors of numbers, in the same order.
    pub(super) fn all_numbers(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.values().map(|(_, values)| values.as_ref())
    }

    /// The integers of all tensors of integers, in the same order.
    pub(super) fn all_integers(&self) -> impl Iterator<Item = &[u32]> {
        self.integers.values().map(AsRef::as_ref)
    }
}

/// The tensors of a file, to be taken one by one.
#[derive(Debug, Default)]
pub(crate) struct TensorReader(BTreeMap<String, (Vec<usize>, Values)>);

/// The numbers of a tensor.
#[derive(Debug)]
pub(super) enum Values {
    Numbers(Vec<f64>),
    Integers(Vec<u32>),
}

impl Values {
    fn kind(&self) -> Kind {
        match self {
            Self::Numbers(_) => Kind::Numbers,
            Self::Integers(_) => Kind::Integers,
        }
    }
}

impl TensorReader {
    pub(super) fn insert(&mut self, place: &TensorPlace, values: Values) {
        self.0
            .insert(place.name.clone(), (place.shape.clone(), values));
    }

    /// A tensor of any number of integers in a row.
    pub(crate) fn integers(&mut self, name: &str) -> Result<Vec<u32>, Refusal> {
        match self.take(name, &[None])? {
            (_, Values::Integers(values)) => Ok(values),
            (_, other) => Err(of_another_kind(name, Kind::Integers, &other)),
        }
    }

    /// A tensor of as many finite numbers.
    pub(crate) fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f64>, Refusal> {
        self.finite(name, &[Some(length)]).map(|(_, values)| values)
    }

    /// A tensor of any number of finite numbers in a row.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<Vec<f64>, Refusal> {
        self.finite(name, &[None]).map(|(_, values)| values)
    }

    /// A tensor of so many rows and, if it is given, columns of finite numbers.
    pub(crate) fn matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: Option<usize>,
    ) -> Result<Matrix, Refusal> {
        let (shape, values) = self.finite(name, &[Some(rows), columns])?;
        Ok(Matrix::new(shape[0], shape[1], values)?)
    }

    /// A tensor of any number of rows with so many columns of finite numbers.
    pub(crate) fn rows(&mut self, name: &str, columns: usize) -> Result<Matrix, Refusal> {
        let (shape, values) = self.finite(name, &[None, Some(columns)])?;
        Ok(Matrix::new(shape[0], shape[1], values)?)
    }

    /// Whether there is a tensor of this name that was not taken.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether there is a tensor that was not taken whose name begins like this.
    pub(crate) fn has_any(&self, start: &str) -> bool {
        self.0.keys().any(|name| name.starts_with(start))
    }

    /// Calls `change(name, shape, values)` of each tensor of numbers.
    #[cfg(test)]
    pub(crate) fn damage(
        &mut self,
        mut change: impl FnMut(&str, &mut Vec<usize>, &mut Vec<f64>),
    ) -> &mut Self {
        for (name, (shape, values)) in &mut self.0 {
            if let Values::Numbers(values) = values {
                change(name, shape, values);
            }
        }
        self
    }

    /// The same without a tensor.
    #[cfg(test)]
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// The names of all tensors.
    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// A tensor of finite numbers.
    fn finite(
        &mut self,
        name: &str,
        expected: &[Option<usize>],
    ) -> Result<(Vec<usize>, Vec<f64>), Refusal> {
        let (shape, values) = match self.take(name, expected)? {
            (shape, Values::Numbers(values)) => (shape, values),
            (_, other) => return Err(of_another_kind(name, Kind::Numbers, &other)),
        };
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            let expected = format!("finite numbers in '{name}'");
            return Err(Refusal::not_a_model(expected, value.to_string()));
        }
        Ok((shape, values))
    }

    fn take(
        &mut self,
        name: &str,
        expected: &[Option<usize>],
    ) -> Result<(Vec<usize>, Values), Refusal> {
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
        Ok((shape, values))
    }

    /// Fails if a tensor was not needed.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        match self.0.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal::not_a_model(
                "no tensors but those of the method",
                format!("'{name}'"),
            )),
        }
    }
}

fn of_another_kind(name: &str, expected: Kind, found: &Values) -> Refusal {
    let expected = format!("'{name}' to be {}", expected.dtype());
    Refusal::not_a_model(expected, found.kind().dtype())
}

/// A shape of which not all is known.
fn shown(shape: &[Option<usize>]) -> String {
    let size = |size: &Option<usize>| size.map_or("any".into(), |size| size.to_string());
    let sizes: Vec<String> = shape.iter().map(size).collect();
    format!("[{}]", sizes.join(", "))
}
