//! Predicted codewords for decoding by eq. (15): directions, their regressions, and the noise of each.

use crate::Result;
use crate::code::Code;
use crate::data::Matrix;
use crate::learn::ridge::Ridge;
use crate::learn::{LinearModel, Training, shares_of};

/// Directions of label space for decoding by eq. (15).
#[derive(Debug, Clone)]
pub(super) struct Codewords {
    /// q×d.
    pub(super) projections: Matrix,
    /// Predictions of the projected labels.
    pub(super) model: LinearModel,
    /// Held-out predictions of the training rows, n×d.
    pub(super) held_out: Matrix,
    /// The mean squared error of each prediction.
    pub(super) noise: Vec<f64>,
    /// The penalty of each regression that predictions are made of, as a share of the scatter of the features.
    pub(super) penalties: Vec<f64>,
}

impl Codewords {
    /// The directions of a code, each regressed by itself (4), with errors taken to be uncorrelated (15).
    pub(super) fn regressed(training: &Training<'_>, code: &Code) -> Result<Self> {
        let ridge = training.regress(&code.targets())?;
        Ok(Self {
            projections: code.projections.clone(),
            model: ridge.model().clone(),
            held_out: ridge.held_out().clone(),
            noise: ridge.noise().to_vec(),
            penalties: penalties(training, &ridge)?,
        })
    }
}

/// The penalties of regressions, as shares of the scatter of the features.
pub(super) fn penalties(training: &Training<'_>, ridge: &Ridge) -> Result<Vec<f64>> {
    Ok(shares_of(ridge.penalties(), training.total_scatter()?))
}
