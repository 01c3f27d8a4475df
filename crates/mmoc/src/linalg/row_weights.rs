//! How much each row counts in sums over rows.

use std::sync::Arc;

use crate::Result;
use crate::data::{Matrix, check_weights};
use crate::linalg::dot;

/// Weights of rows: a row of weight 2 counts as two such rows. Clones share the numbers.
///
/// With D the diagonal matrix of the weights and S = D^½, weighted sums of squares over the rows of X are those of S·X.
#[derive(Debug, Clone)]
pub(crate) struct RowWeights {
    weights: Arc<[f64]>,
    roots: Arc<[f64]>,
    total: f64,
}

impl RowWeights {
    /// Fails unless there is a positive, finite weight for each row.
    pub(crate) fn new(weights: &[f64], rows: usize) -> Result<Self> {
        check_weights(weights, rows)?;
        Ok(Self {
            weights: weights.into(),
            roots: weights.iter().map(|weight| weight.sqrt()).collect(),
            total: weights.iter().sum(),
        })
    }

    /// The weights of rows that do not all count the same.
    pub(crate) fn optional(weights: Option<&[f64]>, rows: usize) -> Result<Option<Self>> {
        weights.map(|weights| Self::new(weights, rows)).transpose()
    }

    /// The weight of each row.
    pub(crate) fn values(&self) -> &[f64] {
        &self.weights
    }

    /// The square root of each weight.
    pub(crate) fn roots(&self) -> &[f64] {
        &self.roots
    }

    /// The sum of the weights.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The weighted mean of a number for each row.
    pub(crate) fn mean(&self, values: &[f64]) -> f64 {
        dot(values, &self.weights) / self.total
    }

    /// D·A.
    pub(crate) fn times(&self, a: &Matrix) -> Matrix {
        let mut product = a.clone();
        scale_rows(&mut product, &self.weights);
        product
    }

    /// S⁻¹·A.
    pub(crate) fn divide_by_roots(&self, a: &mut Matrix) {
        for (row, root) in self.roots.iter().enumerate() {
            a.row_mut(row).iter_mut().for_each(|value| *value /= root);
        }
    }
}

/// How much rows count together: their number, if none has a weight.
pub(crate) fn total_weight(rows: usize, weights: Option<&RowWeights>) -> f64 {
    weights.map_or(rows as f64, RowWeights::total)
}

/// Multiplies each row by its factor.
pub(super) fn scale_rows(matrix: &mut Matrix, factors: &[f64]) {
    for (row, factor) in factors.iter().enumerate() {
        let values = matrix.row_mut(row).iter_mut();
        values.for_each(|value| *value *= factor);
    }
}
