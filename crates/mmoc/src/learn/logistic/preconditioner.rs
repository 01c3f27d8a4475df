//! An approximate inverse of the Hessian of one regression.
//!
//! In the rotated basis the columns are in descending order of scatter, and the first few dominate the Hessian
//! `Zᵀ(K − kkᵀ/s)Z + αI`. On these, the head, it is factorised exactly. The others get the diagonal
//! `mean(k)·scatter + α`, which would be exact if all curvatures k were equal. Where rows have weights, so do their
//! curvatures and the scatters, and the mean is the sum of the curvatures over the total weight of all rows. With 24 columns in the head,
//! conjugate gradients need a quarter fewer products on scene than with the diagonal alone
//! (`docs/base-learners.md`). A larger head saves more of them, but forming its inverse cost more than it saved.
//!
//! Sparse features have no such order and no head.

use super::regression::FitSettings;
use crate::data::Matrix;
use crate::linalg::{add_scaled, small, vectorised};

/// Sums over the rows of a regression for the columns of the head, z being those of a row and k its curvature.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeadSums {
    /// Σ k·zzᵀ, h×h. Only the lower triangle is used.
    pub(crate) square: Matrix,
    /// Σ k·z.
    pub(crate) along: Vec<f64>,
}

/// An approximate inverse of the Hessian at one point.
#[derive(Debug, Clone)]
pub(super) struct Preconditioner {
    /// Number of columns in the head.
    head: usize,
    /// The Cholesky factor of the Hessian on the head, row by row. It is applied about ten times, too few to
    /// justify an inverse.
    factor: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Preconditioner {
    /// The preconditioner at a point of this total curvature.
    pub(super) fn new(
        total_curvature: f64,
        head: HeadSums,
        settings: FitSettings<'_>,
        penalty: f64,
    ) -> Self {
        let mean = total_curvature / settings.total_weight;
        let diagonal = settings
            .scatters
            .iter()
            .map(|scatter| mean * scatter + penalty);
        let inverse_diagonal: Vec<f64> = diagonal.map(f64::recip).collect();
        let columns = head.along.len();
        let mut factor = head_hessian(head, total_curvature, penalty).into_values();
        // Rounding errors may make the Hessian indefinite; then the diagonal is used alone.
        let is_definite = small::factorise(&mut factor, columns, 0.0);
        Self {
            head: if is_definite { columns } else { 0 },
            factor,
            inverse_diagonal,
        }
    }

    /// Multiplies by the approximate inverse.
    pub(super) fn apply(&self, vector: &[f64], product: &mut [f64]) {
        vectorised(|| {
            let pairs = vector.iter().zip(&self.inverse_diagonal);
            for (product, (value, inverse)) in product.iter_mut().zip(pairs) {
                *product = value * inverse;
            }
        });
        let head = &mut product[..self.head];
        head.copy_from_slice(&vector[..self.head]);
        small::substitute(&self.factor, head);
    }
}

/// The Hessian on the columns of the head.
fn head_hessian(head: HeadSums, total_curvature: f64, penalty: f64) -> Matrix {
    let HeadSums {
        square: mut hessian,
        along,
    } = head;
    for i in 0..hessian.rows() {
        add_scaled(hessian.row_mut(i), -along[i] / total_curvature, &along);
        hessian[(i, i)] += penalty;
    }
    hessian
}
