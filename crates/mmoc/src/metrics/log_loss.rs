//! The binary cross-entropy of probabilities.

use super::known::{mean_known, unknown_of_row};
use super::mean_over_rows;
use crate::data::{Matrix, Targets};

/// The mean over known cells of minus the logarithm of the probability of the truth.
pub(super) fn log_loss(truth: Targets<'_>, probabilities: &Matrix) -> f64 {
    let rows = (0..truth.rows()).map(|row| {
        let (relevant, unknown) = (truth.labels().row(row), unknown_of_row(truth, row));
        of_row(relevant, unknown, probabilities.row(row))
    });
    mean_over_rows(truth.weights(), rows) / mean_known(truth)
}

fn of_row(relevant: &[u32], unknown: &[u32], probabilities: &[f64]) -> f64 {
    let mut given: Vec<f64> = probabilities.iter().map(|p| 1.0 - p).collect();
    for &label in relevant {
        given[label as usize] = probabilities[label as usize];
    }
    // From the last to the first, so that a known label takes the place of each.
    for &label in unknown.iter().rev() {
        given.swap_remove(label as usize);
    }
    given.into_iter().map(negative_log).sum()
}

/// `−log p`, clipped to be finite.
fn negative_log(probability: f64) -> f64 {
    -probability.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;

    #[test]
    fn a_probability_of_one_half_costs_log_two() {
        let truth = Labels::from_fn(3, 2, |row, label| row == label);
        let coin = Matrix::from_fn(3, 2, |_, _| 0.5);
        let difference = log_loss(Targets::new(&truth), &coin) - std::f64::consts::LN_2;
        assert!(difference.abs() < 1e-15);
    }

    #[test]
    fn wrong_certainty_costs_a_finite_loss() {
        let truth = Labels::from_fn(1, 2, |_, label| label == 0);
        let right = Matrix::new(1, 2, vec![1.0, 0.0]).unwrap();
        let wrong = Matrix::new(1, 2, vec![0.0, 1.0]).unwrap();
        let least = -(1.0 - f64::EPSILON).ln();
        assert_eq!(
            log_loss(Targets::new(&truth), &right).to_bits(),
            least.to_bits()
        );
        let most = -f64::EPSILON.ln();
        assert_eq!(
            log_loss(Targets::new(&truth), &wrong).to_bits(),
            most.to_bits()
        );
    }
}
