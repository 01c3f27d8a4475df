//! Parquet files: what others write is read, what we write others read, and no bytes do harm.

#![cfg(feature = "parquet")]

mod fixtures;
mod hostile;
mod oracle;
mod refused;
mod stream;

use mmoc::data::Dataset;
use mmoc_io::{Format, LabelSource, MissingCells, ReadOptions, read_from};

/// How the tests read: labels as given, missing cells allowed.
fn options(labels: &str) -> ReadOptions {
    ReadOptions {
        labels: labels.parse().unwrap(),
        missing: MissingCells::Mean,
        format: Some(Format::Parquet),
        ..ReadOptions::default()
    }
}

fn read_bytes(bytes: &[u8], labels: &str) -> mmoc_io::Result<Dataset> {
    read_from(bytes, "f", &options(labels)).map(|loaded| loaded.dataset)
}

/// What is wrong with a file of which the last column is the label.
fn message(bytes: &[u8]) -> String {
    let options = ReadOptions {
        labels: LabelSource::Last(1),
        missing: MissingCells::Refuse,
        format: Some(Format::Parquet),
        ..ReadOptions::default()
    };
    read_from(bytes, "f", &options).unwrap_err().to_string()
}

/// Every cell of the features, missing ones as `None`.
fn cells(dataset: &Dataset) -> Vec<Vec<Option<f64>>> {
    let mut cells = vec![vec![Some(0.0); dataset.columns()]; dataset.rows()];
    let view = dataset.features().view();
    view.for_each_stored(|row, column, value| {
        cells[row][column] = (!value.is_nan()).then_some(value);
    });
    cells
}
