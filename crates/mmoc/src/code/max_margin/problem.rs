//! The problem (31), or (25) without classifiers, in terms of residuals and gains.
//!
//! For sample i let ŷ be the regressed labels, y the true ones, e = ŷ − y, and δ = z − y for other labels z. A
//! constraint of (31) requires its slack to be at least
//!
//! ```text
//! (2Qe + g)ᵀδ − δᵀQδ        g = (1 − 2y) + log(p̂₁/p̂₀)
//! ```
//!
//! since the Hamming distance (29) and the interpolated log-probability (30) are linear in δ with the
//! coefficients 1 − 2y and log p̂₁ − log p̂₀. Without classifiers the latter are zero.
//!
//! Samples may have weights. Wherever this folder speaks of a mean over samples, sample i has the share w_i/Σw, or 1/n
//! without weights, so that a sample of weight 2 counts as two such samples.

use crate::data::{Labels, Matrix, check_weights};
use crate::linalg::dot;
use crate::{Error, Result, check_size};

/// A max-margin problem: the regressed and the true labels, the gains g and the weight C.
#[derive(Debug, Clone)]
pub struct Problem {
    predictions: Matrix,
    truth: Matrix,
    residuals: Matrix,
    gains: Matrix,
    c: f64,
    /// Weights of the samples relative to their mean; `None` if all are equal.
    sample_weights: Option<Vec<f64>>,
}

/// The smallest weight relative to the mean. A smaller one does not change a mean in double precision, and could
/// underflow.
const SMALLEST_WEIGHT: f64 = f64::EPSILON;

impl Problem {
    /// A problem from regressed labels ŷ = Pᵀx, n×q, the true labels, the log-odds of the classifiers, n×q, if they
    /// are included, and the weight C of the slacks.
    pub fn new(
        predictions: Matrix,
        labels: &Labels,
        log_odds: Option<&Matrix>,
        c: f64,
    ) -> Result<Self> {
        let (rows, count) = (labels.rows(), labels.count());
        check_size("rows of regressed labels", rows, predictions.rows())?;
        check_size("columns of regressed labels", count, predictions.columns())?;
        check_finite("finite regressed labels", &predictions)?;
        if let Some(log_odds) = log_odds {
            check_size("rows of log-odds", rows, log_odds.rows())?;
            check_size("columns of log-odds", count, log_odds.columns())?;
            check_finite("finite log-odds", log_odds)?;
        }
        if rows == 0 || count == 0 {
            return Err(Error::Dataset {
                expected: "at least one row and one label".into(),
                found: format!("{rows} rows and {count} labels"),
            });
        }
        if !(c.is_finite() && c > 0.0) {
            return Err(Error::Parameter {
                parameter: "c",
                expected: "a positive number".into(),
                found: c.to_string(),
            });
        }
        let truth = labels.to_matrix();
        let residuals = Matrix::from_fn(rows, count, |i, j| predictions[(i, j)] - truth[(i, j)]);
        let gains = Matrix::from_fn(rows, count, |i, j| {
            1.0 - 2.0 * truth[(i, j)] + log_odds.map_or(0.0, |log_odds| log_odds[(i, j)])
        });
        Ok(Self {
            predictions,
            truth,
            residuals,
            gains,
            c,
            sample_weights: None,
        })
    }

