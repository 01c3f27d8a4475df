//! Mean-field inference for E(y) = ½yᵀAy − bᵀy.
//!
//! The distribution exp(−E) over label sets is approximated by independent labels with probabilities q_j, the
//! marginals, that minimise the variational free energy
//!
//! ```text
//! F(q) = Σ_j (½A_jj − b_j)·q_j + Σ_{j<k} A_jk·q_j·q_k + Σ_j q_j·log q_j + (1 − q_j)·log(1 − q_j)
//! ```
//!
//! Along one coordinate the minimiser is q_j = σ(f_j) with the field f_j = b_j − ½A_jj − Σ_{k≠j} A_jk·q_k. Labels
//! are updated in turn, each with the newest values of the others, so that F never rises.

use crate::data::Matrix;
use crate::learn::logistic::sigmoid;
use rayon::prelude::*;

/// A row is done when no marginal changes by more than this in a sweep over all labels.
const TOLERANCE: f64 = 1e-6;

/// Sweeps after which a row is left as it is.
const MOST_SWEEPS: usize = 200;

/// Marginals stay this far from zero.
const SMALLEST: f64 = f64::MIN_POSITIVE;

/// The largest number below one.
const LARGEST: f64 = 1.0 - f64::EPSILON / 2.0;

/// Mean-field inference with a coupling A = WWᵀ.
#[derive(Debug, Clone)]
pub(super) struct MeanField {
    coupling: Matrix,
}

/// The marginals of some rows.
#[derive(Debug)]
pub(super) struct Marginals {
    /// The fields, n×q: the log-odds of the marginals.
    pub(super) log_odds: Matrix,
    /// The marginals, strictly between 0 and 1, n×q.
    pub(super) probabilities: Matrix,
}

impl MeanField {
    /// Prepares inference with A (q×q) and its factor W (q×d).
    pub(super) fn new(_factor: Matrix, coupling: Matrix) -> Self {
        Self { coupling }
    }

    /// The marginals for b (n×q), from the probabilities of the classifiers.
    pub(super) fn marginals(&self, evidence: Matrix, log_odds: &Matrix) -> Marginals {
        let mut fields = evidence;
        let q = fields.columns();
        let mut probabilities = Matrix::from_fn(fields.rows(), q, |i, j| sigmoid(log_odds[(i, j)]));
        if q > 0 {
            let rows = fields.values_mut().par_chunks_mut(q);
            let rows = rows.zip(probabilities.values_mut().par_chunks_mut(q));
            rows.for_each(|(b, p)| self.solve(b, p));
        }
        Marginals {
            log_odds: fields,
            probabilities,
        }
    }

    fn solve(&self, b: &mut [f64], p: &mut [f64]) {
        let bias: Vec<f64> = (0..b.len())
            .map(|j| b[j] - 0.5 * self.coupling[(j, j)])
            .collect();
        for _ in 0..MOST_SWEEPS {
            let mut change: f64 = 0.0;
            for j in 0..b.len() {
                let row = self.coupling.row(j);
                b[j] = bias[j] + row[j] * p[j] - crate::linalg::dot(row, p);
                let next = sigmoid(b[j]);
                change = change.max((next - p[j]).abs());
                p[j] = next;
            }
            if change <= TOLERANCE {
                break;
            }
        }
        p.iter_mut().for_each(|p| *p = p.clamp(SMALLEST, LARGEST));
    }
}
