//! Whether probabilities keep what they promise: of the rows with a probability of 0.8, four in five should be right.

use serde::{Deserialize, Serialize};

/// Predictions of similar probability, and how many of them were right. Without predictions both means are zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bin {
    /// Number of predictions.
    pub rows: usize,
    /// Mean probability of being right.
    pub confidence: f64,
    /// Share of predictions that were right.
    pub right: f64,
}

impl Bin {
    /// The predictions of several bins together.
    pub fn together<'a>(bins: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sums = Sums::default();
        for bin in bins {
            let rows = bin.rows as f64;
            sums.rows = sums.rows.saturating_add(bin.rows);
            sums.confidence += rows * bin.confidence;
            sums.right += rows * bin.right;
        }
        sums.bin()
    }

    /// How far the mean probability is from the share that was right.
    pub fn error(self) -> f64 {
        (self.confidence - self.right).abs()
    }
}

/// What a bin has the means of.
#[derive(Clone, Copy, Default)]
struct Sums {
    rows: usize,
    confidence: f64,
    right: f64,
}

impl Sums {
    fn add(&mut self, confidence: f64, right: f64) {
        self.rows += 1;
        self.confidence += confidence;
        self.right += right;
    }

    fn bin(self) -> Bin {
        let count = self.rows.max(1) as f64;
        Bin {
            rows: self.rows,
            confidence: self.confidence / count,
            right: self.right / count,
        }
    }
}

/// Bins of as equal a number of predictions as possible, by ascending probability.
///
/// Predictions of the same probability count as equally often right, so that the bins do not depend on the order of the
/// rows. The bins k and above have ⌈(bins − k)·n / bins⌉ rows, so the last one has a row if there is any.
///
/// # Panics
/// If there are not as many probabilities as predictions.
pub fn reliability(confidence: &[f64], right: &[bool], bins: usize) -> Vec<Bin> {
    assert_eq!(confidence.len(), right.len(), "a probability for each row");
    let mut rows: Vec<(f64, bool)> = confidence.iter().copied().zip(right.to_vec()).collect();
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let tied = rows.chunk_by(|a, b| a.0 >= b.0).flat_map(|tied| {
        let right = tied.iter().filter(|row| row.1).count();
        let share = right as f64 / tied.len() as f64;
        tied.iter().map(move |row| (row.0, share))
    });
    let shares: Vec<(f64, f64)> = tied.collect();
    let start = |bin: usize| bin * shares.len() / bins;
    let bin_of = |bin| {
        let mut sums = Sums::default();
        for &(confidence, right) in &shares[start(bin)..start(bin + 1)] {
            sums.add(confidence, right);
        }
        sums.bin()
    };
    (0..bins).map(bin_of).collect()
}

/// Bins of equal width from 0 to 1: for probabilities most of which are close to zero, as those of labels are.
///
/// # Panics
/// If there are predictions but no bins.
pub fn reliability_by_width(
    predictions: impl IntoIterator<Item = (f64, bool)>,
    bins: usize,
) -> Vec<Bin> {
    let mut sums = vec![Sums::default(); bins];
    for (confidence, right) in predictions {
        // What is outside goes to an end.
        let place = confidence * bins as f64;
        let bin = (1..bins).take_while(|&bin| place >= bin as f64).count();
        sums[bin].add(confidence, f64::from(right));
    }
    sums.into_iter().map(Sums::bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bin(rows: usize, confidence: f64, right: f64) -> Bin {
        Bin {
            rows,
            confidence,
            right,
        }
    }

    #[test]
    fn bins_have_equal_counts_by_ascending_probability() {
        let confidence = [0.75, 0.25, 0.5, 1.0];
        let right = [true, false, true, true];
        let expected = [bin(2, 0.375, 0.5), bin(2, 0.875, 1.0)];
        assert_eq!(reliability(&confidence, &right, 2), expected);
    }

    #[test]
    fn rows_of_the_same_probability_are_right_equally_often() {
        let right = [true, false, false, false];
        let expected = [bin(2, 0.5, 0.25); 2];
        assert_eq!(reliability(&[0.5; 4], &right, 2), expected);
    }

    #[test]
    fn fewer_rows_than_bins_leave_some_empty_but_not_the_last() {
        let bins = reliability(&[0.25, 0.5, 1.0], &[false, true, true], 10);
        assert_eq!(bins.len(), 10);
        assert_eq!(bins[9], bin(1, 1.0, 1.0));
        assert_eq!(Bin::together(&bins).rows, 3);
        assert_eq!(reliability(&[], &[], 2), [Bin::default(); 2]);
    }

    #[test]
    fn bins_of_equal_width_have_what_falls_into_them() {
        let predictions = [(0.0, false), (0.25, true), (0.5, true), (1.0, true)];
        let bins = reliability_by_width(predictions, 4);
        let expected = [
            bin(1, 0.0, 0.0),
            bin(1, 0.25, 1.0),
            bin(1, 0.5, 1.0),
            bin(1, 1.0, 1.0),
        ];
        assert_eq!(bins, expected);
        let one = reliability_by_width([(-1e-9, true), (1.0 + 1e-9, true)], 3);
        assert_eq!([one[0].rows, one[1].rows, one[2].rows], [1, 0, 1]);
    }

    #[test]
    fn an_error_is_the_distance_of_promise_and_truth() {
        assert_eq!(bin(3, 0.75, 0.5).error(), 0.25);
        assert_eq!(bin(3, 0.5, 0.75).error(), 0.25);
        assert_eq!(Bin::default().error(), 0.0);
    }

    proptest! {
        #[test]
        fn bins_keep_every_row_whatever_their_order(
            rows in prop::collection::vec((0_u8..=20, any::<bool>()), 1..80),
            bins in 1_usize..12,
        ) {
            let of = |rows: &[(u8, bool)]| {
                let confidence: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 32.0).collect();
                let right: Vec<bool> = rows.iter().map(|row| row.1).collect();
                reliability(&confidence, &right, bins)
            };
            let found = of(&rows);
            let reversed: Vec<(u8, bool)> = rows.iter().rev().copied().collect();
            prop_assert_eq!(&found, &of(&reversed));
            let all = Bin::together(&found);
            let right = rows.iter().filter(|row| row.1).count() as f64;
            prop_assert_eq!(all.rows, rows.len());
            prop_assert!((all.right * rows.len() as f64 - right).abs() < 1e-9);
            let counts = found.iter().map(|bin| bin.rows);
            prop_assert!(counts.clone().max().unwrap() - counts.min().unwrap() <= 1);
            for k in 0..bins {
                let above: usize = found[k..].iter().map(|bin| bin.rows).sum();
                prop_assert_eq!(above, ((bins - k) * rows.len()).div_ceil(bins));
            }
            for two in found.windows(2).filter(|two| two[0].rows > 0 && two[1].rows > 0) {
                prop_assert!(two[0].confidence <= two[1].confidence);
            }
        }
    }
}
