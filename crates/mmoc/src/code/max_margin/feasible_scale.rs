//! The largest scale at which points of the cube prove a bound.
//!
//! The family S(t) = εI + tA − t²B, or εI + t(A − B), is positive semidefinite on an interval from zero. Its end is
//! bracketed from both sides:
//!
//! - a Cholesky factorisation of S(t) decides whether t is feasible;
//! - any vector x gives an infeasible t, where the polynomial xᵀS(t)x becomes negative. With the eigenvector of the
//!   smallest eigenvalue at the end of the interval this t is the end itself; with a nearby vector the error is of
//!   second order. Inverse iteration with the available factors improves x, the faster the closer S(t) is to
//!   singular.
//!
//! A trial close below the upper side therefore usually succeeds, and each success moves the next trial closer. A
//! failure halves the interval. On 60 labels this takes a quarter of the instructions of bisection (callgrind),
//! half of them for inverse iteration.

use super::Separation;
use crate::data::Matrix;
use crate::linalg::{Cholesky, dot};

/// Relative width at which the bracket is small enough.
const PRECISION: f64 = 1e-9;
/// Limit on trials; bisection alone would take thirty.
const MOST_TRIALS: usize = 60;
/// Steps of inverse iteration with each factor. On 60 labels they cost about as much as the factorisation.
const INVERSE_STEPS: usize = 10;

/// S(t), with an eigenvalue counting as positive if it is at least `margin`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family<'a> {
    pub(super) separation: Separation,
    /// ε.
    pub(super) price: f64,
    /// A.
    pub(super) cross: &'a Matrix,
    /// B, positive semidefinite.
    pub(super) square: &'a Matrix,
    pub(super) margin: f64,
}

impl Family<'_> {
    /// S(t).
    pub(super) fn at(&self, t: f64) -> Matrix {
        let size = self.cross.rows();
        let s = match self.separation {
            Separation::Relaxed => t * t,
            Separation::Exact => t,
        };
        Matrix::from_fn(size, size, |j, k| {
            let diagonal = if j == k { self.price } else { 0.0 };
            diagonal + t * self.cross[(j, k)] - s * self.square[(j, k)]
        })
    }

    /// The largest feasible t up to [`PRECISION`], given that one is infeasible. `None` if no t ≥ `least` is
    /// feasible.
    pub(super) fn largest(&self, least: f64) -> Option<f64> {
        let mut feasible = least.max(self.surely_feasible());
        let mut infeasible = 1.0_f64;
        // The start is not constant over the labels: the eigenvector may be a difference of labels.
        let mut x: Vec<f64> = (0..self.cross.rows()).map(|j| 1.0 + j as f64).collect();
        infeasible = infeasible.min(self.end_along(&self.factor(feasible)?, &mut x));
        let mut step = 0.5;
        for _ in 0..MOST_TRIALS {
            if infeasible - feasible <= PRECISION * infeasible {
                break;
            }
            let trial = infeasible - step * (infeasible - feasible);
            if let Some(factor) = self.factor(trial) {
                feasible = trial;
                infeasible = infeasible.min(self.end_along(&factor, &mut x));
                step *= step;
            } else {
                infeasible = trial;
                step = 0.5;
            }
        }
        Some(feasible)
    }

    /// The factor of S(t) − margin·I; `None` if t is infeasible.
    fn factor(&self, t: f64) -> Option<Cholesky> {
        let mut reduced = self.at(t);
        (0..reduced.rows()).for_each(|j| reduced[(j, j)] -= self.margin);
        Cholesky::new(reduced.view())
    }

    /// Half of a t that is feasible by the norms of A and B.
    fn surely_feasible(&self) -> f64 {
        let norm = |matrix: &Matrix| dot(matrix.values(), matrix.values()).sqrt();
        let end = self.end(1.0, -norm(self.cross), norm(self.square));
        0.5 * end.min(1.0)
    }

    /// Improves x by inverse iteration with the factor; returns the t at which xᵀS(t)x falls below the margin.
    fn end_along(&self, factor: &Cholesky, x: &mut [f64]) -> f64 {
        for _ in 0..INVERSE_STEPS {
            factor.solve(x);
            let length = dot(x, x).sqrt();
            x.iter_mut().for_each(|x| *x /= length);
        }
        let along = |matrix: &Matrix| -> f64 {
            let products = x
                .iter()
                .enumerate()
                .map(|(j, x_j)| x_j * dot(matrix.row(j), x));
            products.sum()
        };
        self.end(dot(x, x), along(self.cross), along(self.square))
    }

    /// The positive root of e·(ε − margin) + t·a − t²·b, or of the same with t·b; infinite if there is none.
    fn end(&self, e: f64, a: f64, b: f64) -> f64 {
        let e = e * (self.price - self.margin).max(0.0);
        let b = b.max(0.0);
        let fall = match self.separation {
            Separation::Relaxed => 0.5 * ((a * a + 4.0 * b * e).sqrt() - a),
            Separation::Exact => b - a,
        };
        if fall > 0.0 { e / fall } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{semidefinite, stream, symmetric};

    fn is_feasible(family: &Family<'_>, t: f64) -> bool {
        family.factor(t).is_some()
    }

    fn bisected(family: &Family<'_>) -> f64 {
        let (mut feasible, mut infeasible) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (feasible + infeasible);
            if is_feasible(family, middle) {
                feasible = middle;
            } else {
                infeasible = middle;
            }
        }
        feasible
    }

    proptest! {
        #[test]
        fn the_end_agrees_with_bisection(
            (labels, rank, seed) in (1usize..9, 0usize..9, any::<u64>()),
            relaxed: bool,
            price in prop::sample::select(vec![1e-3, 0.05, 1.0]),
        ) {
            let mut stream = stream(seed);
            let (cross, square) = (symmetric(&mut stream, labels), semidefinite(&mut stream, labels, rank));
            let separation = if relaxed { Separation::Relaxed } else { Separation::Exact };
            let family = Family { separation, price, cross: &cross, square: &square, margin: 1e-13 };
            prop_assume!(!is_feasible(&family, 1.0));
            let expected = bisected(&family);
            let found = family.largest(0.0).unwrap();
            prop_assert!(is_feasible(&family, found));
            prop_assert!((found - expected).abs() <= 2.0 * PRECISION * expected, "{found} {expected}");
            // A lower limit above the end gives `None`; one below it does not change the result.
            prop_assert_eq!(family.largest(expected * (1.0 + 1e-6)), None);
            let beyond = family.largest(expected * (1.0 - 1e-3)).unwrap();
            prop_assert!((beyond - expected).abs() <= 2.0 * PRECISION * expected, "{beyond} {expected}");
        }
    }

    #[test]
    fn nothing_is_feasible_if_the_price_is_within_rounding_error() {
        let one = Matrix::from_fn(2, 2, |_, _| 1.0);
        for separation in [Separation::Relaxed, Separation::Exact] {
            let family = Family {
                separation,
                price: 1e-20,
                cross: &Matrix::zeros(2, 2),
                square: &one,
                margin: 1e-15,
            };
            assert_eq!(family.largest(0.0), None);
        }
    }
}
