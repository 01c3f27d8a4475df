//! Targets and predictions without what is not known.

use std::borrow::Cow;

use super::mean_over_rows;
use crate::data::{Labels, Matrix, Targets};
use crate::{Error, Result};

/// The rows with at least one known label, and their label sets among the known labels.
pub(super) struct KnownRows<'a> {
    /// The labels that are not known, of all rows.
    unknown_of_all: &'a Labels,
    /// The numbers of the rows with at least one known label.
    rows: Vec<usize>,
    truth: Labels,
    weights: Option<Vec<f64>>,
    unknown: Labels,
}

impl<'a> KnownRows<'a> {
    /// Fails if no label of any row is known.
    pub(super) fn of(targets: Targets<'a>, unknown: &'a Labels) -> Result<Self> {
        let is_known = |&row: &usize| unknown.row(row).len() < unknown.count();
        let rows: Vec<usize> = (0..targets.rows()).filter(is_known).collect();
        if rows.is_empty() {
            return Err(Error::Dataset {
                expected: "at least one known label to evaluate".into(),
                found: "none".into(),
            });
        }
        let weights = targets.weights();
        Ok(Self {
            unknown_of_all: unknown,
            truth: known_sets(targets.labels(), unknown, &rows),
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            unknown: unknown.select_rows(&rows),
            rows,
        })
    }

    /// The targets of these rows.
    pub(super) fn targets(&self) -> Result<Targets<'_>> {
        Targets::new(&self.truth)
            .with_weights(self.weights.as_deref())?
            .with_unknown(Some(&self.unknown))
    }

    /// The label sets of these rows among their known labels, given those of all rows.
    pub(super) fn sets(&self, sets: &Labels) -> Labels {
        known_sets(sets, self.unknown_of_all, &self.rows)
    }

    /// The numbers of these rows, those of unknown labels among them.
    pub(super) fn cells<'m>(&self, cells: &'m Matrix) -> Cow<'m, Matrix> {
        if self.rows.len() == cells.rows() {
            Cow::Borrowed(cells)
        } else {
            Cow::Owned(cells.view().select_rows(&self.rows))
        }
    }
}

fn known_sets(sets: &Labels, unknown: &Labels, rows: &[usize]) -> Labels {
    let mut known = Labels::empty(sets.count());
    for &row in rows {
        let labels = sets.row(row).iter().map(|&label| label as usize);
        known.push_row(labels.filter(|&label| !unknown.contains(row, label)));
    }
    known
}

/// The labels of a row that are not known.
pub(super) fn unknown_of_row(targets: Targets<'_>, row: usize) -> &[u32] {
    targets.unknown().map_or(&[], |unknown| unknown.row(row))
}

/// The mean number of known labels of a row: q if all are known.
pub(super) fn mean_known(targets: Targets<'_>) -> f64 {
    let labels = targets.labels().count();
    targets.unknown().map_or(labels as f64, |unknown| {
        let known = unknown.iter().map(|set| (labels - set.len()) as f64);
        mean_over_rows(targets.weights(), known)
    })
}
