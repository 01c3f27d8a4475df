//! Predicted label sets.

use crate::Result;
use crate::data::{Labels, Matrix, Targets};
use crate::learn::logistic::sigmoid;
use crate::metrics::Evaluation;

/// Predicted label sets, with scores and probabilities if the method has any.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The label set of each row.
    pub labels: Labels,
    /// Scores, n×q: higher is more likely. Metrics use them only if there are no probabilities.
    pub scores: Option<Matrix>,
    /// The probability of each label, n×q.
    pub probabilities: Option<Matrix>,
    /// The probability that the label set of each row is right, recalibrated after training, if there is a posterior
    /// over label sets. Probabilities of [`LikelySet`](crate::posterior::LikelySet) are those of the posterior before.
    pub confidence: Option<Vec<f64>>,
}

impl Prediction {
    /// Compares the prediction with the true labels of the same rows: [`Labels`], a [`Dataset`](crate::data::Dataset), or
    /// [`Targets`]. Rows count with their weights, and labels that are not known do not count.
    ///
    /// Rankings and areas under curves are those of [`Self::ranking`].
    pub fn score<'a>(&self, truth: impl Into<Targets<'a>>) -> Result<Evaluation> {
        Evaluation::of(
            truth,
            &self.labels,
            self.ranking(),
            self.probabilities.as_ref(),
        )
    }

    /// The numbers by which metrics rank labels and rows, n×q: probabilities, which all front ends show, or scores if
    /// there are none. The two may order rows differently, as the votes of calibrated label ranking do.
    pub fn ranking(&self) -> Option<&Matrix> {
        self.probabilities.as_ref().or(self.scores.as_ref())
    }

    /// The labels with positive log-odds, n×q, with the log-odds as scores.
    pub(crate) fn from_log_odds(log_odds: Matrix) -> Self {
        let (rows, columns) = (log_odds.rows(), log_odds.columns());
        let probability = |i, j| sigmoid(log_odds[(i, j)]);
        Self {
            labels: Labels::from_fn(rows, columns, |i, j| log_odds[(i, j)] > 0.0),
            probabilities: Some(Matrix::from_fn(rows, columns, probability)),
            scores: Some(log_odds),
            confidence: None,
        }
    }

    /// The predictions of consecutive rows; either all or none have scores, and likewise probabilities.
    pub(crate) fn concatenated(labels: usize, mut pieces: Vec<Self>) -> Self {
        if pieces.len() == 1 {
            return pieces.remove(0);
        }
        let stacked = |part: fn(&Self) -> Option<&Matrix>| {
            let parts: Option<Vec<&Matrix>> = pieces.iter().map(part).collect();
            parts.map(|parts| {
                let rows = parts.iter().map(|part| part.rows()).sum();
                let values = parts.iter().flat_map(|part| part.values());
                Matrix::new(rows, labels, values.copied().collect())
                    .expect("every prediction has a value for each label")
            })
        };
        let (scores, probabilities) = (
            stacked(|piece| piece.scores.as_ref()),
            stacked(|piece| piece.probabilities.as_ref()),
        );
        let confidence: Option<Vec<&[f64]>> = pieces
            .iter()
            .map(|piece| piece.confidence.as_deref())
            .collect();
        let confidence = confidence.map(|parts| parts.concat());
        let sets: Vec<Labels> = pieces.into_iter().map(|piece| piece.labels).collect();
        Self {
            labels: Labels::concatenated(labels, &sets),
            scores,
            probabilities,
            confidence,
        }
    }
}