    /// The same problem with a weight for each sample: one of weight 2 counts as two such samples.
    ///
    /// Fails unless there is a positive, finite weight for each sample.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        check_weights(weights, self.rows())?;
        Ok(Self {
            sample_weights: relative_weights(weights),
            ..self
        })
    }

    /// Number of samples, n.
    pub fn rows(&self) -> usize {
        self.truth.rows()
    }

    /// Number of labels, q.
    pub fn labels(&self) -> usize {
        self.truth.columns()
    }

    /// The weight C of the slacks.
    pub fn c(&self) -> f64 {
        self.c
    }

    /// The share of a sample in means over samples.
    pub fn share(&self, row: usize) -> f64 {
        let equal = 1.0 / self.rows() as f64;
        let weights = self.sample_weights.as_ref();
        weights.map_or(equal, |weights| equal * weights[row])
    }

    /// The weight of a sample relative to the mean weight; one without weights.
    pub(super) fn sample_weight(&self, row: usize) -> f64 {
        let weights = self.sample_weights.as_ref();
        weights.map_or(1.0, |weights| weights[row])
    }

    /// The root of [`Self::sample_weight`]; `None` without weights. Rows times these roots have weighted Gram matrices.
    pub(super) fn root_weight(&self, row: usize) -> Option<f64> {
        let weights = self.sample_weights.as_ref();
        weights.map(|weights| weights[row].sqrt())
    }

    /// The mean of a value of each sample.
    pub(super) fn mean(&self, values: &[f64]) -> f64 {
        let sum: f64 = match &self.sample_weights {
            None => values.iter().sum(),
            Some(weights) => dot(weights, values),
        };
        sum / values.len() as f64
    }

    /// ŷ, n×q.
    pub fn predictions(&self) -> &Matrix {
        &self.predictions
    }

    /// y, n×q.
    pub(super) fn truth(&self) -> &Matrix {
        &self.truth
    }

    /// e, n×q.
    pub(super) fn residuals(&self) -> &Matrix {
        &self.residuals
    }

    /// g, n×q.
    pub(super) fn gains(&self) -> &Matrix {
        &self.gains
    }

    /// ε = 1/(2C), the cost of a unit of trace relative to a unit of mean slack. Solvers work with F/C = ε·tr Q +
    /// mean slack.
    pub(super) fn price(&self) -> f64 {
        0.5 / self.c
    }

    /// The mean magnitude of the gains, the scale of the metric at which distances are comparable to gains.
    pub(super) fn gain_scale(&self) -> f64 {
        let mean = self.mean_entry(&self.gains, f64::abs);
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// The scale of a dual matrix: ε plus the mean square of a residual.
    pub(super) fn residual_variance(&self) -> f64 {
        self.price() + self.mean_entry(&self.residuals, |e| e * e)
    }

    /// The mean over samples and labels of a function of the entries of a matrix, n×q.
    fn mean_entry(&self, matrix: &Matrix, of: impl Fn(f64) -> f64) -> f64 {
        let values = matrix.values();
        let sum: f64 = match &self.sample_weights {
            None => values.iter().map(|value| of(*value)).sum(),
            Some(weights) => {
                let rows = values.chunks_exact(matrix.columns());
                let sums = rows.map(|row| row.iter().map(|value| of(*value)).sum::<f64>());
                sums.zip(weights).map(|(sum, weight)| weight * sum).sum()
            }
        };
        sum / values.len() as f64
    }

    /// F/C at a metric with the given mean slack.
    pub(super) fn objective(&self, metric: &Matrix, mean_slack: f64) -> f64 {
        let trace: f64 = (0..metric.rows()).map(|j| metric[(j, j)]).sum();
        self.price() * trace + mean_slack
    }
}

/// Weights divided by their mean; `None` if all are equal.
fn relative_weights(weights: &[f64]) -> Option<Vec<f64>> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if weights.iter().all(|weight| *weight == largest) {
        return None;
    }
    // The sum of the weights themselves may overflow.
    let mean = weights.iter().map(|w| w / largest).sum::<f64>() / weights.len() as f64;
    let relative = |weight: &f64| (weight / largest / mean).max(SMALLEST_WEIGHT);
    Some(weights.iter().map(relative).collect())
}

