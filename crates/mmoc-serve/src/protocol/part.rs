//! The rows of one request in the answer about a batch.

use std::ops::Range;

use mmoc::Answer;
use mmoc::posterior::LikelySet;

/// Some rows of an answer.
pub(crate) struct Part<'a> {
    pub(crate) answer: &'a Answer,
    pub(crate) rows: Range<usize>,
}

impl<'a> Part<'a> {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The predicted labels of a row.
    pub(super) fn set(&self, row: usize) -> &'a [u32] {
        self.answer.prediction.labels.row(self.rows.start + row)
    }

    /// The probabilities of all labels in a row, if the model has any.
    pub(super) fn probabilities(&self, row: usize) -> Option<&'a [f64]> {
        let all = self.answer.prediction.probabilities.as_ref();
        all.map(|all| all.row(self.rows.start + row))
    }

    /// The probability that the set of a row is right, if the model knows it.
    pub(super) fn confidence(&self, row: usize) -> Option<f64> {
        let all = self.answer.prediction.confidence.as_ref();
        all.map(|all| all[self.rows.start + row])
    }

    /// The likeliest sets of a row, at most so many: others of the batch may have asked for more.
    pub(super) fn sets(&self, row: usize, most: usize) -> &'a [LikelySet] {
        let all = self.answer.sets.as_deref().unwrap_or_default();
        let sets = all
            .get(self.rows.start + row)
            .map_or(&[][..], Vec::as_slice);
        &sets[..most.min(sets.len())]
    }
}
