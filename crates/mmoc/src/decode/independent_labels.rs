//! Each label by its own log-odds: binary relevance.

use super::check_numbers;
use super::decoder::Decode;
use super::outputs::Outputs;
use crate::model_file::{Refusal, StoredParts};
use crate::{Prediction, Result};

/// Predicts the labels of positive log-odds.
#[derive(Debug, Clone)]
pub struct IndependentLabels {
    labels: usize,
}

impl IndependentLabels {
    /// Decodes the log-odds of q labels.
    pub fn new(labels: usize) -> Self {
        Self { labels }
    }
}

impl Decode for IndependentLabels {
    fn labels(&self) -> usize {
        self.labels
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        check_numbers(self.labels, &outputs.numbers)?;
        Ok(Prediction::from_log_odds(outputs.numbers))
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        Ok(Self::new(parts.labels))
    }
}
