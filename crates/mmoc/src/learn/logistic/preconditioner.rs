//! An approximate inverse of the Hessian of one regression.
//!
//! In the rotated basis the columns come by descending scatter, and the Hessian
//! `Zᵀ(K − kkᵀ/s)Z + αI` is mostly decided by the first few. Among these it is factorised exactly; the others
//! get the diagonal `mean(k)·scatter + α`, which would be exact if all the curvatures k were equal. With 24
//! columns in the head, conjugate gradients need a quarter fewer products on scene than with the diagonal
//! alone (`docs/base-learners.md`). A larger head saves more of them; when its inverse was formed that cost more than it
//! saved.
//!
//! Sparse features are in no such order and have no head.

use super::point::Point;
use super::regression::Settings;
use crate::data::Matrix;
use crate::linalg::{add_scaled, small, vectorised, weighted_gram};

/// An approximate inverse of the Hessian at one point.
#[derive(Debug, Clone)]
pub(super) struct Preconditioner {
    /// Columns in the head.
    head: usize,
    /// The Cholesky factor of the Hessian among them, row by row. It is applied some ten times: too few
    /// to make up for an inverse.
    factor: Vec<f64>,
    inverse_diagonal: Vec<f64>,
}

impl Preconditioner {
    pub(super) fn new(point: &Point, settings: Settings<'_>, penalty: f64) -> Self {
        let mean = point.total_curvature / point.curvatures.len() as f64;
        let diagonal = settings
            .scatters
            .iter()
            .map(|scatter| mean * scatter + penalty);
        let inverse_diagonal: Vec<f64> = diagonal.map(f64::recip).collect();
        let columns = settings.head.rows();
        let mut factor = head_hessian(point, settings.head, penalty).into_values();
        // Rounding may spoil a Hessian that is positive definite by nature; the diagonal then does alone.
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

/// The Hessian among the columns of the head, given as h×n. Its upper triangle nobody reads.
fn head_hessian(point: &Point, head: &Matrix, penalty: f64) -> Matrix {
    let (mut hessian, along) = weighted_gram(head, &point.curvatures);
    for i in 0..hessian.rows() {
        add_scaled(
            hessian.row_mut(i),
            -along[i] / point.total_curvature,
            &along,
        );
        hessian[(i, i)] += penalty;
    }
    hessian
}
