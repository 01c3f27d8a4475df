//! Rows of files in batches, matched to what a model knows.

mod agreement;
mod damage;
mod inferred;
mod matching;
mod messages;
mod size;

use mmoc::data::{Features, Labels, Schema};
use mmoc_io::{Batch, Format, RowStream, StreamOptions, WantedLabels};

/// Every number of some rows by its bits, zeros too, all NaN being the same.
fn bits(features: &Features) -> Vec<Vec<u64>> {
    let view = features.view();
    let mut bits = vec![vec![0; view.columns()]; view.rows()];
    view.for_each_stored(|row, column, value| {
        let value = if value.is_nan() { f64::NAN } else { value };
        bits[row][column] = value.to_bits();
    });
    bits
}

/// The label sets of some rows.
fn sets(labels: &Labels) -> Vec<Vec<u32>> {
    labels.iter().map(<[u32]>::to_vec).collect()
}

/// All batches of a stream.
fn batches(rows: &mut RowStream<'_>) -> mmoc_io::Result<Vec<Batch>> {
    let mut batches = Vec::new();
    while let Some(batch) = rows.next_batch()? {
        batches.push(batch);
    }
    Ok(batches)
}

fn options(format: Format, labels: WantedLabels, batch_rows: usize) -> StreamOptions {
    StreamOptions {
        format: Some(format),
        labels,
        batch_rows,
        ..StreamOptions::default()
    }
}

/// The only batch of some text.
fn only_batch(text: &str, schema: &Schema, options: &StreamOptions) -> mmoc_io::Result<Batch> {
    let mut rows = RowStream::from_reader(text.as_bytes(), "f", schema, options)?;
    let mut batches = batches(&mut rows)?;
    assert_eq!(batches.len(), 1, "one batch");
    Ok(batches.remove(0))
}

fn words(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}
