//! The lower bound from points of the cube, mixed with a strictly feasible point.
//!
//! The regressions themselves, clipped to the cube, have residuals φ well below the true ones e: their S = M − mean
//! φφᵀ is positive definite by a margin. Points whose S is not are mixed with them. Along a mixture (1 − α)z + αa
//! every xᵀSx is concave in α, so the α with S ⪰ 0 form an interval up to one, and the bound mean gᵀδ is linear.
//! The true labels y, towards which [`Certificate`](crate::code::max_margin::certificate::Certificate) scales, are
//! feasible too, but there S = εI, and with hundreds of labels the resulting bound is close to zero.

use super::clipped_predictions;
use super::rows::{map_rows, weigh_row};
use super::whitened::{Whitened, mean_square};
use crate::code::max_margin::Problem;
use crate::code::max_margin::certificate::is_definite;
use crate::data::Matrix;
use crate::linalg::{dot, multiply_transposed};

/// Bisection steps for α.
const HALVINGS: usize = 12;

/// Points with positive definite S, with their moments.
#[derive(Debug)]
pub(super) struct FeasibleAnchor {
    /// Φ = Ŷ − Z, n×q, with rows times the roots of their weights.
    residuals: Matrix,
    /// Mean φφᵀ.
    square: Matrix,
    /// Mean gᵀδ.
    gain: f64,
}

impl FeasibleAnchor {
    /// The regressions clipped to the cube if these are strictly feasible. Otherwise the midpoint between the true
    /// labels and the farthest feasible point on the segment from them to the regressions.
    pub(super) fn new(problem: &Problem, whitened: &Whitened) -> Self {
        let truth = Self::at(problem, problem.truth());
        let clipped = Self::at(problem, &clipped_predictions(problem));
        let share = truth.smallest_share(&clipped, whitened);
        if share == 0.0 {
            return clipped;
        }
        let share = 0.5 * (1.0 + share);
        let points = mixture(&clipped_predictions(problem), problem.truth(), share);
        Self::at(problem, &points)
    }

    fn at(problem: &Problem, points: &Matrix) -> Self {
        let mut residuals = problem.predictions().clone();
        map_rows(&mut residuals, |i, row| {
            for (value, z) in row.iter_mut().zip(points.row(i)) {
                *value -= z;
            }
            weigh_row(problem, i, row);
        });
        Self {
            square: mean_square(&residuals),
            gain: mean_gain(problem, points),
            residuals,
        }
    }

    /// The lower bound on F/C from the given points, mixed with these.
    pub(super) fn bound(&self, problem: &Problem, whitened: &Whitened, points: &Matrix) -> f64 {
        let other = Self::at(problem, points);
        let share = self.smallest_share(&other, whitened);
        (share * self.gain + (1.0 - share) * other.gain).max(0.0)
    }

    /// The smallest share of these points in a mixture with the others at which S is positive definite.
    fn smallest_share(&self, other: &Self, whitened: &Whitened) -> f64 {
        let size = self.square.rows();
        let rounding = rounding(&whitened.scatter);
        let is_feasible = |square: &dyn Fn(usize, usize) -> f64| {
            let dual = Matrix::from_fn(size, size, |j, k| whitened.scatter[(j, k)] - square(j, k));
            is_definite(&dual, rounding)
        };
        if is_feasible(&|j, k| other.square[(j, k)]) {
            return 0.0;
        }
        let cross = multiply_transposed(self.residuals.view(), other.residuals.view());
        let count = self.residuals.rows() as f64;
        let (mut infeasible, mut feasible) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let share: f64 = 0.5 * (feasible + infeasible);
            let rest = 1.0 - share;
            let mixed = |j, k| {
                share * share * self.square[(j, k)]
                    + share * rest * (cross[(j, k)] + cross[(k, j)]) / count
                    + rest * rest * other.square[(j, k)]
            };
            if is_feasible(&mixed) {
                feasible = share;
            } else {
                infeasible = share;
            }
        }
        feasible
    }
}

/// Bound on the rounding error of the eigenvalues of S.
fn rounding(scatter: &Matrix) -> f64 {
    let largest = (0..scatter.rows())
        .map(|j| scatter[(j, j)])
        .fold(0.0, f64::max);
    4.0 * scatter.rows() as f64 * f64::EPSILON * largest
}

fn mean_gain(problem: &Problem, points: &Matrix) -> f64 {
    let gain = |i: usize| {
        let gains = problem.gains().row(i);
        dot(gains, points.row(i)) - dot(gains, problem.truth().row(i))
    };
    problem.mean(&(0..problem.rows()).map(gain).collect::<Vec<f64>>())
}

/// (1 − share)·a + share·b.
fn mixture(a: &Matrix, b: &Matrix, share: f64) -> Matrix {
    Matrix::from_fn(a.rows(), a.columns(), |i, j| {
        (1.0 - share) * a[(i, j)] + share * b[(i, j)]
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{any_problem, cube_points, semidefinite, stream};
    use crate::code::max_margin::violated::Violated;

    fn objective(problem: &Problem, metric: &Matrix) -> f64 {
        let violated = Violated::in_cube(problem, metric, problem.truth());
        problem.objective(metric, violated.mean_slack(problem))
    }

    proptest! {
        #[test]
        fn no_metric_has_an_objective_below_the_bound(
            (rows, labels) in (1usize..12, 1usize..5), exponent in 0i32..7, seed: u64
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, rows, labels, 10f64.powi(exponent));
            let whitened = Whitened::new(&problem).unwrap();
            let anchor = FeasibleAnchor::new(&problem, &whitened);
            for _ in 0..4 {
                let points = cube_points(&mut stream, rows, labels);
                let bound = anchor.bound(&problem, &whitened, &points);
                prop_assert!(bound >= 0.0);
                for rank in 0..=labels {
                    let metric = semidefinite(&mut stream, labels, rank);
                    let value = objective(&problem, &metric);
                    prop_assert!(bound <= value * (1.0 + 1e-9) + 1e-12, "{bound} of {value}");
                }
            }
        }

        #[test]
        fn feasible_points_keep_their_gain(labels in 1usize..5, seed: u64) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, 30, labels, 1e3);
            let whitened = Whitened::new(&problem).unwrap();
            let anchor = FeasibleAnchor::new(&problem, &whitened);
            let points = mixture(problem.truth(), &clipped_predictions(&problem), 0.5);
            let dual = Matrix::from_fn(labels, labels, |j, k| {
                whitened.scatter[(j, k)] - FeasibleAnchor::at(&problem, &points).square[(j, k)]
            });
            prop_assume!(is_definite(&dual, 1e-9));
            let bound = anchor.bound(&problem, &whitened, &points);
            prop_assert_eq!(bound, mean_gain(&problem, &points).max(0.0));
        }
    }
}
