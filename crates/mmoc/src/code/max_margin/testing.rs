//! Random problems and matrices for the tests of this folder, and a brute-force maximiser over the cube.

use super::Problem;
use crate::Seed;
use crate::data::{Labels, Matrix};
use crate::linalg::{dot, multiply_by_transposed};
use crate::seed::Stream;

/// Labels regressed with noise, and log-odds that correlate with them.
pub(super) fn problem(stream: &mut Stream, rows: usize, labels: usize, c: f64) -> Problem {
    let draws: Vec<f64> = (0..rows * labels).map(|_| stream.uniform()).collect();
    let truth = Labels::from_fn(rows, labels, |i, j| draws[i * labels + j] < 0.4);
    let mut predictions = truth.to_matrix();
    let mut log_odds = truth.to_matrix();
    for value in predictions.values_mut() {
        *value = 0.2 + 0.5 * *value + 0.3 * stream.gaussian();
    }
    for value in log_odds.values_mut() {
        *value = 2.0 * *value - 1.0 + stream.gaussian();
    }
    Problem::new(predictions, &truth, Some(&log_odds), c).unwrap()
}

/// A problem as above whose samples have weights or not, at random.
pub(super) fn any_problem(stream: &mut Stream, rows: usize, labels: usize, c: f64) -> Problem {
    let problem = problem(stream, rows, labels, c);
    if stream.uniform() < 0.5 {
        return problem;
    }
    let weights: Vec<f64> = (0..rows).map(|_| stream.gaussian().exp()).collect();
    problem.with_weights(&weights).unwrap()
}

/// A problem whose samples have integer weights, and the problem with each sample repeated as often.
pub(super) fn weighted_and_repeated(
    stream: &mut Stream,
    rows: usize,
    labels: usize,
    c: f64,
) -> [Problem; 2] {
    let problem = problem(stream, rows, labels, c);
    let counts: Vec<usize> = (0..rows).map(|_| 1 + stream.below(4)).collect();
    let copies: Vec<usize> = (0..rows)
        .flat_map(|row| std::iter::repeat_n(row, counts[row]))
        .collect();
    let weights: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    let repeated = rows_of(&problem, &copies);
    [problem.with_weights(&weights).unwrap(), repeated]
}

/// A problem of the given rows.
pub(super) fn rows_of(problem: &Problem, rows: &[usize]) -> Problem {
    let pick = |matrix: &Matrix| matrix.view().select_rows(rows);
    let (truth, gains) = (pick(problem.truth()), pick(problem.gains()));
    let labels = Labels::from_fn(rows.len(), problem.labels(), |i, j| truth[(i, j)] > 0.5);
    let log_odds = Matrix::from_fn(rows.len(), problem.labels(), |i, j| {
        gains[(i, j)] - (1.0 - 2.0 * truth[(i, j)])
    });
    Problem::new(
        pick(problem.predictions()),
        &labels,
        Some(&log_odds),
        problem.c(),
    )
    .unwrap()
}

pub(super) fn stream(seed: u64) -> Stream {
    Seed::new(seed).stream()
}

pub(super) fn gaussian(stream: &mut Stream, rows: usize, columns: usize) -> Matrix {
    let values = (0..rows * columns).map(|_| stream.gaussian()).collect();
    Matrix::new(rows, columns, values).unwrap()
}

pub(super) fn symmetric(stream: &mut Stream, size: usize) -> Matrix {
    let square = gaussian(stream, size, size);
    Matrix::from_fn(size, size, |j, k| square[(j, k)] + square[(k, j)])
}

/// GGᵀ of a random G with `rank` columns.
pub(super) fn semidefinite(stream: &mut Stream, size: usize, rank: usize) -> Matrix {
    let root = gaussian(stream, size, rank);
    multiply_by_transposed(&root, &root)
}

/// A positive definite matrix with eigenvalues of at least 0.1.
pub(super) fn definite(stream: &mut Stream, size: usize) -> Matrix {
    let mut matrix = semidefinite(stream, size, size);
    (0..size).for_each(|j| matrix[(j, j)] += 0.1);
    matrix
}

/// Points of the unit cube with many coordinates on its faces.
pub(super) fn cube_points(stream: &mut Stream, rows: usize, labels: usize) -> Matrix {
    let mut coordinate = || (2.0 * stream.uniform() - 0.5).clamp(0.0, 1.0);
    let values = (0..rows * labels).map(|_| coordinate()).collect();
    Matrix::new(rows, labels, values).unwrap()
}

