//! Time and peak memory of one ridge backend on drawn features, as JSON.
//!
//! Usage: `ridge WAY KIND ROWS COLUMNS PER_ROW TARGETS`, where WAY is `factorisation`, `iterative` or `auto` and
//! KIND is `uniform`, `zipf` or `dense`.
//!
//! Sparse rows have ones in columns drawn uniformly or by Zipf's law; dense rows are Gaussian, the k-th axis with
//! variance 1/k. Labels are the signs of a few columns plus noise.

use std::time::Instant;

use mmoc::data::{Csr, Features, Labels, Matrix};
use mmoc::learn::ridge::RidgeSolver;
use mmoc::learn::{BaseParams, Training};
use mmoc::settings::{Named, Settings};
use mmoc::{Result, Seed};
use mmoc_benchmarks::peak_memory;
use serde_json::json;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, kind, sizes @ ..] = arguments.as_slice() else {
        return Err("usage: ridge WAY KIND ROWS COLUMNS PER_ROW TARGETS".into());
    };
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<std::result::Result<_, _>>()?;
    let [rows, columns, per_row, targets] = sizes[..] else {
        return Err("expected four sizes: rows, columns, entries per row, targets".into());
    };
    let features = draw(kind, rows, columns, per_row)?;
    let labels = draw_labels(&features, targets);
    let mut params = BaseParams::default();
    params.set("ridge-solver", way)?;
    let before = peak_memory()?;
    let start = Instant::now();
    let training = Training::new(features.view(), &labels, params, Seed::new(1))?;
    let ridge = training.label_ridge()?;
    let seconds = start.elapsed().as_secs_f64();
    let taken = if ridge.record().is_some() {
        RidgeSolver::Iterative
    } else {
        RidgeSolver::Factorisation
    };
    let noise: f64 = ridge.noise().iter().sum::<f64>() / targets as f64;
    println!(
        "{}",
        json!({
            "way": taken.name(), "kind": kind, "rows": rows, "columns": columns, "stored": features.view().stored_values().len(),
            "targets": targets, "seconds": seconds, "noise": noise, "record": ridge.record(),
            "memory_mib": peak_memory()?.zip(before).map(|(peak, before)| (peak - before) / 1024),
            "data_mib": before.map(|before| before / 1024),
        })
    );
    Ok(())
}

fn draw(kind: &str, rows: usize, columns: usize, per_row: usize) -> Result<Features> {
    let mut stream = Seed::new(7).stream();
    if kind == "dense" {
        let mut x = Matrix::zeros(rows, columns);
        for row in 0..rows {
            for (k, value) in x.row_mut(row).iter_mut().enumerate() {
                *value = stream.gaussian() / ((k + 1) as f64).sqrt();
            }
        }
        return Ok(Features::Dense(x));
    }
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for _ in 0..rows {
        let mut row: Vec<u32> = (0..per_row)
            .map(|_| {
                // Every doubling of the number of columns is equally likely, so column k has a probability of about
                // 1/k.
                let among = match kind {
                    "zipf" => columns.min(2 << stream.below(columns.ilog2() as usize + 1)),
                    _ => columns,
                };
                u32::try_from(stream.below(among)).expect("column numbers fit into 32 bits")
            })
            .collect();
        row.sort_unstable();
        row.dedup();
        indices.extend(row);
        offsets.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    Ok(Features::Sparse(Csr::new(
        columns, offsets, indices, values,
    )?))
}

fn draw_labels(features: &Features, targets: usize) -> Labels {
    let x = features.view();
    let mut stream = Seed::new(8).stream();
    let mut scores = Matrix::zeros(x.rows(), targets);
    x.for_each_stored(|row, column, value| {
        // Columns count alternately for and against a label.
        let sign = if (column / targets).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        scores[(row, column % targets)] += sign * value;
    });
    let values = scores.values_mut().iter_mut();
    values.for_each(|value| *value += stream.gaussian());
    Labels::from_fn(x.rows(), targets, |row, target| scores[(row, target)] > 0.5)
}
