//! What a method says about some rows.

use crate::data::{Labels, Matrix};
use crate::learn::logistic::sigmoid;

/// Predicted label sets, with the numbers behind them where the method has any.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The label set of each row.
    pub labels: Labels,
    /// The higher the likelier, comparable within a row and within a label, n×q.
    pub scores: Option<Matrix>,
    /// The probability of each label, n×q.
    pub probabilities: Option<Matrix>,
}

impl Prediction {
    /// The labels of log-odds above zero, n×q, with the log-odds as scores.
    pub(crate) fn from_log_odds(log_odds: Matrix) -> Self {
        let (rows, columns) = (log_odds.rows(), log_odds.columns());
        let probability = |i, j| sigmoid(log_odds[(i, j)]);
        Self {
            labels: Labels::from_fn(rows, columns, |i, j| log_odds[(i, j)] > 0.0),
            probabilities: Some(Matrix::from_fn(rows, columns, probability)),
            scores: Some(log_odds),
        }
    }
}
