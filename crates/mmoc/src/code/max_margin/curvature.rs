//! The second derivative of the mean slack.
//!
//! Let F be the coordinates of a sample whose most violated z lies strictly inside the cube, and φ = ŷ − z (eq.
//! 24). Along Q + tD these coordinates have the derivative z' = Q_FF⁻¹(Dφ)_F while the others are constant, and
//!
//! ```text
//! D²h[D, D] = 2 (Dφ)_Fᵀ Q_FF⁻¹ (Dφ)_F
//! ```
//!
//! The operator on symmetric matrices is D ↦ w φᵀ + φ wᵀ with w = Q_FF⁻¹(Dφ)_F on F and zero elsewhere.

use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

use rayon::prelude::*;

use super::Problem;
use super::packed::{index, packed_size};
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot, small};

/// Maximum number of blocks that sums over samples are split into, independent of the number of threads.
const MOST_BLOCKS: usize = 16;
/// Minimum number of samples in a block.
const SMALLEST_BLOCK: usize = 64;

/// The samples of each block.
fn blocks(rows: usize) -> Vec<Range<usize>> {
    let block = SMALLEST_BLOCK.max(rows.div_ceil(MOST_BLOCKS));
    let starts = (0..rows).step_by(block);
    starts.map(|start| start..rows.min(start + block)).collect()
}

/// The second derivative at a metric, stored as the contributions of the samples.
#[derive(Debug)]
pub(super) struct Curvature {
    labels: usize,
    rows: usize,
    blocks: Vec<SampleBlock>,
}

/// The contributions of a block of samples, concatenated.
#[derive(Debug, Default)]
struct SampleBlock {
    samples: Vec<Sample>,
    /// The free coordinates of all samples.
    free: Vec<usize>,
    /// The Cholesky factors of Q_FF of all samples.
    factors: Vec<f64>,
    /// φ of all samples, times the roots of their weights: the contributions are quadratic in φ.
    directions: Vec<f64>,
}

/// Offsets of a sample's entries in its block.
#[derive(Debug, Clone, Copy)]
struct Sample {
    free: usize,
    count: usize,
    factor: usize,
    direction: usize,
}

impl Curvature {
    /// The second derivative at the metric Q with the given most violated points.
    pub(super) fn at(problem: &Problem, metric: &Matrix, points: &Matrix) -> Self {
        let rows = problem.rows();
        let blocks = blocks(rows)
            .into_par_iter()
            .map(|rows| {
                let mut own = SampleBlock::default();
                for row in rows {
                    own.add(problem, metric, row, points.row(row));
                }
                own
            })
            .collect();
        Self {
            labels: problem.labels(),
            rows,
            blocks,
        }
    }

    /// The operator as a matrix acting on packed symmetric matrices.
    pub(super) fn assemble(&self) -> Matrix {
        let size = packed_size(self.labels);
        let sums = self.sum(size, |block, sums| block.add_products(self.labels, sums));
        symmetrised(self.labels, &sums)
    }

    /// The operator applied to a symmetric matrix D.
    pub(super) fn multiply(&self, d: &Matrix) -> Matrix {
        let sums = self.sum(self.labels, |block, sums| block.add_action(d, sums));
        Matrix::from_fn(self.labels, self.labels, |j, k| sums[(j, k)] + sums[(k, j)])
    }

    /// The mean over samples of the square matrices that the blocks sum up.
    fn sum(&self, size: usize, add: impl Fn(&SampleBlock, &mut Matrix) + Sync) -> Matrix {
        let sums: Vec<Matrix> = self
            .blocks
            .par_iter()
            .map(|block| {
                let mut sums = Matrix::zeros(size, size);
                add(block, &mut sums);
                sums
            })
            .collect();
        let mut total = Matrix::zeros(size, size);
        for sum in &sums {
            add_scaled(total.values_mut(), 1.0 / self.rows as f64, sum.values());
        }
        total
    }
}

impl SampleBlock {
    /// Adds a sample, unless it has no free coordinates or Q_FF is numerically singular.
    fn add(&mut self, problem: &Problem, metric: &Matrix, row: usize, point: &[f64]) {
        let start = self.free.len();
        let inside = |&j: &usize| point[j] > 0.0 && point[j] < 1.0;
        self.free.extend((0..point.len()).filter(inside));
        let count = self.free.len() - start;
        let factor = self.factors.len();
        if count == 0 || !factorise(metric, &self.free[start..], &mut self.factors) {
            self.free.truncate(start);
            self.factors.truncate(factor);
            return;
        }
        self.samples.push(Sample {
            free: start,
            count,
            factor,
            direction: self.directions.len(),
        });
        let root = problem.root_weight(row).unwrap_or(1.0);
        let pairs = problem.predictions().row(row).iter().zip(point);
        self.directions.extend(pairs.map(|(p, z)| root * (p - z)));
    }

