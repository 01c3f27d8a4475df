//! One step of the primal-dual hybrid gradient method.
//!
//! The dual of the max-margin problem maximises ⟨G, Z⟩ over points Z of the cube, n×q, such that no singular value
//! of (Ŷ − Z)N exceeds √n ([`super::whitened`]). With a multiplier U for this constraint it is the saddle point
//!
//! ```text
//! min over Z in the cube, max over U   −⟨G, Z⟩ + ⟨U, (Ŷ − Z)N⟩ − √n‖U‖_*
//! ```
//!
//! where ‖U‖_* is the sum of the singular values of U. A step with the step lengths τ_j = (η/ω)M_jj and σ = ηω is
//!
//! ```text
//! Z⁺ = clip(Z + τ∘(G + UNᵀ))        U⁺ = shrink(U + σ(Ŷ − 2Z⁺ + Z)N, σ√n)
//! ```
//!
//! where shrink subtracts σ√n from each singular value, clipped at zero. So U = PRᵀ has the rank of the metric, and
//! only the right singular vectors R of the argument of shrink are needed. They come from its q×q Gram matrix, the
//! largest part of the work. At the saddle point M^(½)QM^(½) is (UᵀU)^½/(2√n) in the coordinates of N.
//!
//! With weights of samples let D be diagonal with the roots of the weights relative to their mean. The gains become D²G,
//! the coupling ⟨U, D(Ŷ − Z)N⟩, and the step length of row i of Z is divided by D_ii², so that the same η is safe:
//!
//! ```text
//! Z⁺ = clip(Z + τ∘(G + D⁻¹UNᵀ))        U⁺ = shrink(U + σD(Ŷ − 2Z⁺ + Z)N, σ√n)
//! ```
//!
//! These are the steps of the problem with repeated samples: equal samples have equal rows of Z and of D⁻¹U.

use pulp::NullaryFnOnce;

use super::clipped_predictions;
use super::rows::{map_rows, weigh_row};
use super::whitened::Whitened;
use crate::Result;
use crate::code::max_margin::Problem;
use crate::data::Matrix;
use crate::linalg::{
    dot, gram, multiply, multiply_by_transposed, multiply_transposed, symmetric_eigen, vectorised,
};

/// Number of partial sums over a row.
const LANES: usize = 8;

/// The points Z and the multiplier U = PRᵀ.
#[derive(Debug)]
pub(super) struct Iterate {
    /// Z, n×q.
    pub(super) points: Matrix,
    /// P, n×k: U·R.
    left: Matrix,
    /// R, q×k, with orthonormal columns.
    right: Matrix,
    /// The singular values of U.
    lengths: Vec<f64>,
}

/// The step lengths of Z and U.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepLength {
    /// η.
    pub(super) step: f64,
    /// ω: the step length of U relative to that of Z.
    pub(super) weight: f64,
}

/// An iterate, and the largest η for which the step to it was safe.
pub(super) struct StepOutcome {
    pub(super) iterate: Iterate,
    pub(super) longest: f64,
}

impl Iterate {
    /// Z = Ŷ clipped to the cube, and U = 0.
    pub(super) fn at_predictions(problem: &Problem) -> Self {
        Self {
            points: clipped_predictions(problem),
            left: Matrix::zeros(problem.rows(), 0),
            right: Matrix::zeros(problem.labels(), 0),
            lengths: Vec::new(),
        }
    }

    /// M^(½)QM^(½) in the coordinates of N.
    pub(super) fn whitened_metric(&self) -> Matrix {
        let scale = 2.0 * (self.points.rows() as f64).sqrt();
        let scaled = Matrix::from_fn(self.right.rows(), self.right.columns(), |j, k| {
            self.right[(j, k)] * self.lengths[k] / scale
        });
        multiply_by_transposed(&scaled, &self.right)
    }

