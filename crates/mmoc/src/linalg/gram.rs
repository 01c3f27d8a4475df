//! Column means and Gram matrices of centred features.
//!
//! With M the mean of each column repeated in every row, these are (X − M)ᵀ(X − M) and (X − M)(X − M)ᵀ.
//! A dense X is centred first; a sparse one stays sparse and the mean is subtracted from the product.
//!
//! If rows have weights, means are weighted and the rows of X − M are scaled by the roots of the weights.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as matmul_triangular};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::product::faer_view;
use super::row_weights::{RowWeights, scale_rows, total_weight};
use super::{sum, vectorised};
use crate::data::{CsrView, FeaturesView, Matrix, MatrixView};
use crate::{Error, Result};

/// Rows of a Gram matrix per parallel task.
const ROWS_PER_TASK: usize = 64;
/// Multiplications below which a Gram matrix is computed sequentially.
const SEQUENTIAL_WORK: usize = 1 << 27;

/// The mean of each column: a first pass, corrected by the mean deviation from it.
pub(crate) fn column_means(x: FeaturesView<'_>) -> Vec<f64> {
    means_by_weight(x, x.rows() as f64, |_| 1.0)
}

/// The weighted mean of each column.
pub(crate) fn weighted_column_means(x: FeaturesView<'_>, weights: Option<&RowWeights>) -> Vec<f64> {
    match weights {
        None => column_means(x),
        Some(weights) => means_by_weight(x, weights.total(), |row| weights.values()[row]),
    }
}

fn means_by_weight(
    x: FeaturesView<'_>,
    total: f64,
    weight_of: impl Fn(usize) -> f64 + Copy,
) -> Vec<f64> {
    let mut means = vec![0.0; x.columns()];
    x.for_each_stored(|row, column, value| means[column] += weight_of(row) * value / total);
    let mut deviations = vec![0.0; x.columns()];
    let mut stored = vec![0.0; x.columns()];
    x.for_each_stored(|row, column, value| {
        deviations[column] += weight_of(row) * (value - means[column]);
        stored[column] += weight_of(row);
    });
    for ((mean, deviation), stored) in means.iter_mut().zip(deviations).zip(stored) {
        let zeros = total - stored;
        *mean += (deviation - zeros * *mean) / total;
    }
    means
}

/// Bound on the rounding error of the sum of squared deviations of a column.
pub(crate) fn rounding_scatter(x: FeaturesView<'_>, weights: Option<&RowWeights>) -> f64 {
    let largest = x
        .stored_values()
        .iter()
        .fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let error = 4.0 * f64::EPSILON * largest;
    total_weight(x.rows(), weights) * error * error
}

/// The sum of squared deviations of each column of a sparse matrix from its mean; 0 if it is within rounding error.
pub(crate) fn column_scatters(x: CsrView<'_>, weights: Option<&RowWeights>) -> Vec<f64> {
    let means = weighted_column_means(FeaturesView::Sparse(x), weights);
    let floor = rounding_scatter(FeaturesView::Sparse(x), weights);
    let total = total_weight(x.rows(), weights);
    // Σ(v − m)² over the stored entries, and m² for each of the others.
    let mut scatters: Vec<f64> = means.iter().map(|mean| total * mean * mean).collect();
    for row in 0..x.rows() {
        let weight = weights.map_or(1.0, |weights| weights.values()[row]);
        for (column, value) in x.entries(row) {
            let mean = means[column];
            scatters[column] += weight * ((value - mean) * (value - mean) - mean * mean);
        }
    }
    scatters
        .into_iter()
        .map(|scatter| if scatter <= floor { 0.0 } else { scatter })
        .collect()
}

/// Checks the sum of all scatters, the unit of relative penalties, for overflow and underflow.
pub(crate) fn check_total_scatter(total: f64) -> Result<f64> {
    // Below this, products of features lose digits to underflow.
    const SMALLEST: f64 = 1e-250;
    if total == 0.0 || (total.is_finite() && total >= SMALLEST) {
        return Ok(total);
    }
    Err(Error::Dataset {
        expected: "features whose squares neither overflow nor underflow; rescale the features"
            .into(),
        found: format!("a sum of squares of {total:e}"),
    })
}

/// The matrix minus its column means.
pub(crate) fn centred(x: MatrixView<'_>, means: &[f64]) -> Matrix {
    let mut centred = Matrix::zeros(x.rows(), x.columns());
    for row in 0..x.rows() {
        for ((c, &value), mean) in centred.row_mut(row).iter_mut().zip(x.row(row)).zip(means) {
            *c = value - mean;
        }
    }
    centred
}

