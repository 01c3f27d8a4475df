//! The mmoc side of `streaming.py`: reads a table of numbers in batches and prints the time.
//!
//! Usage: `streaming FILE REPETITIONS THREADS`

use std::error::Error;
use std::io::{BufRead, BufReader};

use mmoc::data::{Attribute, Schema};
use mmoc_benchmarks::{peak_memory, quickest};
use mmoc_io::{RowStream, StreamOptions};
use serde_json::json;

/// Number of rows and sum of all cells.
struct Contents {
    rows: usize,
    sum: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, repetitions, threads] = arguments.as_slice() else {
        return Err("usage: streaming FILE REPETITIONS THREADS".into());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.parse()?)
        .build_global()?;
    let schema = frame_of(file)?;
    let seconds = quickest(repetitions.parse()?, || read(file, &schema));
    let contents = read(file, &schema)?;
    let about = json!({
        "rows": contents.rows,
        "sum": contents.sum,
        "seconds": seconds,
        "peak_kib": peak_memory()?,
    });
    println!("{about}");
    Ok(())
}

/// The schema from the header line, with all columns as features.
fn frame_of(file: &str) -> Result<Schema, Box<dyn Error>> {
    let mut header = String::new();
    BufReader::new(std::fs::File::open(file)?).read_line(&mut header)?;
    let attributes = header.trim_end().split(',').map(Attribute::numeric);
    Ok(Schema::new(
        attributes.collect(),
        vec!["label".into()],
        false,
    )?)
}

fn read(file: &str, schema: &Schema) -> mmoc_io::Result<Contents> {
    let mut rows = RowStream::open(&[file], schema, &StreamOptions::default())?;
    let mut contents = Contents { rows: 0, sum: 0.0 };
    while let Some(batch) = rows.next_batch()? {
        let view = batch.features.view();
        contents.rows += view.rows();
        contents.sum += view.stored_values().iter().sum::<f64>();
    }
    Ok(contents)
}