    /// Takes a step of the given length.
    pub(super) fn step(
        &self,
        problem: &Problem,
        whitened: &Whitened,
        length: StepLength,
    ) -> Result<StepOutcome> {
        let (points, moved) = self.move_points(problem, whitened, length);
        let mut reflected = Matrix::zeros(points.rows(), points.columns());
        map_rows(&mut reflected, |i, row| {
            let (new, old) = (points.row(i), self.points.row(i));
            for (j, prediction) in problem.predictions().row(i).iter().enumerate() {
                row[j] = prediction - 2.0 * new[j] + old[j];
            }
            weigh_row(problem, i, row);
        });
        let sigma = length.step * length.weight;
        let square = self.square_of_argument(whitened, &reflected, sigma);
        let shrunk = Shrunk::new(square, sigma * (points.rows() as f64).sqrt())?;

        let unwhitened = multiply(whitened.whitening.view(), shrunk.right.view());
        let overlap = multiply_transposed(self.right.view(), shrunk.right.view());
        let before = multiply(self.left.view(), overlap.view());
        let mut left = multiply(reflected.view(), unwhitened.view());
        map_rows(&mut left, |i, row| {
            for (k, (value, before)) in row.iter_mut().zip(before.row(i)).enumerate() {
                *value = (before + sigma * *value) * shrunk.factors[k];
            }
        });
        // From here on `reflected` holds D(Z⁺ − Z).
        map_rows(&mut reflected, |i, row| {
            let pairs = points.row(i).iter().zip(self.points.row(i));
            for (value, (new, old)) in row.iter_mut().zip(pairs) {
                *value = new - old;
            }
            weigh_row(problem, i, row);
        });
        let change = multiply(reflected.view(), unwhitened.view());
        let inner = |a: &Matrix, b: &Matrix| dot(a.values(), b.values());
        let coupling = inner(&left, &change) - moved.along_multiplier;
        let multiplier_moved =
            inner(&left, &left) - 2.0 * inner(&left, &before) + inner(&self.left, &self.left);
        // Rounding errors may make this difference negative.
        let multiplier_moved = multiplier_moved.max(0.0);
        let distance = length.weight * moved.squared + multiplier_moved / length.weight;
        Ok(StepOutcome {
            iterate: Self {
                points,
                left,
                right: shrunk.right,
                lengths: shrunk.lengths,
            },
            longest: longest_step(distance, coupling.abs()),
        })
    }

    /// Z⁺, and the size of Z⁺ − Z.
    fn move_points(
        &self,
        problem: &Problem,
        whitened: &Whitened,
        length: StepLength,
    ) -> (Matrix, PointChange) {
        let unwhitened = multiply(whitened.whitening.view(), self.right.view());
        let mut points = multiply_by_transposed(&self.left, &unwhitened);
        let units = (0..problem.labels()).map(|j| whitened.scatter[(j, j)]);
        let rate = length.step / length.weight;
        let (rates, weights): (Vec<f64>, Vec<f64>) =
            units.map(|unit| (rate * unit, 1.0 / unit)).unzip();
        let moves = map_rows(&mut points, |i, row| {
            if let Some(root) = problem.root_weight(i) {
                row.iter_mut().for_each(|value| *value /= root);
            }
            let change = vectorised(MoveRow {
                row,
                before: self.points.row(i),
                gains: problem.gains().row(i),
                rates: &rates,
                weights: &weights,
            });
            change.times(problem.sample_weight(i))
        });
        (points, PointChange::sum(&moves))
    }

    /// VᵀV of V = U + σTN, for T = D(Ŷ − 2Z⁺ + Z).
    fn square_of_argument(&self, whitened: &Whitened, reflected: &Matrix, sigma: f64) -> Matrix {
        let mut square = whitened.whiten(&gram(reflected.view()));
        let inner = multiply(
            multiply_transposed(self.left.view(), reflected.view()).view(),
            whitened.whitening.view(),
        );
        let cross = multiply(self.right.view(), inner.view());
        let lengths = &self.lengths;
        let scaled = Matrix::from_fn(self.right.rows(), lengths.len(), |j, k| {
            self.right[(j, k)] * lengths[k]
        });
        let own = multiply_by_transposed(&scaled, &scaled);
        let size = square.rows();
        for j in 0..size {
            for k in 0..size {
                square[(j, k)] = own[(j, k)]
                    + sigma * (cross[(j, k)] + cross[(k, j)])
                    + sigma * sigma * square[(j, k)];
            }
        }
        square
    }
}

