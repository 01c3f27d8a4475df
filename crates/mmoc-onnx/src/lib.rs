//! Models of [`mmoc`] as ONNX graphs, for runtimes that know nothing of mmoc.
//!
//! ```no_run
//! let model = mmoc::Model::load("songs.mmoc")?;
//! mmoc_onnx::save(&model, "songs.onnx")?;
//! # Ok::<(), mmoc_onnx::Error>(())
//! ```
//!
//! The graph takes the columns of the schema, unscaled, in double precision, with NaN for missing cells. It gives the label
//! sets, label probabilities and confidence of [`Model::predict`]. `docs/onnx.md` says what is exported and how closely
//! the numbers agree.
//!
//! | file | what it is |
//! |---|---|
//! | `messages`, `document` | the file: protobuf messages, inputs and outputs, metadata |
//! | `graph`, `operators` | the graph under construction, and the operators that it uses |
//! | `preprocessing`, `outputs` | from features to the outputs of a model |
//! | `evidence`, `label_sets`, `posterior` | the terms, the candidates, and what follows from them |
//! | `expected_f1`, `quadrature` | the decision for F1 |
//! | `decoders` | methods without a posterior |
//! | `logistic`, `prediction` | what all of them share |
//! | `error` | what is refused |

#![forbid(unsafe_code)]

mod decoders;
mod document;
mod error;
mod evidence;
mod expected_f1;
mod graph;
mod label_sets;
mod logistic;
mod messages;
mod operators;
mod outputs;
mod posterior;
mod prediction;
mod preprocessing;
mod quadrature;

use std::io::Write;
use std::path::Path;

use mmoc::Model;
use mmoc::decode::Decoder;
use mmoc::whole_file::replace_file;

pub use error::{Error, ExportRemedy, Result};

use crate::document::Door;
use crate::graph::{Graph, Value};
use crate::messages::ElementType;
use crate::prediction::Predicted;

/// The name of the input.
const FEATURES: &str = "features";

/// Writes a model as an ONNX file, completely or not at all.
pub fn save(model: &Model, path: impl AsRef<Path>) -> Result<()> {
    let bytes = to_bytes(model)?;
    Ok(replace_file(path, |out| out.write_all(&bytes))?)
}

/// The bytes of the ONNX file of a model.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let mut graph = Graph::default();
    let predicted = predicted(&mut graph, model)?;
    let outputs = connected(&mut graph, &predicted, model.predictor().labels());
    let input = Door {
        name: FEATURES,
        element: ElementType::Double,
        columns: Some(model.schema().columns()),
        what: "unscaled features, NaN where missing",
    };
    document::bytes(model, graph, &input, &outputs)
}

/// The prediction of a model.
fn predicted(graph: &mut Graph, model: &Model) -> Result<Predicted> {
    let features = graph.input(FEATURES);
    let x = preprocessing::scaled(graph, model.preprocessing(), features);
    let outputs = outputs::outputs(graph, model.predictor(), x);
    let mut guard = preprocessing::guard(graph, x);
    if let Some(outputs) = outputs {
        let own = preprocessing::guard(graph, outputs);
        guard = graph.add(guard, own);
    }
    let predicted = decoded(graph, model.predictor().decoder(), outputs, guard)?;
    Ok(predicted.guarded(graph, guard))
}

/// What a decoder makes of the outputs of a model. `zeros` is n×1.
fn decoded(
    graph: &mut Graph,
    decoder: &Decoder,
    outputs: Option<Value>,
    zeros: Value,
) -> Result<Predicted> {
    let numbers = outputs.unwrap_or(zeros);
    Ok(match decoder {
        Decoder::Posterior(posterior) => posterior::decode(graph, posterior, outputs, zeros)?,
        Decoder::Joint(joint) => decoders::joint(graph, joint, outputs, zeros)?,
        Decoder::LogOdds(_) => decoders::independent_labels(graph, numbers),
        Decoder::BackProjection(own) => decoders::back_projection(graph, own, numbers),
        Decoder::Votes(votes) => decoders::votes(graph, votes, decoder.labels(), numbers),
        Decoder::Network(network) => decoders::network(graph, network, numbers),
        Decoder::CoSaMp(_) | Decoder::L1(_) => return Err(Error::Decoder(decoder.name())),
    })
}

/// Connects a prediction with the outputs of the graph.
fn connected(graph: &mut Graph, predicted: &Predicted, labels: usize) -> Vec<Door> {
    let (integers, numbers, of_labels) = (ElementType::Int64, ElementType::Double, Some(labels));
    let all = [
        (
            "labels",
            integers,
            of_labels,
            Some(predicted.labels),
            "label sets as zeros and ones",
        ),
        (
            "probabilities",
            numbers,
            of_labels,
            predicted.probabilities,
            "of each label",
        ),
        (
            "scores",
            numbers,
            of_labels,
            predicted.scores,
            "of each label, higher if likelier",
        ),
        (
            "confidence",
            numbers,
            None,
            predicted.confidence,
            "that the whole set is right",
        ),
    ];
    let present = all
        .into_iter()
        .filter_map(|(name, element, columns, value, what)| {
            graph.output(name, value?);
            Some(Door {
                name,
                element,
                columns,
                what,
            })
        });
    present.collect()
}
