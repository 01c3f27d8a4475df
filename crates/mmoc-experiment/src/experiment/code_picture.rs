//! The part of a max-margin code and of a data set's labels that a report draws. Its size is bounded whatever the
//! number of labels.

use mmoc::code::CodeReport;
use mmoc::data::Labels;
use mmoc::method::Predictor;
use serde::{Deserialize, Serialize};

/// Heat maps of more labels than this cannot be read.
const SHOWN_LABELS: usize = 40;

/// The learnt metric and projections, for the labels that are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CodePicture {
    /// Q, a row for each shown label.
    pub metric: Vec<Vec<f64>>,
    /// V, a row for each shown label and a column for each direction kept.
    pub projections: Vec<Vec<f64>>,
    /// All eigenvalues of Q, largest first.
    pub eigenvalues: Vec<f64>,
}

impl CodePicture {
    /// The picture of a model, if it has learnt a metric.
    pub(super) fn of(model: &Predictor, shown: &[usize]) -> Option<Self> {
        let code = model.code()?;
        let CodeReport::MaxMargin {
            metric,
            eigenvalues,
            ..
        } = &code.report
        else {
            return None;
        };
        let entries = |row: &[f64]| shown.iter().map(|&label| row[label]).collect();
        let rows = shown.iter().map(|&label| entries(metric.row(label)));
        let projections = shown
            .iter()
            .map(|&label| code.projections.row(label).to_vec());
        Some(Self {
            metric: rows.collect(),
            projections: projections.collect(),
            eigenvalues: eigenvalues.clone(),
        })
    }
}

/// The labels that are shown, in their order: the most frequent ones; ties go to the lower index.
pub(super) fn shown_labels(counts: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(counts[label]));
    order.truncate(SHOWN_LABELS);
    order.sort_unstable();
    order
}

/// For each two of the shown labels, the number of rows that carry both.
pub(super) fn cooccurrence(labels: &Labels, shown: &[usize]) -> Vec<Vec<usize>> {
    let labels = labels.select_labels(shown);
    let mut counts = vec![vec![0; shown.len()]; shown.len()];
    for set in labels.iter() {
        for &a in set {
            for &b in set {
                counts[a as usize][b as usize] += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_labels_are_shown_in_their_order() {
        let mut counts: Vec<usize> = (0..100).collect();
        counts[3] = 1000;
        let shown = shown_labels(&counts);
        assert_eq!(shown.len(), SHOWN_LABELS);
        assert_eq!((shown[0], shown[1], *shown.last().unwrap()), (3, 61, 99));
    }
}