/// The largest safe η; infinite if the points or the multiplier do not move.
fn longest_step(distance: f64, coupling: f64) -> f64 {
    if coupling > 0.0 {
        distance / (2.0 * coupling)
    } else {
        f64::INFINITY
    }
}

/// The result of shrink for a matrix V.
struct Shrunk {
    /// The right singular vectors with positive shrunk singular values, q×k.
    right: Matrix,
    /// The shrunk singular values.
    lengths: Vec<f64>,
    /// The shrunk singular values relative to those of V.
    factors: Vec<f64>,
}

impl Shrunk {
    /// From VᵀV.
    fn new(square: Matrix, shrinkage: f64) -> Result<Self> {
        let eigen = symmetric_eigen(square)?;
        let singular = eigen.values.iter().map(|value| value.max(0.0).sqrt());
        let kept: Vec<f64> = singular.take_while(|&value| value > shrinkage).collect();
        let lengths: Vec<f64> = kept.iter().map(|value| value - shrinkage).collect();
        Ok(Self {
            right: eigen.vectors.select_columns(0..kept.len()),
            factors: lengths.iter().zip(&kept).map(|(l, s)| l / s).collect(),
            lengths,
        })
    }
}

/// The size of Z⁺ − Z.
#[derive(Debug, Clone, Copy, Default)]
struct PointChange {
    /// The squared norm of D(Z⁺ − Z), coordinate j in units of √M_jj.
    squared: f64,
    /// ⟨UNᵀ, D(Z⁺ − Z)⟩.
    along_multiplier: f64,
}

impl PointChange {
    fn times(self, weight: f64) -> Self {
        Self {
            squared: weight * self.squared,
            along_multiplier: weight * self.along_multiplier,
        }
    }

    fn sum(parts: &[Self]) -> Self {
        let mut sum = Self::default();
        for part in parts {
            sum.squared += part.squared;
            sum.along_multiplier += part.along_multiplier;
        }
        sum
    }
}

/// Replaces a row of D⁻¹UNᵀ by the row of Z⁺.
struct MoveRow<'a> {
    row: &'a mut [f64],
    before: &'a [f64],
    gains: &'a [f64],
    /// τ.
    rates: &'a [f64],
    /// 1/M_jj.
    weights: &'a [f64],
}

