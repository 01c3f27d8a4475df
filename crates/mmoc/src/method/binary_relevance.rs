//! Binary relevance: one logistic regression per label, each by itself.
//!
//! The baseline of the paper's tables ("BR"). A label is predicted where its probability is above one half.

use crate::data::{FeaturesView, Labels, Matrix};
use crate::learn::logistic::sigmoid;
use crate::learn::{LinearModel, Training};
use crate::{Prediction, Result};

/// Fitted binary relevance.
#[derive(Debug, Clone)]
pub struct BinaryRelevance {
    log_odds: LinearModel,
}

impl BinaryRelevance {
    /// Takes the label classifiers of the training set.
    pub fn fit(training: &Training<'_>) -> Result<Self> {
        Ok(Self {
            log_odds: training.classifiers()?.model().clone(),
        })
    }

    /// Predicts the label set of every row; scores are log-odds.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        let scores = self.log_odds.predict(x)?;
        let labels = Labels::from_fn(scores.rows(), scores.columns(), |i, j| scores[(i, j)] > 0.0);
        let probabilities = Matrix::from_fn(scores.rows(), scores.columns(), |i, j| {
            sigmoid(scores[(i, j)])
        });
        Ok(Prediction {
            labels,
            scores: Some(scores),
            probabilities: Some(probabilities),
        })
    }
}
