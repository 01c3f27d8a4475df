//! Out-of-fold predictions of the classifiers.

use super::LogisticRecord;
use super::cross_validation::FoldFit;
use crate::data::Matrix;

/// Predictions of logistic regressions for the folds that they did not see.
#[derive(Debug, Clone)]
pub struct OutOfFold {
    log_odds: Matrix,
    losses: Matrix,
    record: LogisticRecord,
}

impl OutOfFold {
    pub(super) fn new(rows: usize, fits: &[FoldFit]) -> Self {
        let penalties = fits.first().map_or(0, |fit| fit.losses.len());
        Self {
            log_odds: Matrix::from_fn(rows, fits.len(), |row, label| fits[label].out_of_fold[row]),
            losses: Matrix::from_fn(penalties, fits.len(), |k, label| fits[label].losses[k]),
            record: LogisticRecord::together(fits.iter().map(|fit| &fit.record))
                .unwrap_or_default(),
        }
    }

    /// The out-of-fold log-odds of each training row and label, n×q.
    pub fn log_odds(&self) -> &Matrix {
        &self.log_odds
    }

    /// The mean held-out log loss of each penalty, strongest first, and label. Rows count by their weights in the
    /// regression of the label.
    pub fn losses(&self) -> &Matrix {
        &self.losses
    }

    /// How the regressions were solved.
    pub fn record(&self) -> &LogisticRecord {
        &self.record
    }
}
