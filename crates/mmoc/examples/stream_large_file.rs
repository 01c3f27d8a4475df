//! Predict the rows of a file batch by batch: memory stays bounded, however many rows there are.
//!
//! Run it with `cargo run -p mmoc --example stream_large_file`.

use std::fmt::Write as _;

use mmoc::method::CodingCca;
use mmoc_io::{Format, LabelSource, ReadOptions, RowStream, StreamOptions, read_from};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Files are read by name with `mmoc_io::read`; here a table in memory takes their place.
    let options = ReadOptions {
        labels: LabelSource::Last(2),
        format: Some(Format::Csv),
        ..ReadOptions::default()
    };
    let train = read_from(table(200, true).as_bytes(), "train.csv", &options)?.dataset;
    let model = CodingCca::default().fit(&train)?;

    // Columns are matched by name, so that new rows may have them in another order, and need no labels.
    let new = table(10_000, false);
    let options = StreamOptions {
        format: Some(Format::Csv),
        batch_rows: model.batch_rows(),
        ..StreamOptions::default()
    };
    let mut rows = RowStream::from_reader(new.as_bytes(), "new.csv", model.schema(), &options)?;
    let (mut count, mut batches, mut calm) = (0, 0, 0);
    while let Some(batch) = rows.next_batch()? {
        let sets = model.label_sets(&batch.features)?;
        calm += (0..sets.rows())
            .filter(|&row| sets.contains(row, 0))
            .count();
        count += sets.rows();
        batches += 1;
    }
    println!("{count} rows in {batches} batches, {calm} of them calm");
    Ok(())
}

/// A table in CSV, with labels or without.
fn table(rows: usize, labelled: bool) -> String {
    let mut text = String::from(if labelled {
        "tempo,loud,calm,happy\n"
    } else {
        "loud,tempo\n"
    });
    for row in 0..rows {
        let (tempo, loud) = (60 + row * 37 % 120, row * 53 % 10);
        let (calm, happy) = (usize::from(tempo < 100), usize::from(tempo + loud > 90));
        if labelled {
            writeln!(text, "{tempo},{loud},{calm},{happy}")
        } else {
            writeln!(text, "{loud},{tempo}")
        }
        .expect("text can be written to");
    }
    text
}

#[test]
fn runs_without_an_error() {
    main().unwrap();
}
