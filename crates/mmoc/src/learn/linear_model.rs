//! Several linear functions of the features.

use crate::data::{FeaturesView, Matrix};
use crate::linalg::multiply_features;
use crate::{Error, Result};

/// Linear functions `x ↦ Bᵀx + b`, one per column of B.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    coefficients: Matrix,
    intercepts: Vec<f64>,
}

impl LinearModel {
    /// A model from its coefficients, p×m, and its m intercepts.
    pub fn new(coefficients: Matrix, intercepts: Vec<f64>) -> Result<Self> {
        if coefficients.columns() == intercepts.len() {
            return Ok(Self {
                coefficients,
                intercepts,
            });
        }
        Err(Error::Shape {
            what: "intercepts of a linear model",
            expected: coefficients.columns(),
            found: intercepts.len(),
        })
    }

    /// B, one column per function.
    pub fn coefficients(&self) -> &Matrix {
        &self.coefficients
    }

    /// b, one number per function.
    pub fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The value of every function at every row, n×m.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let expected = self.coefficients.rows();
        if x.columns() != expected {
            return Err(Error::Shape {
                what: "feature columns",
                expected,
                found: x.columns(),
            });
        }
        let mut values = multiply_features(x, self.coefficients.view());
        for row in 0..values.rows() {
            for (value, intercept) in values.row_mut(row).iter_mut().zip(&self.intercepts) {
                *value += intercept;
            }
        }
        Ok(values)
    }
}
