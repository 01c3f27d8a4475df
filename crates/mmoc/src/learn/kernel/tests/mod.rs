//! Kernels, maps and models against their definitions, direct solutions and scikit-learn.

mod against_sklearn;
mod distances;
mod files;
mod learners;
mod maps;

use super::preparation::Preparation;
use super::{KernelChoice, KernelFit, KernelMap, KernelParams, drawn_rows};
use crate::Seed;
use crate::data::{Csr, Features, FeaturesView, Labels, Matrix};

fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut stream = Seed::new(seed).stream();
    Matrix::from_fn(rows, columns, |_, _| stream.gaussian())
}

/// Dense rows in different units, with a column that is constant.
fn dense_rows(rows: usize, columns: usize, seed: u64) -> Features {
    let x = random(rows, columns, seed);
    Features::Dense(Matrix::from_fn(rows, columns, |i, k| match k {
        1 => 0.1,
        _ => 100.0 + (k + 1) as f64 * x[(i, k)],
    }))
}

/// Sparse rows, of which every fifth has no entries.
fn sparse_rows(rows: usize, columns: usize, seed: u64) -> Features {
    let x = random(rows, columns, seed);
    let some = Matrix::from_fn(rows, columns, |i, k| match x[(i, k)] {
        value if value > 0.4 && i % 5 != 4 => value,
        _ => 0.0,
    });
    Features::Sparse(Csr::from(&some))
}

fn both_kinds(rows: usize, columns: usize, seed: u64) -> [Features; 2] {
    [
        dense_rows(rows, columns, seed),
        sparse_rows(rows, columns, seed),
    ]
}

fn to_dense(x: FeaturesView<'_>) -> Matrix {
    let mut dense = Matrix::zeros(x.rows(), x.columns());
    x.for_each_stored(|row, column, value| dense[(row, column)] = value);
    dense
}

/// Labels that depend on the first columns.
fn labels_of(x: FeaturesView<'_>, count: usize) -> Labels {
    let (x, noise) = (to_dense(x), random(x.rows(), count, 77));
    let mean = |k: usize| x.column(k).sum::<f64>() / x.rows() as f64;
    Labels::from_fn(x.rows(), count, |i, j| {
        let k = 2 * (j % (x.columns() / 2).max(1));
        x[(i, k)] - mean(k) + noise[(i, j)] > 0.0
    })
}

/// A kernel of the given width for training rows.
fn choice_of(x: FeaturesView<'_>, gamma: f64) -> KernelChoice {
    KernelChoice {
        gamma,
        error: 1.0,
        linear_error: 2.0,
        rows: x.rows(),
        preparation: Preparation::of(x, None).unwrap(),
    }
}

fn fit(x: &Features, gamma: f64, params: &KernelParams) -> KernelFit {
    let choice = choice_of(x.view(), gamma);
    KernelMap::fit(x.view(), choice, params, Seed::new(4)).unwrap()
}

/// Some of the rows as centres, drawn from the seed.
fn some_centres(landmarks: usize) -> KernelParams {
    KernelParams {
        landmarks,
        all_rows: 0,
        ..KernelParams::default()
    }
}

fn prepared_by_definition(train: FeaturesView<'_>, x: FeaturesView<'_>) -> Matrix {
    let (own, rows) = (to_dense(train), to_dense(x));
    if let FeaturesView::Sparse(_) = train {
        return Matrix::from_fn(rows.rows(), rows.columns(), |i, k| {
            let length = rows.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
            if length > 0.0 {
                rows[(i, k)] / length
            } else {
                0.0
            }
        });
    }
    let n = own.rows() as f64;
    Matrix::from_fn(rows.rows(), rows.columns(), |i, k| {
        let mean = own.column(k).sum::<f64>() / n;
        let variance = own.column(k).map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        if variance > 1e-20 {
            (rows[(i, k)] - mean) / variance.sqrt()
        } else {
            0.0
        }
    })
}

/// exp(−γ‖x̃ − c̃‖²) for all rows and all training rows, as it is written.
fn kernel_by_definition(train: FeaturesView<'_>, x: FeaturesView<'_>, gamma: f64) -> Matrix {
    let (c, x) = (
        prepared_by_definition(train, train),
        prepared_by_definition(train, x),
    );
    Matrix::from_fn(x.rows(), c.rows(), |i, j| {
        let pairs = x.row(i).iter().zip(c.row(j));
        let distance: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
        (-gamma * distance).exp()
    })
}

fn assert_close(found: &Matrix, expected: &Matrix, tolerance: f64) {
    assert_eq!(
        (found.rows(), found.columns()),
        (expected.rows(), expected.columns())
    );
    for (place, (a, b)) in found.values().iter().zip(expected.values()).enumerate() {
        assert!((a - b).abs() <= tolerance, "at {place}: {a}, not {b}");
    }
}
