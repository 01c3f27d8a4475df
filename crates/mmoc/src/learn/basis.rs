//! The coordinates in which regressions are solved.

use crate::data::{CsrView, FeaturesView, Matrix};
use crate::linalg::{Design, Factorisation, Rotation, column_scatters};

/// Training features in the coordinates that suit the iterative solvers.
///
/// Dense features are rotated onto their principal axes, where a diagonal preconditioner is close to the
/// Hessian of every label, penalty and fold. Sparse features stay as they are: products with them are
/// cheap, rotated they would be dense, and columns that rarely occur together are close to orthogonal
/// already.
#[derive(Debug, Clone, Copy)]
pub enum Basis<'a> {
    /// Rotated features, with the factorisation and the original features to come back to.
    Rotated(&'a Rotation, &'a Factorisation, FeaturesView<'a>),
    /// The sparse features themselves.
    Original(CsrView<'a>),
}

impl Basis<'_> {
    /// Number of training rows.
    pub fn rows(self) -> usize {
        self.design().rows()
    }

    /// The matrix of the regressions in these coordinates.
    pub(crate) fn design(&self) -> Design<'_> {
        match self {
            Self::Rotated(rotation, ..) => Design::Dense(rotation.rotated()),
            Self::Original(x) => Design::Sparse(*x),
        }
    }

    /// The squared length of each column of the matrix around its mean.
    pub(crate) fn scatters(self) -> Vec<f64> {
        match self {
            Self::Rotated(rotation, ..) => rotation.scatters().to_vec(),
            Self::Original(x) => column_scatters(x),
        }
    }

    /// The columns of largest scatter, at most `count`, one per row, if they come first.
    pub(crate) fn head(self, count: usize) -> Matrix {
        match self {
            Self::Rotated(rotation, ..) => {
                let z = rotation.rotated();
                Matrix::from_fn(count.min(z.columns()), z.rows(), |k, row| z[(row, k)])
            }
            Self::Original(_) => Matrix::default(),
        }
    }

    /// Coefficients for the original features, p×m, and what their means add to the intercepts, from
    /// coefficients in these coordinates.
    pub(crate) fn to_original(self, coefficients: Matrix) -> (Matrix, Vec<f64>) {
        match self {
            Self::Original(_) => {
                let shifts = vec![0.0; coefficients.columns()];
                (coefficients, shifts)
            }
            Self::Rotated(rotation, factorisation, x) => {
                let original = rotation.coefficients(x, factorisation, &coefficients);
                let shifts = factorisation.shifts(&original);
                (original, shifts)
            }
        }
    }
}
