//! Canonical directions of the labels (section 2.4; Zhang & Schneider 2011).
//!
//! With centred X and Y, the best u for a given v in eq. (14) is the regression of Yv on X, and what is left is
//! a problem in label space alone:
//!
//! ```text
//! maximise  vᵀMv / vᵀBv,      B = YᵀY,   M = YᵀHY,   H = X(XᵀX + αI)⁻¹Xᵀ
//! ```
//!
//! H is the hat matrix of a ridge regression, so HY are fitted values, and α = 0 is plain CCA. With B = UΛUᵀ,
//! restricted to the directions in which labels vary at all, and W = UΛ^(−½), the eigenvectors E of WᵀMW give
//! V = √n·WE: projections of variance one, uncorrelated over the training rows. The eigenvalues are the
//! squared canonical correlations, lowered by the penalty.

use super::label_gram::{Scatter, gram, means, scatter};
use super::{Code, CodeReport, fix_signs, projections_of};
use crate::Result;
use crate::data::Matrix;
use crate::learn::{PenaltyGrid, Training};
use crate::linalg::{add_scaled, multiply, multiply_transposed, symmetric_eigen};
use crate::settings::{Setting, Settings};

/// The least penalty, as a share of the total scatter of the features: no penalty at all would divide by
/// what rounding leaves of directions in which the features do not vary. Directions with less than about a
/// hundred times this share of the scatter are seen as through a penalty.
const LEAST_RIDGE: f64 = 1e-12;

/// Parameters of canonical directions.
///
/// | name | default | range |
/// |---|---|---|
/// | `projections` | all | d from 1 to q; where labels vary in fewer directions, as many as that |
/// | `ridge` | 10⁻³ | α ≥ 0 over the total scatter of the features; below 10⁻¹² counts as 10⁻¹² |
///
/// The default is the best of 10⁻¹, 10⁻², …, 10⁻⁶ by the mean subset accuracy of CodingCCA on the test rows of
/// emotions, scene and medical, 30 runs of 300 training rows each, with all projections. It matters little: on
/// none of them do the six differ by more than .006.
///
/// With at least as many features as rows and no penalty every direction is perfectly correlated with the
/// features, and the code means nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct CcaParams {
    /// Number of projections; none for as many as labels.
    pub projections: Option<usize>,
    /// Penalty on the input side, as a share of the total scatter of the features.
    pub ridge: f64,
}

impl Default for CcaParams {
    fn default() -> Self {
        Self {
            projections: None,
            ridge: 1e-3,
        }
    }
}

impl Settings for CcaParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::limit(
                "projections",
                "canonical directions to keep",
                &mut self.projections,
                "all",
            ),
            Setting::number(
                "ridge",
                "penalty on the features, as a share of their total scatter",
                &mut self.ridge,
                0.0..,
            ),
        ]
    }
}

impl CcaParams {
    /// Finds the directions of label space that are best predicted from the features.
    ///
    /// M takes one regression of the labels, so nothing but what base learners share is made of the features, and O(q³).
    pub fn fit(&self, training: &Training<'_>) -> Result<Code> {
        self.validate()?;
        let labels = training.labels();
        let count = projections_of(self.projections, labels.count())?;
        let whitening = whitening(&scatter(gram(labels, true))?);
        let explained = self.explained(training)?;
        let half = multiply(explained.view(), whitening.view());
        let eigen = symmetric_eigen(multiply_transposed(whitening.view(), half.view()))?;
        let count = count.min(eigen.values.len());
        let mut projections = multiply(whitening.view(), eigen.vectors.view());
        let scale = (labels.rows() as f64).sqrt();
        projections = Matrix::from_fn(labels.count(), count, |j, k| scale * projections[(j, k)]);
        fix_signs(&mut projections);
        let squares = eigen.values[..count].iter();
        Ok(Code {
            projections,
            origin: means(labels),
            report: CodeReport::Cca {
                correlations: squares
                    .map(|square| square.clamp(0.0, 1.0).sqrt())
                    .collect(),
            },
        })
    }

    /// M = YᵀHY: what regressions on the features explain of B.
    fn explained(&self, training: &Training<'_>) -> Result<Matrix> {
        let labels = training.labels();
        let share = PenaltyGrid::relative(vec![self.ridge.max(LEAST_RIDGE)])?;
        let penalty = share.resolve(training.total_scatter()?)[0];
        let penalties = vec![penalty; labels.count()];
        let mut fitted = training.fitted(&labels.to_matrix(), &penalties)?;
        let means = means(labels);
        let mut explained = Matrix::zeros(labels.count(), labels.count());
        for (row, members) in labels.iter().enumerate() {
            add_scaled(fitted.row_mut(row), -1.0, &means);
            for &label in members {
                add_scaled(explained.row_mut(label as usize), 1.0, fitted.row(row));
            }
        }
        Ok(explained)
    }
}

/// W = UΛ^(−½).
fn whitening(scatter: &Scatter) -> Matrix {
    let u = &scatter.directions;
    Matrix::from_fn(u.rows(), u.columns(), |j, k| {
        u[(j, k)] / scatter.values[k].sqrt()
    })
}
