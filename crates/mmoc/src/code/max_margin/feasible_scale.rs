//! How far points of the cube may be scaled before they prove nothing.
//!
//! The family S(t) = εI + tA − t²B, or εI + t(A − B), is positive semidefinite on an interval from zero. Its end is
//! closed in on from both sides:
//!
//! - a Cholesky factorisation of S(t) tells whether t is inside;
//! - any vector x gives a t that is not: where xᵀS(t)x, a polynomial, becomes negative. With the eigenvector of the least
//!   eigenvalue at the end of the interval that is the end itself, with one nearby an error of second order. The
//!   factors at hand improve x by inverse iteration, the better the closer they are to singular.
//!
//! So a trial close below the upper side nearly always succeeds, and the more often one did the closer the next may be. A
//! failed one halves the interval. On 60 labels that takes a quarter of the instructions of bisection (callgrind), half of them
//! for inverse iteration.

use super::Separation;
use crate::data::Matrix;
use crate::linalg::{Cholesky, dot};

/// Relative difference of the two sides at which they are close enough.
const PRECISION: f64 = 1e-9;
/// Trials; bisection alone would take thirty.
const MOST_TRIALS: usize = 60;
/// Steps of inverse iteration with each factor. On 60 labels all together cost about as much as it.
const INVERSE_STEPS: usize = 10;

/// S(t), of which an eigenvalue counts as positive from `margin` on.
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

    /// Nearly the largest feasible number below one, which is not. None if there is none from `least` on.
    pub(super) fn largest(&self, least: f64) -> Option<f64> {
        let mut feasible = least.max(self.surely_feasible());
        let mut infeasible = 1.0_f64;
        // Not the same for all labels: differences of labels may well be what matters.
        let mut x: Vec<f64> = (0..self.cross.rows()).map(|j| 1.0 + j as f64).collect();
        infeasible = infeasible.min(self.end_along(&self.factor(feasible)?, &mut x));
        let mut room = 0.5;
        for _ in 0..MOST_TRIALS {
            if infeasible - feasible <= PRECISION * infeasible {
                break;
            }
            let trial = infeasible - room * (infeasible - feasible);
            if let Some(factor) = self.factor(trial) {
                feasible = trial;
                infeasible = infeasible.min(self.end_along(&factor, &mut x));
                room *= room;
            } else {
                infeasible = trial;
                room = 0.5;
            }
        }
        Some(feasible)
    }

    /// The factor of S(t) less the margin; none if t is not feasible.
    fn factor(&self, t: f64) -> Option<Cholesky> {
        let mut reduced = self.at(t);
        (0..reduced.rows()).for_each(|j| reduced[(j, j)] -= self.margin);
        Cholesky::new(reduced.view())
    }

    /// A number that is feasible because norms of A and B are no larger than they are, with half to spare.
    fn surely_feasible(&self) -> f64 {
        let norm = |matrix: &Matrix| dot(matrix.values(), matrix.values()).sqrt();
        let end = self.end(1.0, -norm(self.cross), norm(self.square));
        0.5 * end.min(1.0)
    }

    /// Turns x towards the least eigenvalue of what is factorised; returns where xᵀS(t)x becomes too small.
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

    /// The positive t at which e·(ε − margin) + t·a − t²·b, or the same with t·b, is zero; infinite if there is none.
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
        fn the_end_is_that_of_bisection(
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
            // Where it is asked for more than there is there is nothing, else the same.
            prop_assert_eq!(family.largest(expected * (1.0 + 1e-6)), None);
            let beyond = family.largest(expected * (1.0 - 1e-3)).unwrap();
            prop_assert!((beyond - expected).abs() <= 2.0 * PRECISION * expected, "{beyond} {expected}");
        }
    }

    #[test]
    fn nothing_is_feasible_if_the_price_is_no_more_than_rounding() {
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
