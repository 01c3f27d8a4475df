//! True positives, false positives and false negatives of a row, a label or all cells.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use crate::data::Labels;

/// The overlap of predicted and true labels: numbers of cells, or sums of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts<N = usize> {
    /// Predicted and true.
    pub(super) true_positives: N,
    /// Predicted, not true.
    pub(super) false_positives: N,
    /// True, not predicted.
    pub(super) false_negatives: N,
}

impl<N: Copy + Default + AddAssign + Sub<Output = N>> Counts<N> {
    /// The counts of `predicted` labels of which `common` are among the `positives`.
    fn new(positives: N, predicted: N, common: N) -> Self {
        Self {
            true_positives: common,
            false_positives: predicted - common,
            false_negatives: positives - common,
        }
    }

    /// The counts of each label, to which each row adds its weight.
    ///
    /// A sum over some of the rows, in the same order, does not exceed that over all of them in spite of rounding: no
    /// count is negative.
    pub(super) fn by_label(
        truth: &Labels,
        predicted: &Labels,
        weight: impl Fn(usize) -> N,
    ) -> Vec<Self> {
        let zeros = || vec![N::default(); truth.count()];
        let (mut positives, mut found, mut hits) = (zeros(), zeros(), zeros());
        for row in 0..truth.rows() {
            let (truth, predicted) = (truth.row(row), predicted.row(row));
            let weight = weight(row);
            add(&mut positives, truth.iter().copied(), weight);
            add(&mut found, predicted.iter().copied(), weight);
            add(&mut hits, common(truth, predicted), weight);
        }
        let counts = positives.into_iter().zip(found).zip(hits);
        counts
            .map(|((positives, found), hits)| Self::new(positives, found, hits))
            .collect()
    }
}

fn add<N: Copy + AddAssign>(sums: &mut [N], labels: impl Iterator<Item = u32>, weight: N) {
    for label in labels {
        sums[label as usize] += weight;
    }
}

impl Counts {
    /// The counts of one row.
    pub(super) fn of_row(truth: &[u32], predicted: &[u32]) -> Self {
        Self::new(
            truth.len(),
            predicted.len(),
            common(truth, predicted).count(),
        )
    }

    /// Number of wrong cells.
    pub(super) fn errors(self) -> usize {
        self.false_positives + self.false_negatives
    }
}

impl From<Counts> for Counts<f64> {
    fn from(counts: Counts) -> Self {
        Self {
            true_positives: counts.true_positives as f64,
            false_positives: counts.false_positives as f64,
            false_negatives: counts.false_negatives as f64,
        }
    }
}

impl Counts<f64> {
    fn errors(self) -> f64 {
        self.false_positives + self.false_negatives
    }

    pub(super) fn precision(self) -> f64 {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    pub(super) fn recall(self) -> f64 {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    pub(super) fn f1(self) -> f64 {
        let twice = 2.0 * self.true_positives;
        ratio(twice, twice + self.errors())
    }

    pub(super) fn jaccard(self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.errors())
    }
}

impl<N: Default + Add<Output = N>> Sum for Counts<N> {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, next| Self {
            true_positives: sum.true_positives + next.true_positives,
            false_positives: sum.false_positives + next.false_positives,
            false_negatives: sum.false_negatives + next.false_negatives,
        })
    }
}

/// A ratio of counts, where 0/0 is 0.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The labels in both of two ascending sets.
fn common<'a>(first: &'a [u32], second: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let mut rest = second;
    first.iter().copied().filter(move |label| {
        rest = &rest[rest.partition_point(|other| other < label)..];
        rest.first() == Some(label)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_labels_of_ascending_sets() {
        let found: Vec<u32> = common(&[0, 2, 3, 7], &[1, 2, 5, 7, 9]).collect();
        assert_eq!(found, [2, 7]);
        assert_eq!(common(&[], &[1]).count() + common(&[1], &[]).count(), 0);
    }

    #[test]
    fn counts_of_rows_and_labels_have_the_same_sum() {
        let truth = Labels::from_fn(7, 5, |row, label| (row + label) % 3 == 0);
        let predicted = Labels::from_fn(7, 5, |row, label| (2 * row + label) % 4 < 2);
        let rows = truth.iter().zip(predicted.iter());
        let of_rows: Counts = rows.map(|(t, p)| Counts::of_row(t, p)).sum();
        let of_labels: Counts = Counts::by_label(&truth, &predicted, |_| 1)
            .into_iter()
            .sum();
        assert_eq!(of_rows, of_labels);
        assert_eq!(
            of_rows.true_positives + of_rows.false_negatives,
            truth.total()
        );
    }

    #[test]
    fn nothing_over_nothing_is_zero() {
        let nothing = Counts::<f64>::default();
        let ratios = [
            nothing.precision(),
            nothing.recall(),
            nothing.f1(),
            nothing.jaccard(),
        ];
        assert!(ratios.iter().all(|&ratio| ratio.to_bits() == 0));
    }
}