    /// The free coordinates, the factor of Q_FF and the weighted φ of each sample.
    fn iter(&self, labels: usize) -> impl Iterator<Item = (&[usize], &[f64], &[f64])> {
        self.samples.iter().map(move |sample| {
            (
                &self.free[sample.free..][..sample.count],
                &self.factors[sample.factor..][..sample.count * sample.count],
                &self.directions[sample.direction..][..labels],
            )
        })
    }

    /// Adds 2(Q_FF⁻¹)_ab·φ_kφ_l to the row of the pair (a, b) and the column of the pair (k, l).
    fn add_products(&self, labels: usize, sums: &mut Matrix) {
        let mut products = vec![0.0; packed_size(labels)];
        for (free, factor, direction) in self.iter(labels) {
            let inverse = inverse(factor, free.len());
            let mut start = 0;
            for (j, factor) in direction.iter().enumerate() {
                let row = &mut products[start..start + labels - j];
                for (product, other) in row.iter_mut().zip(&direction[j..]) {
                    *product = factor * other;
                }
                start += labels - j;
            }
            for (row, &a) in free.iter().enumerate() {
                for (column, &b) in free[..=row].iter().enumerate() {
                    let weight = 2.0 * inverse[row * free.len() + column];
                    add_scaled(sums.row_mut(index(labels, b, a)), weight, &products);
                }
            }
        }
    }

    /// Adds w φᵀ with w = Q_FF⁻¹(Dφ)_F.
    fn add_action(&self, d: &Matrix, sums: &mut Matrix) {
        let mut image = Vec::new();
        for (free, factor, direction) in self.iter(d.rows()) {
            image.clear();
            image.extend(free.iter().map(|&j| dot(d.row(j), direction)));
            small::substitute(factor, &mut image);
            for (&weight, &j) in image.iter().zip(free) {
                add_scaled(sums.row_mut(j), weight, direction);
            }
        }
    }
}

/// Appends the Cholesky factor of Q on the given coordinates; returns false if it does not exist.
fn factorise(metric: &Matrix, free: &[usize], factors: &mut Vec<f64>) -> bool {
    let start = factors.len();
    for &j in free {
        let entries = metric.row(j);
        factors.extend(free.iter().map(|&k| entries[k]));
    }
    small::factorise(&mut factors[start..], free.len(), 0.0)
}

/// The inverse of a matrix from its Cholesky factor.
fn inverse(factor: &[f64], size: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; size * size];
    for (k, column) in inverse.chunks_exact_mut(size).enumerate() {
        column[k] = 1.0;
        small::substitute(factor, column);
    }
    inverse
}

/// The matrix of the operator from sums over the pairs (a, b) and (k, l): the entry for the unit matrices at (a, k)
/// and (b, l) is the sum over both orders of each pair.
fn symmetrised(labels: usize, sums: &Matrix) -> Matrix {
    let pairs: Vec<(usize, usize)> = (0..labels)
        .flat_map(|j| (j..labels).map(move |k| (j, k)))
        .collect();
    let term = |a, b, k, l| sums[(index(labels, a, b), index(labels, k, l))];
    let mut matrix = Matrix::zeros(pairs.len(), pairs.len());
    for (row, &(a, k)) in pairs.iter().enumerate() {
        for (column, &(b, l)) in pairs.iter().enumerate().skip(row) {
            let all = term(a, b, k, l) + term(a, l, k, b) + term(k, b, a, l) + term(k, l, a, b);
            let value = all * norm(a, k) * norm(b, l);
            matrix[(row, column)] = value;
            matrix[(column, row)] = value;
        }
    }
    matrix
}

