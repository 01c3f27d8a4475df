//! Two methods on the same runs.

use serde::Serialize;

use super::{Mean, ResampledT, Wilcoxon};
use mmoc::Result;
use mmoc::metrics::Metric;

/// How the scores of one method differ from those of another on the same runs.
///
/// The fields say whose number is greater, not whose is better: with a loss, a win is a run with a greater loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedDifference {
    /// The mean of ours minus the reference's, and its standard error as if runs were independent.
    pub difference: Mean,
    /// Number of runs in which our score is greater.
    pub wins: usize,
    /// Number of runs with equal scores.
    pub ties: usize,
    /// Number of runs in which our score is less.
    pub losses: usize,
    /// The signed-rank test; none for a single run, which cannot be tested.
    pub wilcoxon: Option<Wilcoxon>,
    /// The t-test corrected for training sets that overlap; none for a single run.
    pub resampled_t: Option<ResampledT>,
}

impl PairedDifference {
    /// The numbers of runs in which we are better and worse in a metric.
    pub(crate) fn better_and_worse(&self, metric: Metric) -> (usize, usize) {
        if metric.higher_is_better() {
            (self.wins, self.losses)
        } else {
            (self.losses, self.wins)
        }
    }
}

/// Compares scores run by run: `ours[i]` and `reference[i]` are of the same split, on whose test rows, which are
/// `test_to_train` times as many as its training rows, both were computed alike. Scores are equal if their bits
/// are (zeros of either sign too).
///
/// ```
/// let ours = [0.32, 0.31, 0.35, 0.33, 0.30];
/// let reference = [0.25, 0.27, 0.26, 0.25, 0.24];
/// let found = mmoc_experiment::paired_differences(&ours, &reference, 293.0 / 300.0)?;
/// assert_eq!((found.wins, found.ties, found.losses), (5, 0, 0));
/// assert_eq!(found.wilcoxon.map(|test| test.p_value), Some(2.0 / 32.0));
/// assert!(found.resampled_t.is_some_and(|test| test.p_value < 0.05));
/// # Ok::<(), mmoc::Error>(())
/// ```
pub fn paired_differences(
    ours: &[f64],
    reference: &[f64],
    test_to_train: f64,
) -> Result<PairedDifference> {
    let wilcoxon = Wilcoxon::of(ours, reference)?;
    let differences: Vec<f64> = ours.iter().zip(reference).map(|(a, b)| a - b).collect();
    let resampled_t = ResampledT::of(&differences, test_to_train)?;
    let is_tested = differences.len() > 1;
    let count = |holds: fn(&f64) -> bool| differences.iter().filter(|d| holds(d)).count();
    Ok(PairedDifference {
        difference: Mean::of_some(&differences),
        wins: count(|d| *d > 0.0),
        ties: count(|d| *d == 0.0),
        losses: count(|d| *d < 0.0),
        wilcoxon: is_tested.then_some(wilcoxon),
        resampled_t: is_tested.then_some(resampled_t),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapping_the_methods_swaps_wins_and_losses_and_nothing_else() {
        let (ours, reference) = ([3.0, 1.0, 2.0, 2.0, 9.0], [1.0, 2.0, 2.0, 1.5, 4.0]);
        let found = paired_differences(&ours, &reference, 0.5).unwrap();
        let swapped = paired_differences(&reference, &ours, 0.5).unwrap();
        assert_eq!((found.wins, found.ties, found.losses), (3, 1, 1));
        assert_eq!((swapped.wins, swapped.ties, swapped.losses), (1, 1, 3));
        assert_eq!(found.difference.mean, -swapped.difference.mean);
        assert_eq!(found.difference.stderr, swapped.difference.stderr);
        assert_eq!(found.wilcoxon, swapped.wilcoxon);
        let p_value = |found: PairedDifference| found.resampled_t.unwrap().p_value;
        assert_eq!(p_value(found), p_value(swapped));
    }

    #[test]
    fn one_pair_is_answered_without_a_test() {
        let found = paired_differences(&[0.5], &[0.25], 1.0).unwrap();
        assert_eq!(found.difference.stderr, None);
        assert_eq!(found.difference.mean, 0.25);
        assert_eq!((found.wilcoxon, found.resampled_t), (None, None));
    }

    #[test]
    fn differences_beyond_the_greatest_number_are_an_error() {
        assert!(paired_differences(&[f64::MAX], &[f64::MIN], 1.0).is_err());
    }
}
