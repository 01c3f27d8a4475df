//! From a body to features.

use std::borrow::Cow;
use std::collections::HashSet;

use bytes::Bytes;
use mmoc::data::{Features, Matrix, Schema};
use mmoc::text::excerpt;
use mmoc_io::{MemoryColumn, MemoryTable, Unknown};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::{OutputRequest, Tensors};
use super::datatype::{Datatype, words};
use super::flatten::{Element, elements};
use crate::models::Served;
use crate::protocol::object::Object;
use crate::protocol::{Asked, Options, Shown, check_rows, read_json, whole};
use crate::refusal::Refusal;

/// The tensor of all columns.
pub(super) const FEATURES: &str = "features";

/// A request of the Open Inference Protocol.
pub(crate) struct InferCall {
    pub(crate) body: Bytes,
    /// The bytes of the body that are JSON, if others follow.
    pub(crate) header_length: Option<usize>,
}

#[derive(Deserialize)]
struct Request<'a> {
    id: Option<String>,
    #[serde(default)]
    parameters: Object<Parameters>,
    #[serde(borrow)]
    inputs: Vec<Object<Input<'a>>>,
    outputs: Option<Vec<Object<OutputRequest>>>,
}

/// Clients send others too, which mean nothing here.
#[derive(Deserialize, Default)]
struct Parameters {
    decide: Option<String>,
    #[serde(default, deserialize_with = "whole::optional")]
    sets: Option<usize>,
    #[serde(default)]
    binary_data_output: bool,
}

#[derive(Deserialize)]
struct Input<'a> {
    name: String,
    #[serde(deserialize_with = "whole::list")]
    shape: Vec<usize>,
    datatype: String,
    #[serde(default)]
    parameters: Object<InputParameters>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct InputParameters {
    #[serde(default, deserialize_with = "whole::optional")]
    binary_data_size: Option<usize>,
}

/// A tensor that was read.
struct Tensor {
    name: String,
    shape: Vec<usize>,
    values: Values,
}

enum Values {
    /// Missing ones are NaN.
    Numbers(Vec<f64>),
    Words(Vec<Option<String>>),
}

impl InferCall {
    pub(crate) fn parse(&self, served: &Served, most: usize) -> Result<Asked, Refusal> {
        let (json, mut rest) = self.parts()?;
        let request: Request<'_> = read_json(json)?;
        let Object(parameters) = request.parameters;
        let options = Options {
            decide: parameters.decide,
            sets: parameters.sets,
            probabilities: None,
            explain: None,
        };
        let question = options.question(served)?;
        let read = |Object(input): &Object<Input<'_>>| input.read(&mut rest);
        let tensors: Vec<Tensor> = request.inputs.iter().map(read).collect::<Result<_, _>>()?;
        if !rest.is_empty() {
            let message = format!("{} bytes follow the last tensor", rest.len());
            return Err(Refusal::malformed(message));
        }
        let binary = parameters.binary_data_output;
        Ok(Asked {
            features: features(tensors, served.model.schema(), most)?,
            question,
            shown: Shown::Tensors(Tensors::of(
                served,
                request.id,
                request.outputs,
                binary,
                question,
            )?),
        })
    }

    /// The JSON of the body, and the bytes of tensors.
    fn parts(&self) -> Result<(&[u8], &[u8]), Refusal> {
        let length = self.header_length.unwrap_or(self.body.len());
        let parts = self.body.split_at_checked(length);
        parts.ok_or_else(|| {
            let found = self.body.len();
            let message = format!(
                "Inference-Header-Content-Length is {length}, and the body has {found} bytes"
            );
            Refusal::malformed(message)
        })
    }
}