impl NullaryFnOnce for MoveRow<'_> {
    type Output = PointChange;

    #[inline(always)]
    fn call(self) -> PointChange {
        let length = self.row.len();
        let (before, gains) = (&self.before[..length], &self.gains[..length]);
        let (rates, weights) = (&self.rates[..length], &self.weights[..length]);
        // Each lane has its own sum, so that the result does not depend on the register width.
        let (mut squared, mut along) = ([0.0; LANES], [0.0; LANES]);
        for first in (0..length).step_by(LANES) {
            for (lane, j) in (first..length.min(first + LANES)).enumerate() {
                let gradient = self.row[j];
                let value = (before[j] + rates[j] * (gains[j] + gradient)).clamp(0.0, 1.0);
                let change = value - before[j];
                self.row[j] = value;
                squared[lane] += change * change * weights[j];
                along[lane] += change * gradient;
            }
        }
        PointChange {
            squared: squared.iter().sum(),
            along_multiplier: along.iter().sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        any_problem, assert_close, diagonal, inner, moved, norm, stream,
    };

    const LENGTH: StepLength = StepLength {
        step: 0.4,
        weight: 0.8,
    };

    /// U.
    fn multiplier(iterate: &Iterate) -> Matrix {
        multiply_by_transposed(&iterate.left, &iterate.right)
    }

    /// D.
    fn roots(problem: &Problem) -> Vec<f64> {
        let rows = problem.rows();
        let root = |row| (rows as f64 * problem.share(row)).sqrt();
        (0..rows).map(root).collect()
    }

    /// A step by its definition, with dense matrices.
    fn dense_step(problem: &Problem, whitened: &Whitened, z: &Matrix, u: &Matrix) -> [Matrix; 2] {
        let n = &whitened.whitening;
        let roots = roots(problem);
        let inverse = diagonal(&roots.iter().map(|root| 1.0 / root).collect::<Vec<f64>>());
        let gradient = multiply(inverse.view(), multiply_by_transposed(u, n).view());
        let (rows, labels) = (z.rows(), z.columns());
        let next = Matrix::from_fn(rows, labels, |i, j| {
            let rate = LENGTH.step / LENGTH.weight * whitened.scatter[(j, j)];
            (z[(i, j)] + rate * (problem.gains()[(i, j)] + gradient[(i, j)])).clamp(0.0, 1.0)
        });
        let reflected = moved(&moved(problem.predictions(), -2.0, &next), 1.0, z);
        let reflected = multiply(diagonal(&roots).view(), reflected.view());
        let sigma = LENGTH.step * LENGTH.weight;
        let argument = moved(u, sigma, &multiply(reflected.view(), n.view()));
        let eigen = symmetric_eigen(multiply_transposed(argument.view(), argument.view())).unwrap();
        let shrinkage = sigma * (rows as f64).sqrt();
        let kept = Matrix::from_fn(labels, labels, |j, k| {
            let share = |l: usize| (1.0 - shrinkage / eigen.values[l].max(1e-300).sqrt()).max(0.0);
            (0..labels)
                .map(|l| eigen.vectors[(j, l)] * share(l) * eigen.vectors[(k, l)])
                .sum()
        });
        [next, multiply(argument.view(), kept.view())]
    }

    proptest! {
        #[test]
        fn steps_agree_with_the_dense_definition(rows in 1usize..12, labels in 1usize..5, seed: u64) {
            let problem = any_problem(&mut stream(seed), rows, labels, 10.0);
            let whitened = Whitened::new(&problem).unwrap();
            let mut iterate = Iterate::at_predictions(&problem);
            for _ in 0..5 {
                let [points, u] =
                    dense_step(&problem, &whitened, &iterate.points, &multiplier(&iterate));
                let stepped = iterate.step(&problem, &whitened, LENGTH).unwrap();
                // The step length up to which the step is safe.
                let z_change = moved(&points, -1.0, &iterate.points);
                let z_change = multiply(diagonal(&roots(&problem)).view(), z_change.view());
                let u_change = moved(&u, -1.0, &multiplier(&iterate));
                let coupling = inner(&u_change, &multiply(z_change.view(), whitened.whitening.view()));
                let units: f64 = (0..rows * labels)
                    .map(|l| z_change.values()[l].powi(2) / whitened.scatter[(l % labels, l % labels)])
                    .sum();
                let distance = LENGTH.weight * units + inner(&u_change, &u_change) / LENGTH.weight;
                iterate = stepped.iterate;
                prop_assert!(norm(&moved(&iterate.points, -1.0, &points)) < 1e-9);
                prop_assert!(norm(&moved(&multiplier(&iterate), -1.0, &u)) < 1e-8 * (1.0 + norm(&u)));
                if coupling.abs() > 1e-6 * distance {
                    let expected = 0.5 * distance / coupling.abs();
                    prop_assert!((stepped.longest / expected - 1.0).abs() < 1e-4);
                }
            }
        }

        #[test]
        fn the_metric_is_the_absolute_value_of_the_multiplier_over_two_root_n(labels in 1usize..5, seed: u64) {
            let problem = any_problem(&mut stream(seed), 9, labels, 10.0);
            let whitened = Whitened::new(&problem).unwrap();
            let mut iterate = Iterate::at_predictions(&problem);
            for _ in 0..3 {
                iterate = iterate.step(&problem, &whitened, LENGTH).unwrap().iterate;
            }
            let (metric, u) = (iterate.whitened_metric(), multiplier(&iterate));
            let square = multiply(metric.view(), metric.view());
            let mut expected = multiply_transposed(u.view(), u.view());
            expected.values_mut().iter_mut().for_each(|value| *value /= 4.0 * 9.0);
            assert_close(&square, &expected, 1e-9);
        }
    }
}
