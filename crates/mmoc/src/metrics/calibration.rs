//! Whether predictions are right as often as their confidence says.

use super::mean;

/// Bins that predictions are divided into.
const BINS: usize = 10;

/// The expected calibration error of the confidence in predictions that are right or wrong.
///
/// Predictions are ordered by confidence and divided into ten bins, whose counts differ by at most one. In each bin the
/// mean confidence is compared with the share of predictions that are right; the error is the mean of the absolute
/// differences, weighted by the counts of the bins. Predictions of the same confidence count with the share of all of
/// them that are right, so that their order does not matter. Without predictions the error is 0.
///
/// # Panics
///
/// If there are not as many answers as predictions.
pub fn calibration_error(confidence: &[f64], right: &[bool]) -> f64 {
    assert_eq!(confidence.len(), right.len(), "an answer per prediction");
    let mut order: Vec<usize> = (0..confidence.len()).collect();
    order.sort_by(|&a, &b| confidence[a].total_cmp(&confidence[b]));
    let mut excess = Vec::with_capacity(order.len());
    for tied in order.chunk_by(|&a, &b| confidence[a].total_cmp(&confidence[b]).is_eq()) {
        let share = mean(tied.iter().map(|&i| f64::from(u8::from(right[i]))));
        excess.extend(tied.iter().map(|&i| confidence[i] - share));
    }
    let bin = |index: usize| {
        let start = index * excess.len() / BINS;
        let end = (index + 1) * excess.len() / BINS;
        excess[start..end].iter().sum::<f64>().abs()
    };
    (0..BINS).map(bin).sum::<f64>() / excess.len().max(1) as f64
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
