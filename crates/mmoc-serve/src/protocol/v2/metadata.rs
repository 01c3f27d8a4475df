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
    inputs: [Tensor<'a>; 1],
    outputs: Vec<Tensor<'a>>,
}

#[derive(Serialize)]
struct Tensor<'a> {
    name: &'static str,
    datatype: &'static str,
    shape: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Parameters<'a>>,
}

#[derive(Serialize)]
struct Parameters<'a> {
    /// The names of the columns in their order: a nominal column of the rows is several of the tensor.
    columns: &'a [String],
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
        parameters: None,
    };
    json(&Metadata {
        name: &served.name,
        versions: [&served.version],
        platform: "mmoc",
        inputs: [Tensor {
            name: FEATURES,
            datatype: "FP64",
            shape: vec![-1, size(schema.columns())],
            parameters: Some(Parameters {
                columns: schema.feature_names(),
            }),
        }],
        outputs: Output::known(served).map(output).collect(),
    })
}
