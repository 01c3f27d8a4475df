//! The area under the ROC curve, as the fraction of correctly ordered pairs.

use std::borrow::Cow;

use rayon::prelude::*;

use super::known::unknown_of_row;
use super::weighted_auc::{self, indices, remaining};
use crate::data::{Labels, Matrix, Targets};

/// Minimum number of scores per parallel task.
const CHUNK: usize = 8192;

/// The area of each label; `None` for labels that are constant in the truth.
pub(super) fn by_label(truth: Targets<'_>, scores: &Matrix) -> Vec<Option<f64>> {
    let none = || vec![Vec::new(); truth.labels().count()];
    let unknown = truth.unknown().map_or_else(none, Labels::rows_by_label);
    truth
        .labels()
        .rows_by_label()
        .into_par_iter()
        .zip(unknown)
        .enumerate()
        .map(|(label, (positives, unknown))| {
            let column: Vec<f64> = scores.column(label).collect();
            match truth.weights() {
                None => of_column(column, &positives, &unknown),
                Some(weights) => weighted_auc::of_column(&column, weights, &positives, &unknown),
            }
        })
        .collect()
}

/// The area of all cells as one label; `None` if the truth is all zeros or all ones.
pub(super) fn micro(truth: Targets<'_>, scores: &Matrix) -> Option<f64> {
    if let Some(weights) = truth.weights() {
        return weighted_auc::micro(truth, weights, scores);
    }
    let rows = truth.labels().iter().enumerate();
    let positives = rows
        .flat_map(|(row, labels)| labels.iter().map(move |&label| (row, label as usize)))
        .map(|cell| scores[cell])
        .collect();
    area(positives, &known_scores(truth, scores))
}

/// The scores of all known cells.
fn known_scores<'a>(truth: Targets<'_>, scores: &'a Matrix) -> Cow<'a, [f64]> {
    if truth.unknown().is_none() {
        return Cow::Borrowed(scores.values());
    }
    let rows = 0..scores.rows();
    rows.flat_map(|row| {
        let own = scores.row(row);
        remaining(own.len(), indices(unknown_of_row(truth, row))).map(|label| own[label])
    })
    .collect()
}

/// The area of one label, given the scores of all rows.
fn of_column(column: Vec<f64>, positives: &[usize], unknown: &[usize]) -> Option<f64> {
    let of_positives = positives.iter().map(|&row| column[row]).collect();
    let mut known = column;
    // From the last to the first, so that a known score takes the place of each.
    for &row in unknown.iter().rev() {
        known.swap_remove(row);
    }
    area(of_positives, &known)
}

/// The area for the scores of positives among all scores; `None` without positives or without negatives.
///
/// Sorting the few positives and searching for every score among them is cheaper than sorting all scores. The
/// counts are integers, so the order of summation does not matter.
fn area(mut positives: Vec<f64>, all: &[f64]) -> Option<f64> {
    let negatives = all.len() - positives.len();
    if positives.is_empty() || negatives == 0 {
        return None;
    }
    positives.sort_unstable_by(f64::total_cmp);
    let over_all: usize = all
        .par_iter()
        .with_min_len(CHUNK)
        .map(|&score| twice_above(&positives, score))
        .sum();
    // Positives against positives: the two sides of each pair sum to two, and each ties with itself for one, so
    // they contribute their number squared.
    let over_negatives = over_all - positives.len() * positives.len();
    Some(over_negatives as f64 / (2 * positives.len() * negatives) as f64)
}

/// Twice the number of `sorted` scores above `score`, those equal to it counting half.
fn twice_above(sorted: &[f64], score: f64) -> usize {
    let below = sorted.partition_point(|&other| other < score);
    let from_here = &sorted[below..];
    // Most scores are unique: compare before searching again.
    let equal = match from_here.first() {
        Some(&next) if next <= score => from_here.partition_point(|&other| other <= score),
        _ => 0,
    };
    2 * from_here.len() - equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_count_half() {
        assert_eq!(area(vec![1.0, 3.0], &[1.0, 3.0, 1.0, 0.0]), Some(0.875));
    }

    #[test]
    fn zeros_of_either_sign_are_tied() {
        assert_eq!(area(vec![-0.0], &[-0.0, 0.0]), Some(0.5));
        assert_eq!(area(vec![0.0, -0.0], &[0.0, -0.0, 0.0]), Some(0.5));
    }

    #[test]
    fn infinite_scores_are_ordered() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(area(vec![high], &[high, low, 0.0]), Some(1.0));
        assert_eq!(area(vec![low], &[high, low, low]), Some(0.25));
    }

    #[test]
    fn constant_truth_has_no_area() {
        assert_eq!(area(vec![], &[1.0, 2.0]), None);
        assert_eq!(area(vec![1.0, 2.0], &[1.0, 2.0]), None);
    }
}
