//! What sparse recovery needs of a code: everything in terms of G = VVᵀ and c = Vẑ.

use super::{check_codewords, check_finite};
use crate::Result;
use crate::data::Matrix;
use crate::linalg::multiply_by_transposed;

/// The projections V, measurements of a label vector, with their Gram matrix.
#[derive(Debug, Clone)]
pub(super) struct Measurements {
    projections: Matrix,
    gram: Matrix,
}

impl Measurements {
    /// Takes V, q×d.
    pub(super) fn new(projections: &Matrix) -> Result<Self> {
        check_finite("the projections", projections)?;
        let gram = multiply_by_transposed(projections, projections);
        check_finite("the Gram matrix of the projections", &gram)?;
        Ok(Self {
            projections: projections.clone(),
            gram,
        })
    }

    /// Number of labels, q.
    pub(super) fn labels(&self) -> usize {
        self.gram.rows()
    }

    /// Number of entries of a codeword, d.
    pub(super) fn entries(&self) -> usize {
        self.projections.columns()
    }

    /// G, q×q.
    pub(super) fn gram(&self) -> &Matrix {
        &self.gram
    }

    /// c of each codeword ẑ, n×q.
    pub(super) fn correlations(&self, codewords: &Matrix) -> Result<Matrix> {
        check_codewords(codewords, self.projections.columns())?;
        let correlations = multiply_by_transposed(codewords, &self.projections);
        check_finite("the products of codewords and projections", &correlations)?;
        Ok(correlations)
    }
}
