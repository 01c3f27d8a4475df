//! The loader of models: what it takes is a model that can be saved, loaded and used.
//!
//! Files end in the digest of their bytes and hold JSON within JSON, so that almost any change would be refused at the
//! door. The target puts files together from parts instead: a line with the description of the model, a line with the
//! table of tensors, and the numbers.

use std::io::Write;

use mmoc::Model;
use mmoc::data::{FeaturesView, MatrixView};
use mmoc::{Error, Prediction};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Models that take more numbers than this for a few rows take too long.
const MOST_COLUMNS: usize = 1 << 12;

const DIGEST_BYTES: usize = 32;

/// The parts of a model file. The same bytes are also tried as a file.
pub fn model(bytes: &[u8]) {
    check(bytes);
    if let Some(file) = put_together(bytes) {
        check(&file);
    }
}

fn check(bytes: &[u8]) {
    match Model::read(bytes, "input") {
        Ok(model) => check_model(&model),
        Err(error) => check_refusal(&error),
    }
}

fn check_refusal(error: &Error) {
    let message = error.to_string();
    assert!(matches!(error, Error::ModelFile { .. }), "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
    assert!(message.len() < 2000, "{message}");
}

fn check_model(model: &Model) {
    let saved = save(model);
    let again = Model::read(saved.as_slice(), "saved").expect("what was saved is loaded");
    assert_eq!(save(&again), saved);
    let columns = model.schema().columns();
    if columns > MOST_COLUMNS {
        return;
    }
    let rows: Vec<f64> = (0..3 * columns)
        .map(|cell| (cell % 5) as f64 - 1.0)
        .collect();
    let rows = FeaturesView::Dense(MatrixView::new(3, columns, &rows).expect("three rows"));
    match (model.predict(rows), again.predict(rows)) {
        (Ok(first), Ok(second)) => {
            check_prediction(model, &first);
            assert_eq!(first, second);
        }
        (first, second) => assert!(first.is_err() && second.is_err()),
    }
}

fn check_prediction(model: &Model, prediction: &Prediction) {
    let labels = model.schema().label_names().len();
    assert_eq!(
        (prediction.labels.rows(), prediction.labels.count()),
        (3, labels)
    );
    if let Some(scores) = &prediction.scores {
        assert!(
            scores.values().iter().all(|score| score.is_finite()),
            "{scores:?}"
        );
    }
    if let Some(probabilities) = &prediction.probabilities {
        let mut values = probabilities.values().iter();
        assert!(
            values.all(|value| (0.0..=1.0).contains(value)),
            "{probabilities:?}"
        );
    }
}

fn save(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write(&mut bytes).expect("a model can be saved");
    bytes
}

/// A file of these parts, with lengths and digest as they must be.
pub fn put_together(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = bytes.splitn(3, |&byte| byte == b'\n');
    let description = std::str::from_utf8(parts.next()?).ok()?;
    let tensors = std::str::from_utf8(parts.next()?).ok()?.trim();
    let numbers = parts.next()?;
    let tensors = tensors.strip_prefix('{')?;
    let metadata = json!({"mmoc": description});
    let mut header = format!("{{\"__metadata__\":{metadata},{tensors}").into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(numbers);
    let digest = Sha256::digest(&file);
    file.write_all(&digest).ok()?;
    Some(file)
}

/// The parts of a file, to begin with.
pub fn taken_apart(file: &[u8]) -> Option<Vec<u8>> {
    let length = u64::from_le_bytes(file.get(..8)?.try_into().ok()?);
    let (header, numbers) = file[8..].split_at_checked(usize::try_from(length).ok()?)?;
    let mut tensors: Map<String, Value> = serde_json::from_slice(header).ok()?;
    let metadata = tensors.remove("__metadata__")?;
    let mut parts = Vec::new();
    writeln!(parts, "{}", metadata["mmoc"].as_str()?).ok()?;
    writeln!(parts, "{}", Value::from(tensors)).ok()?;
    parts.extend(&numbers[..numbers.len().checked_sub(DIGEST_BYTES)?]);
    Some(parts)
}