fn check_finite(expected: &str, matrix: &Matrix) -> Result<()> {
    match matrix.values().iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::Dataset {
            expected: expected.into(),
            found: value.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::max_margin::testing::diagonal;

    fn labels() -> Labels {
        Labels::from_fn(2, 2, |i, j| i == j)
    }

    fn predictions() -> Matrix {
        Matrix::new(2, 2, vec![0.75, 0.25, 0.5, 1.5]).unwrap()
    }

    #[test]
    fn residuals_and_gains_agree_with_their_definition() {
        let log_odds = Matrix::new(2, 2, vec![3.0, -2.0, 0.5, -4.0]).unwrap();
        let problem = Problem::new(predictions(), &labels(), Some(&log_odds), 4.0).unwrap();
        assert_eq!((problem.rows(), problem.labels(), problem.c()), (2, 2, 4.0));
        assert_eq!(problem.truth().values(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(problem.residuals().values(), [-0.25, 0.25, 0.5, 0.5]);
        assert_eq!(problem.gains().values(), [2.0, -1.0, 1.5, -5.0]);
        assert_eq!(problem.gain_scale(), 9.5 / 4.0);
        assert_eq!(problem.price(), 0.125);
        assert_eq!(problem.residual_variance(), 0.125 + 0.625 / 4.0);
        assert_eq!(problem.objective(&diagonal(&[2.0, 6.0]), 0.5), 1.5);
    }

    #[test]
    fn without_classifiers_gains_are_the_hamming_distance() {
        let problem = Problem::new(predictions(), &labels(), None, 1.0).unwrap();
        assert_eq!(problem.gains().values(), [-1.0, 1.0, 1.0, -1.0]);
    }

    #[test]
    fn zero_gains_have_a_positive_scale() {
        let log_odds = Matrix::new(2, 2, vec![1.0, -1.0, -1.0, 1.0]).unwrap();
        let problem = Problem::new(predictions(), &labels(), Some(&log_odds), 1.0).unwrap();
        assert_eq!(problem.gain_scale(), 1.0);
    }

    fn message(predictions: Matrix, log_odds: Option<&Matrix>, c: f64) -> String {
        let problem = Problem::new(predictions, &labels(), log_odds, c);
        problem.unwrap_err().to_string()
    }

    #[test]
    fn sizes_must_agree() {
        let cases = [
            (
                message(Matrix::zeros(3, 2), None, 1.0),
                "rows of regressed labels: expected 2, found 3",
            ),
            (
                message(Matrix::zeros(2, 1), None, 1.0),
                "columns of regressed labels: expected 2, found 1",
            ),
            (
                message(predictions(), Some(&Matrix::zeros(1, 2)), 1.0),
                "rows of log-odds: expected 2, found 1",
            ),
            (
                message(predictions(), Some(&Matrix::zeros(2, 3)), 1.0),
                "columns of log-odds: expected 2, found 3",
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn numbers_must_be_finite() {
        for value in [f64::NAN, f64::INFINITY] {
            let broken = || Matrix::new(2, 2, vec![0.0, 0.0, value, 0.0]).unwrap();
            assert!(message(broken(), None, 1.0).contains("finite regressed labels"));
            assert!(message(predictions(), Some(&broken()), 1.0).contains("finite log-odds"));
        }
    }

    #[test]
    fn the_weight_of_slacks_must_be_positive() {
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let found = message(predictions(), None, c);
            assert!(found.starts_with("c must be a positive number"), "{found}");
        }
    }

    #[test]
    fn samples_have_shares_in_proportion_to_their_weights() {
        let problem = Problem::new(predictions(), &labels(), None, 4.0).unwrap();
        assert_eq!((problem.share(0), problem.share(1)), (0.5, 0.5));
        let problem = problem.with_weights(&[3.0, 1.0]).unwrap();
        assert!((problem.share(0) - 0.75).abs() < 1e-15);
        assert!((problem.share(1) - 0.25).abs() < 1e-15);
        assert!((problem.mean(&[1.0, 5.0]) - 2.0).abs() < 1e-15);
        let squares = 0.75 * 0.125 + 0.25 * 0.5;
        assert!((problem.residual_variance() - 0.125 - squares / 2.0).abs() < 1e-15);
    }

    #[test]
    fn equal_weights_are_as_good_as_none() {
        let problem = Problem::new(predictions(), &labels(), None, 4.0).unwrap();
        let problem = problem.with_weights(&[0.1, 0.1]).unwrap();
        assert_eq!((problem.root_weight(0), problem.share(0)), (None, 0.5));
    }

    #[test]
    fn weights_of_any_size_have_finite_positive_shares() {
        let problem = Problem::new(predictions(), &labels(), None, 4.0).unwrap();
        for weights in [[1e308, 1.7e308], [1e-308, 1e308], [5e-324, 1e-323]] {
            let problem = problem.clone().with_weights(&weights).unwrap();
            let shares = [problem.share(0), problem.share(1)];
            assert!(shares.iter().all(|share| *share > 0.0), "{shares:?}");
            assert!((shares[0] + shares[1] - 1.0).abs() < 1e-15, "{shares:?}");
        }
    }

    #[test]
    fn weights_must_be_positive_finite_and_one_for_each_sample() {
        for weights in [
            &[1.0][..],
            &[1.0, 0.0],
            &[-1.0, 1.0],
            &[1.0, f64::NAN],
            &[f64::INFINITY, 1.0],
        ] {
            let problem = Problem::new(predictions(), &labels(), None, 4.0).unwrap();
            assert!(problem.with_weights(weights).is_err(), "{weights:?}");
        }
    }

    #[test]
    fn empty_problems_are_rejected() {
        for (rows, count) in [(0, 2), (2, 0), (0, 0)] {
            let labels = Labels::from_fn(rows, count, |_, _| false);
            let problem = Problem::new(Matrix::zeros(rows, count), &labels, None, 1.0);
            assert!(matches!(problem, Err(Error::Dataset { .. })));
        }
    }
}
