//! Predictions of other programs.

use mmoc::Prediction;
use mmoc_io::read_predictions_from;

use super::readers::check_error;

/// Reads the bytes as a table and as JSON lines: what is read has the labels that were asked for, and can be scored.
pub fn predictions(bytes: &[u8]) {
    let labels = ["a", "b"].map(String::from);
    for name in ["p.csv", "p.jsonl"] {
        match read_predictions_from(bytes, name, &labels) {
            Ok(read) => check(&read.prediction),
            Err(error) => check_error(&error),
        }
    }
}

fn check(found: &Prediction) {
    assert!(found.labels.rows() > 0);
    assert_eq!(found.labels.count(), 2);
    found.score(&found.labels).expect("it is scored");
}