pub(super) fn diagonal(values: &[f64]) -> Matrix {
    Matrix::from_fn(values.len(), values.len(), |j, k| {
        if j == k { values[j] } else { 0.0 }
    })
}

/// A + t·B.
pub(super) fn moved(a: &Matrix, t: f64, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.columns(), |j, k| a[(j, k)] + t * b[(j, k)])
}

/// ⟨A, B⟩.
pub(super) fn inner(a: &Matrix, b: &Matrix) -> f64 {
    dot(a.values(), b.values())
}

pub(super) fn norm(a: &Matrix) -> f64 {
    inner(a, a).sqrt()
}

/// xᵀAy.
pub(super) fn form(x: &[f64], a: &Matrix, y: &[f64]) -> f64 {
    x.iter()
        .enumerate()
        .map(|(j, x)| x * dot(a.row(j), y))
        .sum()
}

/// The slack that the constraint at z requires, (2Qe + g)ᵀδ − δᵀQδ, term by term.
pub(super) fn required_slack(problem: &Problem, metric: &Matrix, sample: usize, z: &[f64]) -> f64 {
    let truth = problem.truth().row(sample);
    let delta: Vec<f64> = z.iter().zip(truth).map(|(z, y)| z - y).collect();
    2.0 * form(problem.residuals().row(sample), metric, &delta)
        + dot(problem.gains().row(sample), &delta)
        - form(&delta, metric, &delta)
}

/// Fails unless two matrices agree up to a relative tolerance.
#[track_caller]
pub(super) fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
    assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
    let difference = norm(&moved(a, -1.0, b));
    let size = norm(a).max(norm(b));
    assert!(
        difference <= tolerance * size,
        "differ by {difference:e} of {size:e}: {a:?} and {b:?}"
    );
}

/// bᵀz − zᵀQz.
pub(super) fn quadratic(metric: &Matrix, b: &[f64], z: &[f64]) -> f64 {
    dot(b, z) - form(z, metric, z)
}

/// The largest bᵀz − zᵀQz over the cube, from the stationary point of each of its 3^q faces.
///
/// Where Q is singular on a face, a smaller face has the same maximum.
pub(super) fn largest_quadratic(metric: &Matrix, b: &[f64]) -> f64 {
    let size = b.len();
    let mut largest = f64::NEG_INFINITY;
    for face in 0..3usize.pow(size as u32) {
        let digit = |j: usize| face / 3usize.pow(j as u32) % 3;
        let free: Vec<usize> = (0..size).filter(|&j| digit(j) == 2).collect();
        let mut z: Vec<f64> = (0..size)
            .map(|j| if digit(j) == 1 { 1.0 } else { 0.0 })
            .collect();
        let rhs: Vec<f64> = free
            .iter()
            .map(|&j| 0.5 * b[j] - dot(metric.row(j), &z))
            .collect();
        let Some(solution) = eliminate(&submatrix(metric, &free), &rhs) else {
            continue;
        };
        for (&j, value) in free.iter().zip(solution) {
            z[j] = value;
        }
        if z.iter().all(|z| (-1e-9..=1.0 + 1e-9).contains(z)) {
            z.iter_mut().for_each(|z| *z = z.clamp(0.0, 1.0));
            largest = largest.max(quadratic(metric, b, &z));
        }
    }
    largest
}

fn submatrix(matrix: &Matrix, chosen: &[usize]) -> Matrix {
    Matrix::from_fn(chosen.len(), chosen.len(), |j, k| {
        matrix[(chosen[j], chosen[k])]
    })
}

/// Solves A·x = b by elimination with partial pivoting; `None` if a pivot is zero.
pub(super) fn eliminate(matrix: &Matrix, b: &[f64]) -> Option<Vec<f64>> {
    let (mut a, mut x, size) = (matrix.clone(), b.to_vec(), b.len());
    for step in 0..size {
        let pivot = (step..size)
            .max_by(|&i, &k| a[(i, step)].abs().total_cmp(&a[(k, step)].abs()))
            .filter(|&row| a[(row, step)] != 0.0)?;
        for column in 0..size {
            let entry = a[(step, column)];
            a[(step, column)] = a[(pivot, column)];
            a[(pivot, column)] = entry;
        }
        x.swap(step, pivot);
        for row in (0..size).filter(|&row| row != step) {
            let factor = a[(row, step)] / a[(step, step)];
            for column in step..size {
                a[(row, column)] -= factor * a[(step, column)];
            }
            x[row] -= factor * x[step];
        }
    }
    Some((0..size).map(|k| x[k] / a[(k, k)]).collect())
}
