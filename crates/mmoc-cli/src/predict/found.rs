//! What is found out about some rows: what is shown of them, and no more.

use mmoc::posterior::LikelySet;
use mmoc::{Model, Prediction};
use mmoc_io::{Batch, RowId};

use super::sheet::Sheet;
use super::shown::Shown;
use crate::failure::Failure;

/// What is found out about some rows.
pub(super) struct Found {
    pub(super) prediction: Prediction,
    /// The likeliest label sets of each row; none if they are not shown.
    pub(super) likeliest: Vec<Vec<LikelySet>>,
    /// What the rows are called; nothing if it is not shown.
    ids: Option<Vec<RowId>>,
    /// Rows of a lower confidence are undecided.
    least: Option<f64>,
}

impl Found {
    /// What a sheet shows of rows.
    pub(super) fn of(model: &Model, sheet: &Sheet<'_>, batch: Batch) -> Result<Self, Failure> {
        let rows = batch.features.view();
        let likeliest = match sheet.shown {
            Shown::Likeliest { count } => model.likeliest_sets(rows, count)?,
            _ => Vec::new(),
        };
        let sets_suffice = matches!(sheet.shown, Shown::Sets | Shown::Likeliest { .. });
        let prediction = if sets_suffice && !sheet.certainty.is_needed() {
            Prediction {
                labels: model.label_sets(rows)?,
                scores: None,
                probabilities: None,
                confidence: None,
            }
        } else {
            model.predict(rows)?
        };
        Ok(Self {
            prediction,
            likeliest,
            ids: batch.ids,
            least: sheet.certainty.least,
        })
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.prediction.labels.rows()
    }

    /// What a row is called, if it is shown.
    pub(super) fn id(&self, row: usize) -> Option<&RowId> {
        self.ids.as_ref().map(|ids| &ids[row])
    }

    /// Number of labels.
    pub(super) fn labels(&self) -> usize {
        self.prediction.labels.count()
    }

    /// The predicted labels of a row; none if it is undecided.
    pub(super) fn set(&self, row: usize) -> Option<&[u32]> {
        self.is_decided(row)
            .then(|| self.prediction.labels.row(row))
    }

    /// Whether a label is predicted; none if the row is undecided.
    pub(super) fn has(&self, row: usize, label: usize) -> Option<bool> {
        self.is_decided(row)
            .then(|| self.prediction.labels.contains(row, label))
    }

    fn is_decided(&self, row: usize) -> bool {
        self.least.is_none_or(|least| self.confidence(row) >= least)
    }

    /// Number of rows that are undecided.
    pub(super) fn undecided(&self) -> usize {
        (0..self.rows())
            .filter(|&row| !self.is_decided(row))
            .count()
    }

    /// The probability that the label set of a row is right, which must be there.
    pub(super) fn confidence(&self, row: usize) -> f64 {
        let all = self.prediction.confidence.as_ref();
        all.expect("checked before any row was read")[row]
    }

    /// The probability of a label, which must be there.
    pub(super) fn probability(&self, row: usize, label: usize) -> f64 {
        let all = self.prediction.probabilities.as_ref();
        all.expect("checked before any row was read")[(row, label)]
    }

    /// The `count` labels of highest score of a row, of equal ones the first; without scores those predicted come first.
    pub(super) fn best_labels(&self, row: usize, count: usize) -> Vec<usize> {
        let score = |label: usize| match &self.prediction.scores {
            Some(scores) => scores[(row, label)],
            None => f64::from(u8::from(self.prediction.labels.contains(row, label))),
        };
        let mut order: Vec<usize> = (0..self.labels()).collect();
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        order.truncate(count);
        order
    }
}
