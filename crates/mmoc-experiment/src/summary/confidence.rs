//! What the confidence of predictions was worth, over all runs.

use serde::Serialize;

use crate::{Confidence, Mean};

/// The confidence of all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfidenceSummary {
    /// The test rows of all runs together: the first bin of each run, the second of each, and so on.
    #[serde(flatten)]
    pub pooled: Confidence,
    /// The calibration error of a run. Few rows in a bin are rarely right exactly as often as promised, so that it is
    /// larger than that of all runs together.
    pub run_calibration_error: Mean,
}

impl ConfidenceSummary {
    /// Sums up runs; none if there are none.
    pub(super) fn of<'a>(runs: impl Iterator<Item = &'a Confidence>) -> Option<Self> {
        let runs: Vec<&Confidence> = runs.collect();
        let errors: Vec<f64> = runs.iter().map(|run| run.calibration_error).collect();
        Some(Self {
            pooled: Confidence::pooled(&runs)?,
            run_calibration_error: Mean::of(&errors)?,
        })
    }
}
