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

    /// Held-out predictions of the training rows, n×m: leave-one-out, or out-of-fold for iterative regressions.
    pub fn held_out(&self) -> &Matrix {
        &self.held_out
    }

    /// σ̂²: the mean squared error of the held-out predictions of each target, weighted as the rows are.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// Convergence, if the regressions are iterative.
    pub fn record(&self) -> Option<&RidgeRecord> {
        self.record.as_ref()
    }
}