/// A unit matrix at (a, k) is this factor times the sum of the two single-entry matrices.
fn norm(a: usize, k: usize) -> f64 {
    if a == k { 0.5 } else { FRAC_1_SQRT_2 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::Separation;
    use crate::code::max_margin::certificate::Certificate;
    use crate::code::max_margin::packed::{pack, unpack};
    use crate::code::max_margin::testing::{
        any_problem, assert_close, cube_points, definite, inner, moved, norm, problem, stream,
        symmetric,
    };
    use crate::code::max_margin::violated::Violated;
    use crate::linalg::{multiply, symmetric_eigen};

    fn violated(problem: &Problem, metric: &Matrix) -> Matrix {
        Violated::in_cube(problem, metric, problem.truth()).points
    }

    fn gradient(problem: &Problem, points: &Matrix) -> Matrix {
        Certificate::new(problem, Separation::Relaxed, points).dual
    }

    /// Whether each coordinate is at zero, and whether it is at one.
    fn bounds_reached(points: &Matrix) -> Vec<(bool, bool)> {
        let values = points.values().iter();
        values.map(|z| (*z <= 0.0, *z >= 1.0)).collect()
    }

    proptest! {
        #[test]
        fn the_operator_is_the_derivative_of_the_gradient((rows, labels) in (1usize..8, 1usize..6), seed: u64) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, rows, labels, 10.0);
            let metric = definite(&mut stream, labels);
            let along = symmetric(&mut stream, labels);
            let points = violated(&problem, &metric);
            let step = 1e-6 / norm(&along);
            let ends = [step, -step].map(|t| violated(&problem, &moved(&metric, t, &along)));
            // The second derivative is discontinuous where a coordinate reaches or leaves a face.
            prop_assume!(ends.iter().all(|end| bounds_reached(end) == bounds_reached(&points)));
            let [ahead, behind] = ends.map(|end| gradient(&problem, &end));
            let change = moved(&ahead, -1.0, &behind);
            let slope = Matrix::from_fn(labels, labels, |j, k| change[(j, k)] / (2.0 * step));
            let found = Curvature::at(&problem, &metric, &points).multiply(&along);
            let difference = norm(&moved(&slope, -1.0, &found));
            prop_assert!(difference <= 1e-4 * (norm(&along) + norm(&found)), "{slope:?} {found:?}");
        }

        #[test]
        fn the_assembled_matrix_is_the_same_operator(
            (rows, labels) in (1usize..200, 1usize..6),
            seed: u64,
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, rows, labels, 10.0);
            let metric = definite(&mut stream, labels);
            // The operator is defined at any points, most violated or not.
            let points = cube_points(&mut stream, rows, labels);
            let curvature = Curvature::at(&problem, &metric, &points);
            let along = symmetric(&mut stream, labels);
            let packed = Matrix::new(packed_size(labels), 1, pack(&along)).unwrap();
            let assembled = curvature.assemble();
            let image = multiply(assembled.view(), packed.view());
            let applied = curvature.multiply(&along);
            assert_close(&unpack(labels, image.values()), &applied, 1e-11);
            let lowest = *symmetric_eigen(assembled.clone()).unwrap().values.last().unwrap();
            prop_assert!(lowest >= -1e-12 * norm(&assembled), "{lowest}");
            prop_assert!(inner(&along, &applied) >= -1e-12 * norm(&applied) * norm(&along));
        }
    }

    #[test]
    fn every_sample_counts_once_for_any_number_of_blocks() {
        let mut stream = stream(7);
        for rows in [63, 64, 65, 129, 16 * 64, 16 * 64 + 1] {
            let problem = problem(&mut stream, rows, 3, 10.0);
            let metric = definite(&mut stream, 3);
            let points = cube_points(&mut stream, rows, 3);
            let along = symmetric(&mut stream, 3);
            let mut expected = 0.0;
            for row in 0..rows {
                let mut own = SampleBlock::default();
                let point = points.row(row);
                own.add(&problem, &metric, row, point);
                let mut sums = Matrix::zeros(3, 3);
                own.add_action(&along, &mut sums);
                expected += 2.0 * inner(&sums, &along) / rows as f64;
            }
            let curvature = Curvature::at(&problem, &metric, &points);
            let found = inner(&curvature.multiply(&along), &along);
            assert!(
                (found - expected).abs() <= 1e-11 * expected,
                "{rows}: {found} {expected}"
            );
        }
    }

    #[test]
    fn points_at_corners_have_no_curvature() {
        let mut stream = stream(8);
        let problem = problem(&mut stream, 5, 3, 10.0);
        let curvature = Curvature::at(&problem, &definite(&mut stream, 3), problem.truth());
        let zero = Matrix::zeros(3, 3);
        assert_eq!(curvature.multiply(&symmetric(&mut stream, 3)), zero);
        assert_eq!(curvature.assemble(), Matrix::zeros(6, 6));
    }
}