/// The centred matrix with its rows scaled by the roots of their weights, for a range of rows.
fn centred_and_scaled(
    x: MatrixView<'_>,
    rows: Range<usize>,
    means: &[f64],
    weights: Option<&RowWeights>,
) -> Matrix {
    let mut centred = centred(x.rows_in(rows.clone()), means);
    if let Some(weights) = weights {
        scale_rows(&mut centred, &weights.roots()[rows]);
    }
    centred
}

/// Consecutive ranges of rows with a centred copy of about 8 MiB each.
pub(super) fn centred_pieces(x: MatrixView<'_>) -> impl Iterator<Item = Range<usize>> + use<> {
    const NUMBERS: usize = 1 << 20;
    let (rows, piece) = (x.rows(), NUMBERS.div_ceil(x.columns().max(1)));
    let starts = (0..rows).step_by(piece);
    starts.map(move |first| first..rows.min(first + piece))
}

/// The upper triangle of XᵀDX, with the diagonal matrix D of the weights.
pub(crate) fn gram_of_columns(x: FeaturesView<'_>, weights: Option<&[f64]>) -> Result<Matrix> {
    let weights = RowWeights::optional(weights, x.rows())?;
    let means = vec![0.0; x.columns()];
    Ok(match x {
        FeaturesView::Dense(x) => dense_gram_of_columns(x, &means, weights.as_ref()),
        FeaturesView::Sparse(x) => sparse_gram_of_columns(x, &means, weights.as_ref()),
    })
}

/// The upper triangle of (X − M)ᵀ(X − M) for a dense X.
pub(super) fn dense_gram_of_columns(
    x: MatrixView<'_>,
    means: &[f64],
    weights: Option<&RowWeights>,
) -> Matrix {
    let mut gram = Matrix::zeros(x.columns(), x.columns());
    for rows in centred_pieces(x) {
        let some = centred_and_scaled(x, rows, means, weights);
        add_upper_product(&mut gram, faer_view(some.view()).transpose());
    }
    gram
}

/// The upper triangle of (X − M)(X − M)ᵀ for a dense X.
pub(super) fn dense_gram_of_rows(
    x: MatrixView<'_>,
    means: &[f64],
    weights: Option<&RowWeights>,
) -> Matrix {
    let mut gram = Matrix::zeros(x.rows(), x.rows());
    let all = centred_and_scaled(x, 0..x.rows(), means, weights);
    add_upper_product(&mut gram, faer_view(all.view()));
    gram
}

/// A·diag(w)·Aᵀ and A·w, with a weighted copy of a few columns at a time, which stays in the cache.
pub(crate) fn weighted_gram(a: &Matrix, weights: &[f64]) -> (Matrix, Vec<f64>) {
    const COLUMNS: usize = 512;
    let rows = a.rows();
    let (mut gram, mut product) = (Matrix::zeros(rows, rows), vec![0.0; rows]);
    let mut weighted = Matrix::zeros(rows, a.columns().min(COLUMNS));
    for first in (0..a.columns()).step_by(COLUMNS) {
        let some = first..a.columns().min(first + COLUMNS);
        for (k, product) in product.iter_mut().enumerate() {
            let weighted = &mut weighted.row_mut(k)[..some.len()];
            multiply_each(&a.row(k)[some.clone()], &weights[some.clone()], weighted);
            *product += sum(weighted);
        }
        matmul(
            MatMut::from_row_major_slice_mut(gram.values_mut(), rows, rows),
            Accum::Add,
            faer_view(a.view()).subcols(first, some.len()),
            faer_view(weighted.view())
                .subcols(0, some.len())
                .transpose(),
            1.0,
            Par::Seq,
        );
    }
    (gram, product)
}

fn multiply_each(a: &[f64], b: &[f64], product: &mut [f64]) {
    vectorised(|| {
        for (product, (a, b)) in product.iter_mut().zip(a.iter().zip(b)) {
            *product = a * b;
        }
    });
}

/// AᵀA.
pub(crate) fn gram(a: MatrixView<'_>) -> Matrix {
    let mut gram = Matrix::zeros(a.columns(), a.columns());
    add_upper_product(&mut gram, faer_view(a).transpose());
    for row in 1..gram.rows() {
        for column in 0..row {
            gram[(row, column)] = gram[(column, row)];
        }
    }
    gram
}

/// Adds the upper triangle of AAᵀ.
fn add_upper_product(gram: &mut Matrix, a: MatRef<'_, f64>) {
    let size = a.nrows();
    if size * size * a.ncols() < SEQUENTIAL_WORK {
        add_upper_rows(a, 0, gram.values_mut());
    } else {
        let pieces = gram.values_mut().par_chunks_mut(ROWS_PER_TASK * size);
        pieces
            .enumerate()
            .for_each(|(piece, rows)| add_upper_rows(a, piece * ROWS_PER_TASK, rows));
    }
}

