//! The area under the ROC curve where rows have weights: the weight of correctly ordered pairs of all pairs.

use rayon::prelude::*;

use super::known::unknown_of_row;
use crate::data::{Matrix, Targets};

/// The area of one label, given the scores and weights of all rows; `None` if it is constant in the truth.
pub(super) fn of_column(
    scores: &[f64],
    weights: &[f64],
    positives: &[usize],
    unknown: &[usize],
) -> Option<f64> {
    let scored = positives.iter().map(|&row| (scores[row], weights[row]));
    let above = Positives::new(scored.collect())?;
    let taken = positives.iter().chain(unknown).copied();
    let negatives = remaining(scores.len(), taken);
    mean_share(negatives.map(|row| (weights[row] * above.share(scores[row]), weights[row])))
}

/// The area of all cells as one label, each with the weight of its row; `None` if the truth is all zeros or all ones.
pub(super) fn micro(truth: Targets<'_>, weights: &[f64], scores: &Matrix) -> Option<f64> {
    let rows = truth.labels().iter().zip(weights).enumerate();
    let scored = rows.flat_map(|(row, (labels, &weight))| {
        indices(labels).map(move |label| (scores[(row, label)], weight))
    });
    let above = Positives::new(scored.collect())?;
    let of_row = |row: usize| {
        let (own, labels) = (scores.row(row), truth.labels().row(row));
        let taken = indices(labels).chain(indices(unknown_of_row(truth, row)));
        let shares = remaining(own.len(), taken).map(|label| above.share(own[label]));
        let (sum, count) =
            shares.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
        (weights[row] * sum, weights[row] * count)
    };
    // Collected, so that the order of summation does not depend on the threads.
    let rows: Vec<(f64, f64)> = (0..scores.rows()).into_par_iter().map(of_row).collect();
    mean_share(rows.into_iter())
}

/// The mean of the shares of negatives, from sums of weighted shares and of weights; `None` without negatives.
fn mean_share(negatives: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (shares, weights) =
        negatives.fold((0.0, 0.0), |sums, own| (sums.0 + own.0, sums.1 + own.1));
    (weights > 0.0).then(|| shares / weights)
}

/// The scores of positives, ascending, and the weight of those at each place or after it.
struct Positives {
    scores: Vec<f64>,
    weight_from: Vec<f64>,
}

impl Positives {
    /// Positives with their weights; `None` if there are none.
    fn new(mut positives: Vec<(f64, f64)>) -> Option<Self> {
        if positives.is_empty() {
            return None;
        }
        positives.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (scores, mut weight_from): (Vec<f64>, Vec<f64>) = positives.into_iter().unzip();
        weight_from.push(0.0);
        for place in (0..scores.len()).rev() {
            weight_from[place] += weight_from[place + 1];
        }
        Some(Self {
            scores,
            weight_from,
        })
    }

    /// The share of the positives above a score, by weight, those equal to it counting half.
    fn share(&self, score: f64) -> f64 {
        let at_least = self.scores.partition_point(|&own| own < score);
        let above = self.scores.partition_point(|&own| own <= score);
        f64::midpoint(self.weight_from[at_least], self.weight_from[above]) / self.weight_from[0]
    }
}

/// The indices below `count` that are not taken, ascending.
pub(super) fn remaining(
    count: usize,
    taken: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> {
    let mut is_left = vec![true; count];
    for index in taken {
        is_left[index] = false;
    }
    (0..count).filter(move |&index| is_left[index])
}

/// The labels of a set as indices.
pub(super) fn indices(set: &[u32]) -> impl Iterator<Item = usize> + '_ {
    set.iter().map(|&label| label as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_with_the_product_of_their_weights() {
        // Positives of weight 1 and 3 at scores 1 and 2; negatives of weight 2 and 6 at scores 1 and 0.
        let (scores, weights) = ([1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 2.0, 6.0]);
        let expected = (2.0 * (0.5 + 3.0) + 6.0 * 4.0) / (4.0 * 8.0);
        assert_eq!(of_column(&scores, &weights, &[0, 1], &[]), Some(expected));
        assert_eq!(of_column(&scores, &weights, &[0, 1], &[2]), Some(1.0));
    }

    #[test]
    fn few_negatives_of_little_weight_have_an_exact_area() {
        let scores: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut weights = vec![1e8; 1000];
        weights[500] = 1e-8;
        let positives: Vec<usize> = (0..1000).filter(|&row| row != 500).collect();
        let area = of_column(&scores, &weights, &positives, &[]).unwrap();
        assert!((area - 499.0 / 999.0).abs() < 1e-12);
    }

    #[test]
    fn constant_truth_has_no_area() {
        let (scores, weights) = ([1.0, 2.0], [1.0, 3.0]);
        assert_eq!(of_column(&scores, &weights, &[], &[]), None);
        assert_eq!(of_column(&scores, &weights, &[0, 1], &[]), None);
        assert_eq!(of_column(&scores, &weights, &[0], &[1]), None);
    }
}
