//! What rows say about their labels: the labels, how much each row counts, and which labels are unknown.

use super::{Dataset, DatasetView, Labels};
use crate::{Error, Result, check_size};

/// The labels of rows, with the weight of each row and the labels that are not known, if there are any.
///
/// Labels are enough where all rows count the same and all labels are known: `&Labels` and `&Dataset` become targets.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    labels: &'a Labels,
    weights: Option<&'a [f64]>,
    unknown: Option<&'a Labels>,
}

impl<'a> Targets<'a> {
    /// Labels that are all known, of rows that all count the same.
    pub fn new(labels: &'a Labels) -> Self {
        Self {
            labels,
            weights: None,
            unknown: None,
        }
    }

    /// Targets whose parts were checked before.
    pub(super) fn checked(
        labels: &'a Labels,
        weights: Option<&'a [f64]>,
        unknown: Option<&'a Labels>,
    ) -> Self {
        Self {
            labels,
            weights,
            unknown,
        }
    }

    /// The same with a weight for each row: a row of weight 2 counts as two such rows.
    ///
    /// Fails unless there is a positive, finite weight for each row.
    pub fn with_weights(self, weights: Option<&'a [f64]>) -> Result<Self> {
        if let Some(weights) = weights {
            check_weights(weights, self.labels.rows())?;
        }
        Ok(Self { weights, ..self })
    }

    /// The same with the labels of each row that are not known. Such a label is not among those of the row.
    pub fn with_unknown(self, unknown: Option<&'a Labels>) -> Result<Self> {
        if let Some(unknown) = unknown {
            check_size("rows of unknown labels", self.labels.rows(), unknown.rows())?;
            check_size("unknown labels", self.labels.count(), unknown.count())?;
        }
        Ok(Self { unknown, ..self })
    }

    /// The same with labels in which unknown ones are filled in; they are still known to be unknown.
    pub(crate) fn filled_in<'b>(self, labels: &'b Labels) -> Targets<'b>
    where
        'a: 'b,
    {
        Targets { labels, ..self }
    }

    /// A copy of the given rows, in the given order.
    pub(crate) fn select_rows(self, rows: &[usize]) -> SelectedTargets {
        let of_rows = |weights: &[f64]| rows.iter().map(|&row| weights[row]).collect();
        SelectedTargets {
            labels: self.labels.select_rows(rows),
            weights: self.weights.map(of_rows),
            unknown: self.unknown.map(|unknown| unknown.select_rows(rows)),
        }
    }

    /// The labels, n×q. Unknown ones are left out.
    pub fn labels(self) -> &'a Labels {
        self.labels
    }

    /// The weight of each row; none if all count the same.
    pub fn weights(self) -> Option<&'a [f64]> {
        self.weights
    }

    /// The labels of each row that are not known; none if all are known.
    pub fn unknown(self) -> Option<&'a Labels> {
        self.unknown
    }

    /// Number of rows, n.
    pub fn rows(self) -> usize {
        self.labels.rows()
    }

    /// How much a row counts.
    pub fn weight(self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// √w of a row: a sum of squares over rows scaled by it is a weighted one.
    pub(crate) fn weight_root(self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row].sqrt())
    }

    /// How much the rows of each label count together.
    pub(crate) fn label_weights(self) -> Vec<f64> {
        let mut sums = vec![0.0; self.labels.count()];
        for (row, members) in self.labels.iter().enumerate() {
            let weight = self.weight(row);
            for &label in members {
                sums[label as usize] += weight;
            }
        }
        sums
    }

    /// How much all rows count together: their number, if none has a weight.
    pub fn total_weight(self) -> f64 {
        self.weights
            .map_or(self.rows() as f64, |weights| weights.iter().sum())
    }

    /// Whether a label of a row is known.
    pub fn is_known(self, row: usize, label: usize) -> bool {
        self.unknown
            .is_none_or(|unknown| !unknown.contains(row, label))
    }
}

/// Targets of some rows.
#[derive(Debug)]
pub(crate) struct SelectedTargets {
    labels: Labels,
    weights: Option<Vec<f64>>,
    unknown: Option<Labels>,
}

impl SelectedTargets {
    pub(crate) fn view(&self) -> Targets<'_> {
        Targets::checked(&self.labels, self.weights.as_deref(), self.unknown.as_ref())
    }
}

/// Fails unless there is a positive, finite weight for each row.
pub(crate) fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    check_size("weights", rows, weights.len())?;
    match weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        None => Ok(()),
        Some(weight) => Err(Error::Dataset {
            expected: "positive, finite weights".into(),
            found: weight.to_string(),
        }),
    }
}

impl<'a> From<&'a Labels> for Targets<'a> {
    fn from(labels: &'a Labels) -> Self {
        Self::new(labels)
    }
}

impl<'a> From<&'a Dataset> for Targets<'a> {
    fn from(dataset: &'a Dataset) -> Self {
        dataset.view().targets()
    }
}

impl<'a> From<DatasetView<'a>> for Targets<'a> {
    fn from(dataset: DatasetView<'a>) -> Self {
        dataset.targets()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_positive_numbers_one_for_each_row() {
        let labels = Labels::from_fn(3, 2, |row, label| row == label);
        let targets = Targets::new(&labels);
        assert_eq!(targets.total_weight(), 3.0);
        let weighted = targets.with_weights(Some(&[1.0, 0.5, 2.0])).unwrap();
        assert_eq!((weighted.weight(1), weighted.total_weight()), (0.5, 3.5));
        for bad in [&[1.0, 2.0][..], &[1.0, 0.0, 1.0], &[1.0, f64::NAN, 1.0]] {
            assert!(targets.with_weights(Some(bad)).is_err());
        }
    }
}
