//! Rows by column names: JSON, CSV and JSON lines, read as the files of `mmoc predict` are.

use bytes::Bytes;
use hyper::StatusCode;
use mmoc::data::Features;
use mmoc::posterior::LikelySet;
use mmoc_io::{Batch, Format, MissingCells, RowStream, StreamOptions, is_compressed};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::explained::{Explained, explanations};
use super::{Answered, Asked, BODY, Options, Part, Shown, ShownRows, whole};
use super::{check_rows, no_rows, read_json, too_many_rows};
use crate::models::Served;
use crate::refusal::Refusal;

/// What messages call the rows of a JSON object; the line is the number of the row.
const ROWS: &str = "rows";
/// Most rows of a request for explanations, which are many times as long as predictions.
const MOST_EXPLAINED_ROWS: usize = 100;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowsFormat {
    Json,
    Csv,
    JsonLines,
}

/// A request with rows.
pub(crate) struct RowsCall {
    pub(crate) format: RowsFormat,
    pub(crate) body: Bytes,
    /// The options of the query; those of a JSON object are in it.
    pub(crate) options: Options,
}

/// The object of a request in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow)]
    rows: Vec<&'a RawValue>,
    decide: Option<String>,
    #[serde(default, deserialize_with = "whole::optional")]
    sets: Option<usize>,
    probabilities: Option<bool>,
    #[serde(default, deserialize_with = "whole::optional")]
    explain: Option<usize>,
}

impl RowsCall {
    pub(super) fn parse(&self, served: &Served, most: usize) -> Result<Asked, Refusal> {
        match self.format {
            RowsFormat::Json => {
                let (lines, options) = self.lines(most)?;
                asked(&lines, ROWS, Format::JsonLines, &options, served, most)
            }
            RowsFormat::Csv => asked(&self.body, BODY, Format::Csv, &self.options, served, most),
            RowsFormat::JsonLines => {
                let format = Format::JsonLines;
                asked(&self.body, BODY, format, &self.options, served, most)
            }
        }
    }

    /// The rows of a JSON object as JSON lines, for which there is a reader.
    fn lines(&self, most: usize) -> Result<(Vec<u8>, Options), Refusal> {
        let request: Request<'_> = read_json(&self.body)?;
        check_rows(request.rows.len(), most)?;
        let mut lines = Vec::with_capacity(self.body.len());
        for row in request.rows {
            // Outside of strings a line end is a blank, and inside it is escaped.
            let blank = |byte| {
                if byte == b'\n' || byte == b'\r' {
                    b' '
                } else {
                    byte
                }
            };
            lines.extend(row.get().bytes().map(blank));
            lines.push(b'\n');
        }
        let options = Options {
            decide: request.decide.or_else(|| self.options.decide.clone()),
            sets: request.sets.or(self.options.sets),
            probabilities: request.probabilities.or(self.options.probabilities),
            explain: request.explain.or(self.options.explain),
        };
        Ok((lines, options))
    }
}

/// Reads rows in a format.
fn asked(
    bytes: &[u8],
    name: &str,
    format: Format,
    options: &Options,
    served: &Served,
    most: usize,
) -> Result<Asked, Refusal> {
    let question = options.question(served)?;
    if bytes.trim_ascii().is_empty() {
        return Err(no_rows());
    }
    check_is_plain(bytes)?;
    let reading = StreamOptions {
        format: Some(format),
        missing: MissingCells::Cells,
        batch_rows: most,
        ..StreamOptions::default()
    };
    let mut stream = RowStream::from_reader(bytes, name, served.model.schema(), &reading)?;
    let explain = options.explain.unwrap_or(0);
    let most = if explain > 0 {
        most.min(MOST_EXPLAINED_ROWS)
    } else {
        most
    };
    let features = only_batch(&mut stream, most)?;
    check_rows(features.view().rows(), most)?;
    Ok(Asked {
        features,
        question,
        shown: Shown::Rows(ShownRows {
            probabilities: options.probabilities.unwrap_or(false),
            explain,
            notes: stream.notes().iter().map(ToString::to_string).collect(),
        }),
    })
}

/// Compressed rows would be larger than the limit that a body has.
fn check_is_plain(bytes: &[u8]) -> Result<(), Refusal> {
    if is_compressed(bytes) {
        let message = "the body must not be compressed";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(())
}

fn only_batch(stream: &mut RowStream<'_>, most: usize) -> Result<Features, Refusal> {
    let batch: Option<Batch> = stream.next_batch()?;
    let features = batch.map(|batch| batch.features);
    let Some(features) = features else {
        return Err(no_rows());
    };
    match stream.next_batch()? {
        Some(_) => Err(too_many_rows(most)),
        None => Ok(features),
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    model: &'a str,
    version: &'a str,
    predictions: Vec<Row<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    labels: Vec<&'a str>,
    /// Missing if the model has no posterior over label sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<ByLabel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<Vec<Likely<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained<'a>>,
}

#[derive(Serialize)]
struct Likely<'a> {
    labels: Vec<&'a str>,
    probability: f64,
}

/// Numbers by the names of labels, in their order.
struct ByLabel<'a>(&'a [String], &'a [f64]);

impl Serialize for ByLabel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for (name, number) in self.0.iter().zip(self.1) {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

/// The answer about some rows.
pub(super) fn write(
    served: &Served,
    part: &Part<'_>,
    asked: &Asked,
    shown: &ShownRows,
) -> Result<Answered, Refusal> {
    let (labels, question) = (served.model.schema().label_names(), asked.question);
    let explanations = explanations(&served.model, asked, shown.explain)?;
    let names = |set: &[u32]| {
        set.iter()
            .map(|&label| labels[label as usize].as_str())
            .collect()
    };
    let likely = |set: &LikelySet| Likely {
        labels: names(&set.labels),
        probability: set.probability,
    };
    let row = |row: usize| Row {
        labels: names(part.set(row)),
        confidence: part.confidence(row),
        probabilities: part
            .probabilities(row)
            .filter(|_| shown.probabilities)
            .map(|numbers| ByLabel(labels, numbers)),
        sets: (question.sets > 0)
            .then(|| part.sets(row, question.sets).iter().map(likely).collect()),
        explanation: explanations
            .get(row)
            .map(|own| Explained::new(own, labels, shown.explain)),
    };
    let answer = Answer {
        model: &served.name,
        version: &served.version,
        predictions: (0..part.len()).map(row).collect(),
        notes: &shown.notes,
    };
    let body = serde_json::to_vec(&answer).map_err(|_| Refusal::internal())?;
    Ok(Answered {
        body: body.into(),
        header_length: None,
        rows: part.len(),
    })
}
