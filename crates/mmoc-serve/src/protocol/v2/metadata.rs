//! What a model takes and gives.

use serde::Serialize;

use super::answer::Output;
use super::request::FEATURES;
use crate::models::Served;
use crate::reply::{Reply, json};

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    versions: [&'a str; 1],
    platform: &'static str,
    inputs: [Tensor; 1],
    outputs: Vec<Tensor>,
}

#[derive(Serialize)]
struct Tensor {
    name: &'static str,
    datatype: &'static str,
    shape: Vec<i64>,
}

/// The description of a model.
pub(crate) fn metadata(served: &Served) -> Reply {
    let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let schema = served.model.schema();
    let labels = size(schema.label_names().len());
    let output = |output: Output| Tensor {
        name: output.name(),
        datatype: output.datatype(),
        shape: match output {
            Output::Labels | Output::Probabilities => vec![-1, labels],
            Output::Confidence => vec![-1],
            Output::Sets => vec![-1, -1, labels],
            Output::SetProbabilities => vec![-1, -1],
        },
    };
    json(&Metadata {
        name: &served.name,
        versions: [&served.version],
        platform: "mmoc",
        inputs: [Tensor {
            name: FEATURES,
            datatype: "FP64",
            shape: vec![-1, size(schema.columns())],
        }],
        outputs: Output::known(served).map(output).collect(),
    })
}
