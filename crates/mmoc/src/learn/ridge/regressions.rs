//! Fitted ridge regressions.

use super::RidgeRecord;
use crate::data::Matrix;
use crate::learn::LinearModel;

/// Fitted ridge regressions, one per target.
#[derive(Debug, Clone)]
pub struct Ridge {
    pub(super) model: LinearModel,
    pub(super) penalties: Vec<f64>,
    pub(super) held_out: Matrix,
    pub(super) noise: Vec<f64>,
    pub(super) record: Option<RidgeRecord>,
}

impl Ridge {
    /// The regressions as functions of the features.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// The penalty chosen for each target.
    pub fn penalties(&self) -> &[f64] {
        &self.penalties
    }

    /// What each training row is predicted by a regression that has not seen it, n×m: that of all other rows, or by
    /// iteration that of all other folds.
    pub fn held_out(&self) -> &Matrix {
        &self.held_out
    }

    /// σ̂²: the mean squared error of the held-out predictions of each target.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// How they were solved, if that took iterations.
    pub fn record(&self) -> Option<&RidgeRecord> {
        self.record.as_ref()
    }
}
