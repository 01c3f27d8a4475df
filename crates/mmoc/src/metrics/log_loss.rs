//! The binary cross-entropy of probabilities.

use super::mean;
use crate::data::{Labels, Matrix};

/// The mean over rows and labels of minus the logarithm of the probability of the truth.
pub(super) fn log_loss(truth: &Labels, probabilities: &Matrix) -> f64 {
    let rows = (0..truth.rows()).map(|row| of_row(truth.row(row), probabilities.row(row)));
    mean(rows) / truth.count() as f64
}

fn of_row(relevant: &[u32], probabilities: &[f64]) -> f64 {
    let mut given: Vec<f64> = probabilities.iter().map(|p| 1.0 - p).collect();
    for &label in relevant {
        given[label as usize] = probabilities[label as usize];
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

    #[test]
    fn a_probability_of_one_half_costs_log_two() {
        let truth = Labels::from_fn(3, 2, |row, label| row == label);
        let coin = Matrix::from_fn(3, 2, |_, _| 0.5);
        let difference = log_loss(&truth, &coin) - std::f64::consts::LN_2;
        assert!(difference.abs() < 1e-15);
    }

    #[test]
    fn wrong_certainty_costs_a_finite_loss() {
        let truth = Labels::from_fn(1, 2, |_, label| label == 0);
        let right = Matrix::new(1, 2, vec![1.0, 0.0]).unwrap();
        let wrong = Matrix::new(1, 2, vec![0.0, 1.0]).unwrap();
        let least = -(1.0 - f64::EPSILON).ln();
        assert_eq!(log_loss(&truth, &right).to_bits(), least.to_bits());
        let most = -f64::EPSILON.ln();
        assert_eq!(log_loss(&truth, &wrong).to_bits(), most.to_bits());
    }
}
