//! The classifiers as evidence: f(x, y) = Σ_j y_j·l_j(x), with l the log-odds of each label (5).

use super::{Evidence, LearntTerm, Term};
use crate::Result;
use crate::data::Matrix;
use crate::learn::Training;
use crate::model_file::{Refusal, StoredParts};

/// Log-odds are clamped to this magnitude, infinite ones too: sums of larger ones would leave no digits for the rest.
pub const LARGEST_LOG_ODDS: f64 = 1e6;

/// The log-odds of q labels.
#[derive(Debug, Clone)]
pub(crate) struct LabelOdds {
    labels: usize,
}

impl LabelOdds {
    /// The log-odds of q labels.
    pub(crate) fn new(labels: usize) -> Self {
        Self { labels }
    }

    /// The classifiers of a training set, with out-of-fold log-odds of its rows.
    pub(crate) fn learn(training: &Training<'_>) -> Result<LearntTerm> {
        Ok(LearntTerm::linear(
            Term::Labels(Self::new(training.labels().count())),
            Some(training.classifiers()?.model().clone()),
            training.out_of_fold()?.log_odds().clone(),
        ))
    }
}

impl Evidence for LabelOdds {
    fn outputs(&self) -> usize {
        self.labels
    }

    fn of_labels(&self, mut outputs: Matrix) -> Option<Matrix> {
        let values = outputs.values_mut().iter_mut();
        values.for_each(|odds| *odds = odds.clamp(-LARGEST_LOG_ODDS, LARGEST_LOG_ODDS));
        Some(outputs)
    }

    fn has_classifiers(&self) -> bool {
        true
    }

    fn restore(_name: &str, parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        Ok(Self::new(parts.labels))
    }
}