/// Adds rows of AAᵀ from `first` on, right of the diagonal.
fn add_upper_rows(a: MatRef<'_, f64>, first: usize, rows: &mut [f64]) {
    let size = a.nrows();
    let count = rows.len() / size.max(1);
    let target = MatMut::from_row_major_slice_mut(rows, count, size);
    let (_, right) = target.split_at_col_mut(first);
    let (square, rest) = right.split_at_col_mut(count);
    let own = a.subrows(first, count);
    matmul_triangular(
        square,
        BlockStructure::TriangularUpper,
        Accum::Add,
        own,
        BlockStructure::Rectangular,
        own.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    let others = a.subrows(first + count, size - first - count).transpose();
    matmul(rest, Accum::Add, own, others, 1.0, Par::Seq);
}

/// The upper triangle of (X − M)ᵀ(X − M) for a sparse X.
pub(super) fn sparse_gram_of_columns(
    x: CsrView<'_>,
    means: &[f64],
    weights: Option<&RowWeights>,
) -> Matrix {
    let mut gram = Matrix::zeros(x.columns(), x.columns());
    for row in 0..x.rows() {
        let weight = weights.map_or(1.0, |weights| weights.values()[row]);
        let (indices, values) = x.row(row);
        for (k, (&i, a)) in indices.iter().zip(values).enumerate() {
            let (target, a) = (gram.row_mut(i as usize), weight * a);
            for (&j, b) in indices[k..].iter().zip(&values[k..]) {
                target[j as usize] += a * b;
            }
        }
    }
    let total = total_weight(x.rows(), weights);
    for (i, mean) in means.iter().enumerate().filter(|(_, mean)| **mean != 0.0) {
        super::add_scaled(&mut gram.row_mut(i)[i..], -total * mean, &means[i..]);
    }
    gram
}

/// The upper triangle of (X − M)(X − M)ᵀ for a sparse X.
pub(super) fn sparse_gram_of_rows(
    x: CsrView<'_>,
    means: &[f64],
    weights: Option<&RowWeights>,
) -> Matrix {
    let mut gram = Matrix::zeros(x.rows(), x.rows());
    // Column by column: two rows have a product only where both have an entry.
    for column in entries_by_column(x) {
        for (k, &(i, a)) in column.iter().enumerate() {
            let target = gram.row_mut(i);
            for &(j, b) in &column[k..] {
                target[j] += a * b;
            }
        }
    }
    let along_means: Vec<f64> = (0..x.rows())
        .map(|i| x.entries(i).map(|(k, v)| v * means[k]).sum())
        .collect();
    let means_squared = super::dot(means, means);
    for i in 0..x.rows() {
        for (value, along) in gram.row_mut(i)[i..].iter_mut().zip(&along_means[i..]) {
            *value += means_squared - along_means[i] - along;
        }
    }
    if let Some(weights) = weights {
        scale_both_sides(&mut gram, weights.roots());
    }
    gram
}

/// The upper triangle of S·G·S for a symmetric matrix G, with S the diagonal matrix of the factors.
pub(super) fn scale_both_sides(gram: &mut Matrix, factors: &[f64]) {
    for (i, factor) in factors.iter().enumerate() {
        let pairs = gram.row_mut(i)[i..].iter_mut().zip(&factors[i..]);
        pairs.for_each(|(value, other)| *value *= factor * other);
    }
}

/// The rows and values of each column, by ascending row.
fn entries_by_column(x: CsrView<'_>) -> Vec<Vec<(usize, f64)>> {
    let mut columns = vec![Vec::new(); x.columns()];
    for row in 0..x.rows() {
        for (column, value) in x.entries(row) {
            columns[column].push((row, value));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn a_weighted_gram_is_the_sum_over_all_columns() {
        let mut stream = Seed::new(5).stream();
        for columns in [0, 1, 511, 512, 513, 1300] {
            let a = Matrix::from_fn(3, columns, |_, _| stream.gaussian());
            let weights: Vec<f64> = (0..columns).map(|_| stream.uniform()).collect();
            let (gram, product) = weighted_gram(&a, &weights);
            let sum_over = |term: &dyn Fn(usize) -> f64| -> f64 { (0..columns).map(term).sum() };
            for i in 0..3 {
                let expected = sum_over(&|k| a[(i, k)] * weights[k]);
                assert!((product[i] - expected).abs() < 1e-10, "{columns}: {i}");
                for j in 0..3 {
                    let expected = sum_over(&|k| a[(i, k)] * weights[k] * a[(j, k)]);
                    assert!(
                        (gram[(i, j)] - expected).abs() < 1e-10,
                        "{columns}: {i}, {j}"
                    );
                }
            }
        }
    }
}
