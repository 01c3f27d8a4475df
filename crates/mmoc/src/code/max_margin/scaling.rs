//! Coordinates of Nesterov and Todd: those in which a metric and its dual matrix look the same.
//!
//! For Q = LLᵀ and a symmetric S let LᵀSL = U·diag(θ)·Uᵀ. With R = L·U·θ^(−¼) both R⁻¹QR⁻ᵀ and RᵀSR are diag(θ^½),
//! and in the coordinates D = RXRᵀ a primal-dual Newton step treats the two alike.

use crate::Result;
use crate::data::Matrix;
use crate::linalg::{multiply, multiply_by_transposed, multiply_transposed, symmetric_eigen};

/// L·U and θ.
#[derive(Debug)]
pub(super) struct Spectrum {
    axes: Matrix,
    /// The eigenvalues of QS, descending.
    pub(super) theta: Vec<f64>,
}

impl Spectrum {
    /// From the Cholesky factor L of a metric, and S.
    pub(super) fn new(lower: &Matrix, dual: &Matrix) -> Result<Self> {
        let inner = multiply_transposed(lower.view(), multiply(dual.view(), lower.view()).view());
        let eigen = symmetric_eigen(inner)?;
        Ok(Self {
            axes: multiply(lower.view(), eigen.vectors.view()),
            theta: eigen.values,
        })
    }

    /// The coordinates for positive numbers in place of θ.
    pub(super) fn scaling(&self, theta: &[f64]) -> Scaling {
        let roots: Vec<f64> = theta.iter().map(|theta| theta.sqrt()).collect();
        let r = Matrix::from_fn(roots.len(), roots.len(), |j, k| {
            self.axes[(j, k)] / roots[k].sqrt()
        });
        Scaling { r, roots }
    }
}

/// R and θ^½.
#[derive(Debug)]
pub(super) struct Scaling {
    /// R.
    pub(super) r: Matrix,
    /// θ^½.
    pub(super) roots: Vec<f64>,
}

impl Scaling {
    /// RXRᵀ.
    pub(super) fn outwards(&self, x: &Matrix) -> Matrix {
        multiply_by_transposed(&multiply(self.r.view(), x.view()), &self.r)
    }

    /// RᵀPR.
    pub(super) fn inwards(&self, p: &Matrix) -> Matrix {
        multiply_transposed(self.r.view(), multiply(p.view(), self.r.view()).view())
    }

    /// The eigenvalues of θ^(−¼)·X·θ^(−¼), descending: how far a step X goes, relative to where it starts.
    pub(super) fn ratios(&self, x: &Matrix) -> Result<Vec<f64>> {
        let size = self.roots.len();
        let relative = Matrix::from_fn(size, size, |j, k| {
            x[(j, k)] / (self.roots[j] * self.roots[k]).sqrt()
        });
        Ok(symmetric_eigen(relative)?.values)
    }
}

/// How much of a step with the given ratios can be taken without reaching the boundary: all of it, or the given
/// share of the way.
pub(super) fn longest_step(ratios: &[f64], share: f64) -> f64 {
    let lowest = ratios.iter().copied().fold(0.0, f64::min);
    if lowest < -share {
        -share / lowest
    } else {
        1.0
    }
}