impl Input<'_> {
    /// Its elements, from JSON or from the next bytes.
    fn read(&self, rest: &mut &[u8]) -> Result<Tensor, Refusal> {
        let datatype = Datatype::of(&self.datatype)?;
        let values = match (self.parameters.0.binary_data_size, self.data) {
            (Some(size), None) => {
                let bytes = rest.split_off(..size).ok_or_else(|| {
                    let message = format!("binary_data_size is {size}, and fewer bytes follow");
                    self.malformed(&message)
                })?;
                of_bytes(datatype, bytes)?
            }
            (None, Some(data)) => self.of_json(datatype, data.get())?,
            (Some(_), Some(_)) => {
                return Err(self.unusable("expected data or binary_data_size, not both"));
            }
            (None, None) => return Err(self.malformed("expected data or binary_data_size")),
        };
        let size = self
            .shape
            .iter()
            .try_fold(1usize, |size, &next| size.checked_mul(next));
        let found = values.len();
        if size != Some(found) {
            let message = format!("the shape {:?} does not have {found} elements", self.shape);
            return Err(self.unusable(&message));
        }
        Ok(Tensor {
            name: self.name.clone(),
            shape: self.shape.clone(),
            values,
        })
    }

    fn of_json(&self, datatype: Datatype, data: &str) -> Result<Values, Refusal> {
        let elements = elements(data, &self.shape);
        let elements = elements.map_err(|error| self.unusable(&format!("data: {error}")))?;
        if datatype == Datatype::Bytes {
            let word = |element| match element {
                Element::Word(word) => Ok(Some(word)),
                Element::Missing => Ok(None),
                Element::Number(_) => Err(self.unusable("expected strings for BYTES")),
            };
            let words = elements.into_iter().map(word).collect::<Result<_, _>>()?;
            return Ok(Values::Words(words));
        }
        let number = |element| {
            let number = match element {
                Element::Number(number) => number,
                Element::Missing => f64::NAN,
                Element::Word(_) => return Err(self.unusable("expected numbers, found a string")),
            };
            if datatype.holds(number) {
                return Ok(number);
            }
            let message = format!("expected numbers of {}, found {number}", self.datatype);
            Err(self.unusable(&message))
        };
        let numbers = elements.into_iter().map(number).collect::<Result<_, _>>()?;
        Ok(Values::Numbers(numbers))
    }

    fn malformed(&self, message: &str) -> Refusal {
        Refusal::malformed(format!("input {}: {message}", excerpt(&self.name)))
    }

    fn unusable(&self, message: &str) -> Refusal {
        Refusal::unusable(format!("input {}: {message}", excerpt(&self.name)))
    }
}

fn of_bytes(datatype: Datatype, bytes: &[u8]) -> Result<Values, Refusal> {
    match datatype {
        Datatype::Bytes => Ok(Values::Words(words(bytes)?)),
        _ => Ok(Values::Numbers(datatype.numbers(bytes)?)),
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Words(words) => words.len(),
        }
    }
}

/// All columns in one tensor, or a tensor for each feature.
fn features(mut tensors: Vec<Tensor>, schema: &Schema, most: usize) -> Result<Features, Refusal> {
    let is_whole = |tensor: &Tensor| tensor.name == FEATURES && tensor.shape.len() == 2;
    if let [only] = &tensors[..]
        && is_whole(only)
        && (schema.columns() > 1 || only.shape[1] != 1 || schema.feature_names() != [FEATURES])
    {
        return whole(tensors.remove(0), schema, most);
    }
    by_column(tensors, schema, most)
}

fn whole(tensor: Tensor, schema: &Schema, most: usize) -> Result<Features, Refusal> {
    let (rows, columns) = (tensor.shape[0], tensor.shape[1]);
    if columns != schema.columns() {
        let expected = schema.columns();
        let message = format!(
            "input '{FEATURES}': expected the shape [n, {expected}], found [{rows}, {columns}]"
        );
        return Err(Refusal::unusable(message));
    }
    check_rows(rows, most)?;
    let Values::Numbers(numbers) = tensor.values else {
        return Err(Refusal::unusable(format!(
            "input '{FEATURES}': expected numbers, found BYTES"
        )));
    };
    if numbers.iter().any(|number| number.is_infinite()) {
        return Err(Refusal::unusable(format!(
            "input '{FEATURES}': expected finite numbers"
        )));
    }
    let matrix = Matrix::new(rows, columns, numbers)?;
    Ok(if schema.is_sparse() {
        Features::Sparse((&matrix).into())
    } else {
        Features::Dense(matrix)
    })
}

fn by_column(tensors: Vec<Tensor>, schema: &Schema, most: usize) -> Result<Features, Refusal> {
    check_all_are_there(&tensors, schema)?;
    let column = |tensor: Tensor| {
        match tensor.shape[..] {
            [rows] | [rows, 1] => check_rows(rows, most)?,
            _ => {
                let message = format!(
                    "input {}: expected the shape [n] or [n, 1]",
                    excerpt(&tensor.name)
                );
                return Err(Refusal::unusable(message));
            }
        }
        let cells = match tensor.values {
            Values::Numbers(numbers) => MemoryColumn::Numbers(numbers.into()),
            Values::Words(words) => {
                MemoryColumn::Words(words.into_iter().map(|word| word.map(Cow::Owned)).collect())
            }
        };
        Ok((tensor.name, cells))
    };
    let columns = tensors.into_iter().map(column).collect::<Result<_, _>>()?;
    let table = MemoryTable::new("inputs", columns)?;
    let (features, _) = table.matched(schema, Unknown::Ignore)?;
    Ok(features)
}

fn check_all_are_there(tensors: &[Tensor], schema: &Schema) -> Result<(), Refusal> {
    let names: HashSet<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let mut attributes = schema.attributes().iter().map(mmoc::data::Attribute::name);
    match attributes.find(|name| !names.contains(name)) {
        None => Ok(()),
        Some(absent) => Err(Refusal::unusable(format!(
            "expected an input '{FEATURES}' with {} columns, or an input for each feature: there is none for {}",
            schema.columns(),
            excerpt(absent)
        ))),
    }
}
