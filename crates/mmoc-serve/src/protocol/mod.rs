//! What requests ask and how answers are written.
//!
//! | file | what it is |
//! |---|---|
//! | `options` | what can be asked beside label sets |
//! | `explained` | why label sets are predicted |
//! | `rows` | rows by column names: JSON, CSV, JSON lines |
//! | `v2` | tensors: the Open Inference Protocol |
//! | `object`, `whole` | objects and whole numbers in JSON |
//! | `part` | the rows of one request in the answer about a batch |

mod explained;
mod object;
mod options;
mod part;
mod rows;
mod v2;
mod whole;

use bytes::Bytes;
use mmoc::Question;
use mmoc::data::Features;
use serde::Deserialize;

pub(crate) use options::Options;
pub(crate) use part::Part;
pub(crate) use rows::{RowsCall, RowsFormat};
pub(crate) use v2::{InferCall, Tensors, metadata};

use crate::models::Served;
use crate::refusal::Refusal;
use object::Object;

/// What messages call the body of a request.
const BODY: &str = "body";

/// A request for predictions, as it came.
pub(crate) enum Call {
    Rows(RowsCall),
    Infer(InferCall),
}

/// A request for predictions, parsed.
pub(crate) struct Asked {
    pub(crate) features: Features,
    pub(crate) question: Question,
    pub(crate) shown: Shown,
}

/// What an answer shows.
pub(crate) enum Shown {
    /// An object for each row.
    Rows(ShownRows),
    Tensors(Tensors),
}

/// What the object of a row shows beside the label set.
pub(crate) struct ShownRows {
    probabilities: bool,
    /// Contributions to the score of each label; 0 if there is no explanation.
    explain: usize,
    notes: Vec<String>,
}

/// An answer, written.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) body: Bytes,
    /// The bytes of the body that are JSON, if others follow.
    pub(crate) header_length: Option<usize>,
    pub(crate) rows: usize,
}

impl Call {
    /// What is asked about which rows, of which there may be a number at most.
    pub(crate) fn parse(&self, served: &Served, most: usize) -> Result<Asked, Refusal> {
        match self {
            Self::Rows(call) => call.parse(served, most),
            Self::Infer(call) => call.parse(served, most),
        }
    }
}

impl Asked {
    /// The answer, from the predictions of its rows.
    pub(crate) fn write(&self, served: &Served, part: &Part<'_>) -> Result<Answered, Refusal> {
        match &self.shown {
            Shown::Rows(shown) => rows::write(served, part, self, shown),
            Shown::Tensors(tensors) => tensors.write(served, part, self.question),
        }
    }
}

/// The object of a body in JSON. Where text is passed over, it would not be seen that it is no UTF-8, which JSON must
/// be.
fn read_json<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refusal> {
    let text = std::str::from_utf8(body);
    let text = text.map_err(|error| Refusal::malformed(format!("{BODY}: {error}")))?;
    match serde_json::from_str(text) {
        Ok(Object(request)) => Ok(request),
        Err(error) => Err(Refusal::malformed(format!("{BODY}: {}", in_json(&error)))),
    }
}

/// An error in the words of JSON, for which serde has its own.
fn in_json(error: &serde_json::Error) -> String {
    const WORDS: [(&str, &str); 3] = [
        ("invalid type: map,", "invalid type: object,"),
        ("invalid type: sequence,", "invalid type: list,"),
        ("expected a sequence", "expected a list"),
    ];
    let text = error.to_string();
    WORDS
        .iter()
        .fold(text, |text, (own, usual)| text.replacen(own, usual, 1))
}

/// Fails unless there are rows, and not too many.
fn check_rows(rows: usize, most: usize) -> Result<(), Refusal> {
    match rows {
        0 => Err(no_rows()),
        rows if rows > most => Err(too_many_rows(most)),
        _ => Ok(()),
    }
}

fn no_rows() -> Refusal {
    Refusal::unusable("expected at least one row, found none")
}

fn too_many_rows(most: usize) -> Refusal {
    let message = format!("a request may have at most {most} rows");
    Refusal::new(hyper::StatusCode::PAYLOAD_TOO_LARGE, message)
}
