//! Back-projection of codewords to label space, eq. 13.

use super::decoder::{CodeDecoding, Decode};
use super::outputs::Outputs;
use super::{check_codewords, check_finite, rounded};
use crate::code::Code;
use crate::data::{Matrix, MatrixView};
use crate::linalg::{add_scaled, multiply, multiply_by_transposed};
use crate::model_file::{Refusal, StoredParts};
use crate::{Prediction, Result, check_size};

/// y = round(Vẑ) for directions measured from the origin of label space.
///
/// If the code centred the labels around μ, the codeword of y − μ is ẑ − Vᵀμ, so
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
    /// μ − VVᵀμ: the part of the origin that codewords do not determine.
    shift: Vec<f64>,
}

impl BackProjection {
    /// Decodes codewords of the projections V, q×d, measured from the point μ of label space.
    pub fn new(projections: &Matrix, origin: &[f64]) -> Result<Self> {
        check_size(
            "coordinates of the origin",
            projections.rows(),
            origin.len(),
        )?;
        check_finite("the projections", projections)?;
        let row = MatrixView::new(1, origin.len(), origin)?;
        let said = multiply_by_transposed(&multiply(row, projections.view()), projections);
        let pairs = origin.iter().zip(said.values());
        Ok(Self {
            projections: projections.clone(),
            shift: pairs.map(|(origin, said)| origin - said).collect(),
        })
    }

    /// V, q×d.
    pub(crate) fn projections(&self) -> &Matrix {
        &self.projections
    }

    /// μ − VVᵀμ, what is added to Vẑ.
    pub(crate) fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// Decodes predictions ẑ of Vᵀy, n×d.
    pub fn decode(&self, codewords: &Matrix) -> Result<Prediction> {
        check_codewords(codewords, self.projections.columns())?;
        let mut y = multiply_by_transposed(codewords, &self.projections);
        for row in 0..y.rows() {
            add_scaled(y.row_mut(row), 1.0, &self.shift);
        }
        rounded(y)
    }
}

impl Decode for BackProjection {
    const PROBABILITIES: bool = false;

    fn labels(&self) -> usize {
        self.projections.rows()
    }

    fn outputs(&self) -> usize {
        self.projections.columns()
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        self.decode(&outputs.numbers)
    }

    fn of_code(code: &Code, _params: &CodeDecoding) -> Option<Result<Self>> {
        Some(Self::new(&code.projections, &code.origin))
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let code = parts.code()?;
        Ok(Self::new(&code.projections, &code.origin)?)
    }
}
