//! Confidence: the probability that the predicted label set is right, recalibrated on training rows.
//!
//! p(ŷ|x) of the likeliest set may be too high or too low on the whole: terms are not independent, and the likeliest is the
//! largest of many numbers. Two numbers mend that (Platt 1999),
//!
//! ```text
//! confidence = σ(a·logit p + b),      a ≥ 0
//! ```
//!
//! those under which it is likeliest that the training rows, each as if it were new, are right and wrong as they are. A
//! prior of [`PRIOR`] keeps (a, b) near (1, 0) where rows are few.

use crate::learn::logistic::sigmoid;

/// The weight of (a − 1)²/2 and b²/2 beside the log-likelihood of all rows.
const PRIOR: f64 = 2.0;
/// Newton steps; about six are taken.
const STEPS: usize = 30;
/// Probabilities nearer to zero or one count as this one.
pub const NEAREST_TO_CERTAIN: f64 = 1e-12;

/// The map from the probability of a set to confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recalibration {
    /// a.
    pub(super) slope: f64,
    /// b.
    pub(super) offset: f64,
}

impl Recalibration {
    /// Confidence is the probability itself.
    pub(super) const NONE: Self = Self {
        slope: 1.0,
        offset: 0.0,
    };

    /// The map that suits predictions with these probabilities, right or wrong, of rows that may have weights.
    pub(super) fn fit(probabilities: &[f64], right: &[bool], weights: Option<&[f64]>) -> Self {
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let odds: Vec<f64> = probabilities.iter().map(|&p| logit(p)).collect();
        let mut map = Self::NONE;
        for _ in 0..STEPS {
            let (mut gradient, mut bend) = ([0.0; 2], [PRIOR, 0.0, PRIOR]);
            for (row, (&odds, &right)) in odds.iter().zip(right).enumerate() {
                let (p, weight) = (sigmoid(map.slope * odds + map.offset), weight(row));
                let error = weight * (f64::from(u8::from(right)) - p);
                let spread = weight * (p * (1.0 - p));
                gradient[0] += error * odds;
                gradient[1] += error;
                bend[0] += spread * odds * odds;
                bend[1] += spread * odds;
                bend[2] += spread;
            }
            gradient[0] -= PRIOR * (map.slope - 1.0);
            gradient[1] -= PRIOR * map.offset;
            let determinant = bend[0] * bend[2] - bend[1] * bend[1];
            let step = [
                (bend[2] * gradient[0] - bend[1] * gradient[1]) / determinant,
                (bend[0] * gradient[1] - bend[1] * gradient[0]) / determinant,
            ];
            // Far from the maximum full steps may be too long.
            let length = 1.0 / (step[0].abs().max(step[1].abs())).max(1.0);
            map.slope = (map.slope + length * step[0]).max(0.0);
            map.offset += length * step[1];
        }
        map
    }

    /// The confidence in a set of a probability.
    pub(super) fn of(self, probability: f64) -> f64 {
        if self == Self::NONE {
            return probability;
        }
        sigmoid(self.slope * logit(probability) + self.offset)
    }
}

fn logit(probability: f64) -> f64 {
    let p = probability.clamp(NEAREST_TO_CERTAIN, 1.0 - NEAREST_TO_CERTAIN);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::metrics::calibration_error;

    /// Probabilities, and answers that are right with σ(a·logit p + b).
    fn drawn(rows: usize, slope: f64, offset: f64) -> (Vec<f64>, Vec<bool>) {
        let mut stream = Seed::new(6).stream();
        let of_row = |_| {
            let p = 0.02 + 0.96 * stream.uniform();
            (p, stream.uniform() < sigmoid(slope * logit(p) + offset))
        };
        (0..rows).map(of_row).unzip()
    }

    #[test]
    fn the_map_that_made_the_answers_is_found() {
        for (slope, offset) in [(1.0, 0.0), (0.5, 0.8), (1.6, -0.7)] {
            let (p, right) = drawn(20_000, slope, offset);
            let map = Recalibration::fit(&p, &right, None);
            assert!((map.slope - slope).abs() < 0.08, "{map:?}");
            assert!((map.offset - offset).abs() < 0.08, "{map:?}");
            let confidence: Vec<f64> = p.iter().map(|&p| map.of(p)).collect();
            assert!(calibration_error(&confidence, &right) < 0.02);
        }
    }

    #[test]
    fn a_few_rows_change_little_and_separable_ones_leave_finite_numbers() {
        let map = Recalibration::fit(&[0.6, 0.7], &[true, false], None);
        assert!(
            (map.slope - 1.0).abs() < 0.4 && map.offset.abs() < 0.4,
            "{map:?}"
        );
        let p: Vec<f64> = (0..200).map(|i| f64::from(i) / 200.0).collect();
        let right: Vec<bool> = (0..200).map(|i| i >= 100).collect();
        let map = Recalibration::fit(&p, &right, None);
        assert!(
            map.slope.is_finite() && map.of(0.9) > 0.9 && map.of(0.1) < 0.1,
            "{map:?}"
        );
        let never = Recalibration::fit(&[1e-9; 50], &[false; 50], None);
        assert!(never.of(1e-9) < 1e-3, "{never:?}");
    }

    #[test]
    fn rows_count_by_their_weights() {
        let (p, right) = drawn(60, 0.7, 0.4);
        let weights: Vec<f64> = (0..60).map(|row| f64::from(1 + row % 4)).collect();
        let found = Recalibration::fit(&p, &right, Some(&weights));
        let copies = || (0..60).flat_map(|row| vec![row; 1 + row % 4]);
        let (p, right): (Vec<f64>, Vec<bool>) = copies().map(|row| (p[row], right[row])).unzip();
        let expected = Recalibration::fit(&p, &right, None);
        assert!((found.slope - expected.slope).abs() < 1e-9);
        assert!((found.offset - expected.offset).abs() < 1e-9);
    }
}
