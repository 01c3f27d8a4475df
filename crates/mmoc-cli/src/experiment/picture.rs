//! What a report draws of a max-margin code and of a data set's labels, small enough to be kept in a line
//! of results whatever the number of labels.

use mmoc::code::CodeReport;
use mmoc::method::Predictor;
use serde::{Deserialize, Serialize};

/// Heat maps of more labels than this cannot be read.
pub(crate) const SHOWN_LABELS: usize = 40;

/// The learnt metric and directions, for the labels that are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CodePicture {
    /// Q, a row for each shown label.
    pub(crate) metric: Vec<Vec<f64>>,
    /// V, a row for each shown label and a column for each direction kept.
    pub(crate) projections: Vec<Vec<f64>>,
    /// All eigenvalues of Q, largest first.
    pub(crate) eigenvalues: Vec<f64>,
}

impl CodePicture {
    /// The picture of a model that has learnt a metric.
    pub(crate) fn of(model: &Predictor, shown: &[usize]) -> Option<Self> {
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

/// The labels that are shown, in their order: the most frequent ones, of equally frequent ones the first.
pub(crate) fn shown_labels(counts: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(counts[label]));
    order.truncate(SHOWN_LABELS);
    order.sort_unstable();
    order
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
