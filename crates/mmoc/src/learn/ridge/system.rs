//! The linear systems of all penalties, solved through one tridiagonal form.
//!
//! Rows have weights d_i, with the diagonal matrix D, its root S and the sum d₊; without weights all are 1 and d₊ = n.
//! [`Factorisation`] gives XᵀDX = QTQᵀ or SXXᵀS = QTQᵀ with T tridiagonal. With rows b_i of B = XQ in the first case
//! and of B = S⁻¹JQ in the second, where J = I − ssᵀ/d₊ for the roots s of the weights, and for each penalty
//!
//! ```text
//! f_i = b_iᵀ(T + αI)⁻¹b_i            v = (T + αI)⁻¹BᵀD·t
//! ```
//!
//! the two cases are
//!
//! | | 1 − leverage | residual | coefficients |
//! |---|---|---|---|
//! | XᵀDX | 1 − d_i/d₊ − d_i·f_i | t − t̄ − B·v | w = Q·v |
//! | SXXᵀS | α·d_i·f_i | α·B·v | w = XᵀD·B·v |
//!
//! The second follows from I − H = αJ(SXXᵀS + αI)⁻¹J for the regression of S(t − t̄) on SX, which has no cancellation
//! and whose residuals are S times those of the rows. T + αI = LΔLᵀ with L bidiagonal and Δ diagonal, so f for all rows
//! is one pass over B, and no eigenvalues are needed. A large B is never stored as a whole ([`Coordinates`]).

use pulp::NullaryFnOnce;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::RidgeParams;
use super::coordinates::Coordinates;
use super::targets::CentredTargets;
use crate::data::Matrix;
use crate::linalg::{Factorisation, Side, Tridiagonal, vectorised};
use crate::partitions::Bulk;
use crate::{Error, Result};

/// Rows per parallel task: few enough for the first-level cache.
pub(super) const CHUNK: usize = 64;

/// The systems of all penalties of a grid, for given features.
#[derive(Debug, Clone)]
pub struct RidgeSystem<'a> {
    pub(super) factorisation: Factorisation<'a>,
    pub(super) side: Side,
    pub(super) penalties: Vec<f64>,
    factors: Vec<Factor>,
    pub(super) coordinates: Coordinates,
    /// 1 − h for every row and penalty.
    pub(super) remainders: Matrix,
}

impl RidgeParams {
    /// Prepares regressions on factorised features with at least two rows.
    pub fn prepare<'a>(&self, factorisation: &Factorisation<'a>) -> Result<RidgeSystem<'a>> {
        let x = factorisation.features();
        if x.rows() < 2 {
            return Err(Error::Parameter {
                parameter: "the number of training rows",
                expected: "at least 2 for leave-one-out".into(),
                found: x.rows().to_string(),
            });
        }
        let side = factorisation.side();
        let penalties = self
            .penalties
            .resolve_or(self.penalty, factorisation.total_scatter());
        let factors: Vec<Factor> = penalties
            .iter()
            .map(|&penalty| Factor::of(factorisation.form(), penalty))
            .collect();
        let coordinates = Coordinates::new(factorisation);
        let remainders = remainders(factorisation, &coordinates, &penalties, &factors);
        Ok(RidgeSystem {
            factorisation: factorisation.clone(),
            side,
            penalties,
            factors,
            coordinates,
            remainders,
        })
    }
}

/// 1 − h for every row and penalty.
fn remainders(
    factorisation: &Factorisation<'_>,
    coordinates: &Coordinates,
    penalties: &[f64],
    factors: &[Factor],
) -> Matrix {
    let rows = factorisation.features().rows();
    let mut remainders = Matrix::zeros(rows, penalties.len());
    let chunks = remainders
        .values_mut()
        .par_chunks_mut(CHUNK * penalties.len());
    chunks.enumerate().for_each(|(i, chunk)| {
        let some = i * CHUNK..rows.min((i + 1) * CHUNK);
        coordinates.with_rows(factorisation, some, |coordinates, first| {
            for (k, factor) in factors.iter().enumerate() {
                let forms = vectorised(QuadraticForms {
                    coordinates,
                    factor,
                    first,
                });
                let remainders = chunk.chunks_exact_mut(penalties.len());
                for (row, (remainders, form)) in (i * CHUNK..).zip(remainders.zip(forms)) {
                    remainders[k] = remainder(factorisation, row, penalties[k], form);
                }
            }
        });
    });
    remainders
}

