//! An ONNX file: the graph with its inputs and outputs, and what is said about it.

use std::io::{self, Write};

use mmoc::Model;
use mmoc::posterior::Posterior;
use prost::Message;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::graph::{Graph, dimension};
use crate::messages::{
    DimensionProto, ElementType, GraphProto, ModelProto, OperatorSetIdProto,
    StringStringEntryProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

/// The operator set: the first in which all operators have the form that they are used in.
const OPERATOR_SET: i64 = 13;
/// The version of the file format that came with it.
const IR_VERSION: i64 = 7;
/// Bytes that a protobuf message may have.
const MOST_BYTES: usize = i32::MAX as usize;

/// A tensor at the door of a graph: its name, element type, columns if it has any, and what it is.
pub(crate) struct Door {
    pub(crate) name: &'static str,
    pub(crate) element: ElementType,
    pub(crate) columns: Option<usize>,
    pub(crate) what: &'static str,
}

impl Door {
    fn proto(&self) -> ValueInfoProto {
        let rows = DimensionProto {
            dim_param: Some("rows".into()),
            dim_value: None,
        };
        let columns = self.columns.map(|columns| DimensionProto {
            dim_param: None,
            dim_value: Some(dimension(columns)),
        });
        let shape = TensorShapeProto {
            dim: std::iter::once(rows).chain(columns).collect(),
        };
        let tensor_type = TensorTypeProto {
            elem_type: Some(self.element.number()),
            shape: Some(shape),
        };
        ValueInfoProto {
            name: Some(self.name.into()),
            r#type: Some(TypeProto {
                tensor_type: Some(tensor_type),
            }),
            doc_string: Some(self.what.into()),
        }
    }
}

/// The bytes of the file.
pub(crate) fn bytes(
    model: &Model,
    graph: Graph,
    input: &Door,
    outputs: &[Door],
) -> Result<Vec<u8>> {
    let (node, initializer) = graph.into_parts();
    let file = ModelProto {
        ir_version: Some(IR_VERSION),
        producer_name: Some("mmoc".into()),
        producer_version: Some(env!("CARGO_PKG_VERSION").into()),
        doc_string: Some("Multi-label classification by mmoc".into()),
        graph: Some(GraphProto {
            node,
            name: Some(model.params().method.name().into()),
            initializer,
            input: vec![input.proto()],
            output: outputs.iter().map(Door::proto).collect(),
        }),
        opset_import: vec![OperatorSetIdProto {
            domain: Some(String::new()),
            version: Some(OPERATOR_SET),
        }],
        metadata_props: metadata(model)?,
    };
    let bytes = file.encoded_len();
    check_size(bytes)?;
    Ok(file.encode_to_vec())
}

fn check_size(bytes: usize) -> Result<()> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::TooLarge {
        bytes,
        most: MOST_BYTES,
    })
}

/// What is said about a model, by name.
fn metadata(model: &Model) -> Result<Vec<StringStringEntryProto>> {
    let list = |names: &[String]| serde_json::Value::from(names).to_string();
    let schema = model.schema();
    let decision = model.predictor().posterior().map(Posterior::decision);
    let mut entries = vec![
        ("mmoc.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("mmoc.method", model.params().method.name().to_owned()),
        ("mmoc.labels", list(schema.label_names())),
        ("mmoc.columns", list(schema.feature_names())),
        ("mmoc.model_sha256", digest(model)?),
    ];
    if let Ok(decision) = decision {
        entries.push(("mmoc.decide", decision.to_string()));
    }
    let entry = |(key, value): (&str, String)| StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value),
    };
    Ok(entries.into_iter().map(entry).collect())
}

/// The SHA-256 of the model file, as `sha256sum` prints it.
fn digest(model: &Model) -> Result<String> {
    let mut hashed = Hashed(Sha256::new());
    model.write(&mut hashed)?;
    let bytes = hashed.0.finalize();
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Ok(digits.collect::<Vec<_>>().concat())
}

/// Bytes of which only the digest is kept.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_up_to_the_limit_of_protobuf_are_written_and_larger_ones_refused() {
        assert!(check_size(MOST_BYTES).is_ok());
        let message = check_size(MOST_BYTES + 1).unwrap_err().to_string();
        let expected = "the ONNX file would have 2147483648 bytes, and protobuf allows 2147483647";
        assert_eq!(message, expected);
    }
}
