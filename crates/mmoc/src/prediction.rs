//! What a method says about some rows.

use crate::data::{Labels, Matrix};

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
