//! Whether predictions are right as often as their confidence says.

use super::{Bin, reliability};

/// Bins that predictions are divided into.
const BINS: usize = 10;

/// The expected calibration error of the confidence in predictions that are right or wrong.
///
/// In each of ten bins of equal count ([`reliability()`]) the mean confidence is compared with the share of predictions that
/// are right. The error is the mean of the absolute differences, weighted by the counts of the bins. Without predictions it
/// is 0.
///
/// # Panics
///
/// If there are not as many answers as predictions.
pub fn calibration_error(confidence: &[f64], right: &[bool]) -> f64 {
    calibration_error_of(&reliability(confidence, right, BINS))
}

/// The same, given the bins.
pub fn calibration_error_of(bins: &[Bin]) -> f64 {
    let rows: usize = bins.iter().map(|bin| bin.rows).sum();
    let errors = bins.iter().map(|bin| bin.rows as f64 * bin.error());
    errors.sum::<f64>() / rows.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 predictions with each confidence 0.05, 0.15, … as many are right as it says.
    fn calibrated() -> (Vec<f64>, Vec<bool>) {
        let levels = (0..10).flat_map(|level| (0..100).map(move |i| (level, i)));
        levels
            .map(|(level, i)| {
                let percent = 10 * level + 5;
                (f64::from(percent) / 100.0, i < percent)
            })
            .unzip()
    }

    #[test]
    fn predictions_that_are_right_as_often_as_they_say_have_no_error() {
        let (confidence, right) = calibrated();
        assert!(calibration_error(&confidence, &right) < 1e-12);
    }

    #[test]
    fn constant_overconfidence_is_the_error() {
        let (confidence, right) = calibrated();
        let over: Vec<f64> = confidence.iter().map(|value| value + 0.03).collect();
        assert!((calibration_error(&over, &right) - 0.03).abs() < 1e-12);
        let (same, right): (Vec<f64>, Vec<bool>) = (0..50).map(|i| (0.9, i < 30)).unzip();
        assert!((calibration_error(&same, &right) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_predictions_does_not_matter() {
        let count = 97;
        let values = |i: usize| (((i * 31) % 7) as f64 / 7.0, (i * 17) % 5 < 2);
        let (confidence, right): (Vec<f64>, Vec<bool>) = (0..count).map(values).unzip();
        let expected = calibration_error(&confidence, &right);
        let (turned, answers): (Vec<f64>, Vec<bool>) = (0..count).rev().map(values).unzip();
        assert!((calibration_error(&turned, &answers) - expected).abs() < 1e-12);
    }

    #[test]
    fn few_predictions_have_an_error_and_none_have_zero() {
        assert!((calibration_error(&[0.25, 0.75], &[false, true]) - 0.25).abs() < 1e-15);
        assert!(calibration_error(&[], &[]).abs() < 1e-15);
    }
}
