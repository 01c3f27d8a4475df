//! A lower bound of the objective from any points of the cube.
//!
//! Let Δ have the rows δ_i = z_i − y_i of any points z_i of the cube. Since h_i is a maximum,
//! h_i(Q) ≥ g_iᵀδ_i + ⟨Q, e_iδ_iᵀ + δ_ie_iᵀ − δ_iδ_iᵀ⟩, and so for every Q ⪰ 0
//!
//! ```text
//! F(Q)/C  ≥  mean gᵀδ + ⟨Q, S⟩      S = εI + mean(eδᵀ + δeᵀ − δδᵀ)
//! ```
//!
//! which is at least mean gᵀδ wherever S ⪰ 0. Points that violate this are pulled towards the true labels:
//! tΔ has S(t) = εI + tA − t²B, and the t for which it is positive semidefinite are an interval from zero, since
//! xᵀS(t)x is concave in t and positive at zero. With exact separation tΔ is no corner of the cube, but the
//! constraints at z and at y, weighted t and 1 − t, do the same with S(t) = εI + t(A − B).

use super::{Problem, Separation};
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled};

/// Halvings of the interval that t is sought in.
const HALVINGS: usize = 30;

/// What some points of the cube prove.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    /// S at the points themselves, q×q. It is also the gradient of F/C where the points are most violated.
    pub(super) dual: Matrix,
    /// The lower bound of F/C.
    pub(super) bound: f64,
}

impl Certificate {
    /// What the points z, n×q, prove.
    pub(super) fn new(problem: &Problem, separation: Separation, points: &Matrix) -> Self {
        let moments = Moments::new(problem, points);
        let at_scale = |t: f64| match separation {
            Separation::Relaxed => moments.dual(problem.price(), t, t * t),
            Separation::Exact => moments.dual(problem.price(), t, t),
        };
        let dual = at_scale(1.0);
        let bound = if safely_semidefinite(&dual) {
            moments.gain
        } else {
            moments.gain * largest_scale(|t| safely_semidefinite(&at_scale(t)))
        };
        Self {
            dual,
            bound: bound.max(0.0),
        }
    }
}

/// Means over samples.
struct Moments {
    /// A = mean(eδᵀ + δeᵀ).
    cross: Matrix,
    /// B = mean δδᵀ.
    square: Matrix,
    /// Mean gᵀδ.
    gain: f64,
}

impl Moments {
    fn new(problem: &Problem, points: &Matrix) -> Self {
        let size = problem.labels();
        let (mut cross, mut square) = (Matrix::zeros(size, size), Matrix::zeros(size, size));
        let mut delta = vec![0.0; size];
        let (mut gain, share) = (0.0, 1.0 / problem.rows() as f64);
        for row in 0..problem.rows() {
            let pairs = points.row(row).iter().zip(problem.truth().row(row));
            for (delta, (z, y)) in delta.iter_mut().zip(pairs) {
                *delta = z - y;
            }
            for (j, &value) in delta.iter().enumerate() {
                if value != 0.0 {
                    gain += share * value * problem.gains()[(row, j)];
                    add_scaled(
                        cross.row_mut(j),
                        share * value,
                        problem.residuals().row(row),
                    );
                    add_scaled(square.row_mut(j), share * value, &delta);
                }
            }
        }
        let cross = Matrix::from_fn(size, size, |j, k| cross[(j, k)] + cross[(k, j)]);
        Self {
            cross,
            square,
            gain,
        }
    }

    /// εI + sA − tB.
    fn dual(&self, price: f64, s: f64, t: f64) -> Matrix {
        let size = self.cross.rows();
        Matrix::from_fn(size, size, |j, k| {
            let diagonal = if j == k { price } else { 0.0 };
            diagonal + s * self.cross[(j, k)] - t * self.square[(j, k)]
        })
    }
}

/// A feasible number between zero, which is, and one, which is not: nearly the largest.
fn largest_scale(is_feasible: impl Fn(f64) -> bool) -> f64 {
    let (mut feasible, mut infeasible) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (feasible + infeasible);
        if is_feasible(middle) {
            feasible = middle;
        } else {
            infeasible = middle;
        }
    }
    feasible
}

/// Whether a matrix is positive semidefinite even after what rounding may have added to it.
fn safely_semidefinite(matrix: &Matrix) -> bool {
    let size = matrix.rows();
    let largest = (0..size).map(|j| matrix[(j, j)].abs()).fold(0.0, f64::max);
    let rounding = size as f64 * f64::EPSILON * largest;
    let mut reduced = matrix.clone();
    (0..size).for_each(|j| reduced[(j, j)] -= rounding);
    Cholesky::new(reduced.view()).is_some()
}