/// 1 − h of a row from its quadratic form.
fn remainder(factorisation: &Factorisation<'_>, row: usize, penalty: f64, form: f64) -> f64 {
    let (weight, total) = (factorisation.weight(row), factorisation.total_weight());
    let remainder = match factorisation.side() {
        Side::Columns => 1.0 - weight / total - weight * form,
        Side::Rows => penalty * weight * form,
    };
    remainder.max(f64::EPSILON)
}

impl RidgeSystem<'_> {
    /// The trace of XᵀX.
    pub(super) fn total_scatter(&self) -> f64 {
        self.factorisation.total_scatter()
    }

    /// Centres targets at their means.
    pub(super) fn centred(&self, targets: &Matrix) -> Result<CentredTargets> {
        let (rows, weights) = (self.remainders.rows(), self.factorisation.weights());
        CentredTargets::new(targets, rows, weights)
    }

    /// Replaces b by the solution of (T + αI)·v = b for one penalty and every column of b.
    pub(super) fn solve(&self, penalty: usize, b: &mut Matrix) {
        self.factors[penalty].solve(b);
    }

    /// Replaces each column of b by the solution of (T + αI)·v = b for its own penalty α.
    pub(super) fn solve_each(&self, penalties: &[f64], b: &mut Matrix) {
        let mut column = Matrix::zeros(b.rows(), 1);
        for (target, &penalty) in penalties.iter().enumerate() {
            for (k, value) in column.values_mut().iter_mut().enumerate() {
                *value = b[(k, target)];
            }
            Factor::of(self.factorisation.form(), penalty).solve(&mut column);
            for (k, value) in column.values().iter().enumerate() {
                b[(k, target)] = *value;
            }
        }
    }
}

/// T + αI = LΔLᵀ with ones on the diagonal of L.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Factor {
    /// The entries of L below its diagonal; the first is zero.
    below: Bulk<f64>,
    /// Δ⁻¹.
    inverse: Bulk<f64>,
}

impl Factor {
    /// T + αI for a tridiagonal form and a penalty.
    pub(super) fn of(form: &Tridiagonal, penalty: f64) -> Self {
        let (diagonal, off_diagonal) = (form.diagonal(), form.off_diagonal());
        let mut below = vec![0.0; diagonal.len()];
        let mut inverse = vec![0.0; diagonal.len()];
        for k in 0..diagonal.len() {
            let mut pivot = diagonal[k] + penalty;
            if k > 0 {
                below[k] = off_diagonal[k - 1] * inverse[k - 1];
                pivot -= below[k] * off_diagonal[k - 1];
            }
            // A Gram matrix plus αI has no pivot below α, up to rounding error.
            inverse[k] = pivot.max(penalty).recip();
        }
        Self {
            below: Bulk(below),
            inverse: Bulk(inverse),
        }
    }

    pub(super) fn solve(&self, b: &mut Matrix) {
        let (count, columns) = (b.rows(), b.columns());
        for k in 1..count {
            let (done, rest) = b.values_mut().split_at_mut(k * columns);
            let previous = &done[(k - 1) * columns..];
            for (value, before) in rest.iter_mut().zip(previous) {
                *value -= self.below[k] * before;
            }
        }
        for k in (0..count).rev() {
            let (rest, done) = b.values_mut().split_at_mut((k + 1) * columns);
            let current = &mut rest[k * columns..];
            current
                .iter_mut()
                .for_each(|value| *value *= self.inverse[k]);
            if k + 1 < count {
                for (value, after) in current.iter_mut().zip(&done[..columns]) {
                    *value -= self.below[k + 1] * after;
                }
            }
        }
    }
}

/// b_iᵀ(T + αI)⁻¹b_i = Σ_k y_k²/Δ_k with L·y = b_i, for a block of rows.
pub(super) struct QuadraticForms<'a> {
    pub(super) coordinates: &'a Matrix,
    pub(super) factor: &'a Factor,
    pub(super) first: usize,
}

impl NullaryFnOnce for QuadraticForms<'_> {
    type Output = [f64; CHUNK];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let (mut y, mut sums) = ([0.0; CHUNK], [0.0; CHUNK]);
        let factors = self.factor.below.iter().zip(self.factor.inverse.iter());
        for (k, (below, inverse)) in factors.enumerate() {
            let b = &self.coordinates.row(k)[self.first..];
            for ((y, sum), b) in y.iter_mut().zip(&mut sums).zip(b) {
                *y = b - below * *y;
                *sum += *y * *y * inverse;
            }
        }
        sums
    }
}
