//! The t-test corrected for training sets that overlap (Nadeau & Bengio 2003).

use serde::Serialize;

use super::check::{check_finite, check_least};
use super::distributions::student_two_sided;
use mmoc::{Error, Result};

/// The two-sided corrected resampled t-test of whether differences over runs have mean zero.
///
/// Runs on random splits of one data set share most of their training rows, so their scores are correlated and
/// the usual variance of a mean, s²/k, is far too small. Nadeau & Bengio replace it by
/// (1/k + n_test/n_train) s²; Bouckaert & Frank (2004) found the test replicable for repeated splits and for
/// repeated cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ResampledT {
    /// t = mean/√((1/k + n_test/n_train) s²), where s² has the divisor k − 1. Absent where it would be a division
    /// by zero: of a single difference, or of differences that are all the same and not zero.
    pub t: Option<f64>,
    /// Degrees of freedom, k − 1.
    pub degrees: usize,
    /// The probability of a t at least as far from zero. A single difference, or several that are all the same, have no
    /// variance to be compared with: they say nothing, and have 1.
    pub p_value: f64,
}

/// Differences of scores that agree to this part of themselves differ by rounding only.
const ROUNDING: f64 = 1e-12;

impl ResampledT {
    /// The test of the differences of k runs, each of which was tested on `test_to_train` times as many rows as it
    /// was trained on. With 0 it is the usual paired t-test.
    pub fn of(differences: &[f64], test_to_train: f64) -> Result<Self> {
        check_least("the number of runs", 1, differences.len())?;
        check_finite("the differences", differences)?;
        check_ratio(test_to_train)?;
        let k = differences.len() as f64;
        let degrees = differences.len() - 1;
        let (mean, variance) = moments(differences);
        let (t, p_value) = if degrees == 0 {
            (None, 1.0)
        } else if variance.sqrt() > ROUNDING * mean.abs() {
            let t = mean / ((1.0 / k + test_to_train) * variance).sqrt();
            (Some(t), student_two_sided(t, degrees as f64))
        } else if mean == 0.0 {
            (Some(0.0), 1.0)
        } else {
            (None, 1.0)
        };
        Ok(Self {
            t,
            degrees,
            p_value,
        })
    }
}

fn check_ratio(test_to_train: f64) -> Result<()> {
    if test_to_train.is_finite() && test_to_train >= 0.0 {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "the ratio of test rows to training rows",
        expected: "finite and at least 0".into(),
        found: test_to_train.to_string(),
    })
}

/// Mean and variance (divisor k − 1) in units of the largest number, so that no square overflows or vanishes,
/// and without the rounding that would give equal numbers a variance.
fn moments(numbers: &[f64]) -> (f64, f64) {
    if numbers.iter().all(|number| *number == numbers[0]) {
        return (numbers[0], 0.0);
    }
    let unit = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|x| x / unit).sum::<f64>() / count;
    let squares = numbers.iter().map(|x| (x / unit - mean).powi(2));
    (mean, squares.sum::<f64>() / (count - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mmoc::Seed;

    fn differences(count: usize) -> Vec<f64> {
        let mut stream = Seed::new(8).stream();
        (0..count).map(|_| stream.gaussian() + 0.3).collect()
    }

    #[test]
    fn the_correction_stretches_the_variance_of_the_mean() {
        let differences = differences(30);
        let plain = ResampledT::of(&differences, 0.0).unwrap().t.unwrap();
        let corrected = ResampledT::of(&differences, 293.0 / 300.0).unwrap();
        let stretch: f64 = (1.0 / 30.0 + 293.0 / 300.0) * 30.0;
        assert!((corrected.t.unwrap() * stretch.sqrt() - plain).abs() < 1e-12);
        assert_eq!(corrected.degrees, 29);
    }

    #[test]
    fn the_unit_of_the_scores_does_not_matter() {
        let differences = differences(7);
        let found = ResampledT::of(&differences, 1.0).unwrap();
        for unit in [2.0f64.powi(-900), 2.0f64.powi(1020)] {
            let scaled: Vec<f64> = differences.iter().map(|d| d * unit).collect();
            assert_eq!(ResampledT::of(&scaled, 1.0).unwrap(), found);
        }
    }

    #[test]
    fn the_other_sign_has_the_same_probability() {
        let ours = differences(12);
        let theirs: Vec<f64> = ours.iter().map(|d| -d).collect();
        let (a, b) = (ResampledT::of(&ours, 0.5), ResampledT::of(&theirs, 0.5));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!((a.t.unwrap(), a.p_value), (-b.t.unwrap(), b.p_value));
    }

    #[test]
    fn random_signs_are_rejected_as_often_as_the_level_says() {
        let mut stream = Seed::new(9).stream();
        let rejections = (0..4000).filter(|_| {
            let sample: Vec<f64> = (0..10).map(|_| stream.gaussian()).collect();
            ResampledT::of(&sample, 0.0).unwrap().p_value < 0.05
        });
        // 200 expected, with a standard deviation of 14.
        let count = rejections.count();
        assert!((150..250).contains(&count), "{count}");
    }

    #[test]
    fn runs_without_variance_are_answered() {
        let of = |differences: &[f64]| {
            let found = ResampledT::of(differences, 1.0).unwrap();
            (found.t, found.degrees, found.p_value)
        };
        assert_eq!(of(&[0.7]), (None, 0, 1.0));
        assert_eq!(of(&[0.0; 4]), (Some(0.0), 3, 1.0));
        // The mean of three tenths is not a tenth to the last digit.
        assert_eq!(of(&[0.1; 3]), (None, 2, 1.0));
        // Nor are differences that are the same but for rounding.
        assert_eq!(of(&[0.3 - 0.2, 0.4 - 0.3, 0.1]), (None, 2, 1.0));
    }

    #[test]
    fn what_is_not_a_sample_is_an_error() {
        assert!(ResampledT::of(&[], 1.0).is_err());
        assert!(ResampledT::of(&[1.0, f64::NAN], 1.0).is_err());
        for ratio in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(ResampledT::of(&[1.0, 2.0], ratio).is_err());
        }
    }
}
