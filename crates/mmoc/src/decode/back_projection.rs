//! Back-projection of codewords to label space, eq. 13.

use super::{check_codewords, rounded};
use crate::code::Code;
use crate::data::Matrix;
use crate::linalg::{multiply, multiply_by_transposed};
use crate::{Prediction, Result, check_size};

/// y = round(Vẑ) for directions measured from the origin of label space.
///
/// A code that centred the labels around μ measures from there: what ẑ says about y − μ is ẑ − Vᵀμ, so
///
/// ```text
/// y = μ + V(ẑ − Vᵀμ)
/// ```
///
/// which for orthonormal directions is the label vector nearest to μ among those with the codeword ẑ. The
/// labels are those with y_j > ½, the scores are y. O(nqd).
#[derive(Debug, Clone)]
pub struct BackProjection {
    projections: Matrix,
    origin: Vec<f64>,
}

impl BackProjection {
    /// Decodes codewords of the given code.
    pub fn new(code: &Code) -> Self {
        Self {
            projections: code.projections.clone(),
            origin: code.origin.clone(),
        }
    }

    /// Decodes predictions ẑ of Vᵀy, n×d.
    pub fn decode(&self, codewords: &Matrix) -> Result<Prediction> {
        let v = &self.projections;
        check_size("coordinates of the origin", v.rows(), self.origin.len())?;
        check_codewords(codewords, v.columns())?;
        let mut y = multiply_by_transposed(codewords, v);
        let shift = self.shift()?;
        for row in 0..y.rows() {
            crate::linalg::add_scaled(y.row_mut(row), 1.0, &shift);
        }
        rounded(y)
    }

    /// μ − VVᵀμ: the part of the origin that codewords say nothing about.
    fn shift(&self) -> Result<Vec<f64>> {
        let v = self.projections.view();
        let origin = Matrix::new(1, self.origin.len(), self.origin.clone())?;
        let said = multiply_by_transposed(&multiply(origin.view(), v), &self.projections);
        let pairs = self.origin.iter().zip(said.values());
        Ok(pairs.map(|(origin, said)| origin - said).collect())
    }
}
