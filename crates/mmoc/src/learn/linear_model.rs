//! Linear functions of the features.

use crate::data::{FeaturesView, Matrix};
use crate::linalg::{multiply, multiply_features};
use crate::{Result, check_size};

/// Linear functions `x ↦ Bᵀx + b`, one per column of B.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    coefficients: Matrix,
    intercepts: Vec<f64>,
}

impl LinearModel {
    /// A model from its coefficients, p×m, and its m intercepts.
    pub fn new(coefficients: Matrix, intercepts: Vec<f64>) -> Result<Self> {
        check_size(
            "intercepts of a linear model",
            coefficients.columns(),
            intercepts.len(),
        )?;
        Ok(Self {
            coefficients,
            intercepts,
        })
    }

    /// B, one column per function.
    pub fn coefficients(&self) -> &Matrix {
        &self.coefficients
    }

    /// b, one value per function.
    pub fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The functions of several models of the same features, concatenated.
    pub fn concatenated(models: &[&Self]) -> Result<Self> {
        let coefficients: Vec<&Matrix> = models.iter().map(|model| &model.coefficients).collect();
        let intercepts = models.iter().flat_map(|model| &model.intercepts);
        Self::new(
            Matrix::hstack(&coefficients)?,
            intercepts.copied().collect(),
        )
    }

    /// The functions `x ↦ Tᵀ(Bᵀx + b)`: linear combinations of these, one per column of T.
    pub fn combined(&self, combinations: &Matrix) -> Result<Self> {
        let functions = self.intercepts.len();
        check_size("functions to combine", functions, combinations.rows())?;
        let intercepts = (0..combinations.columns()).map(|k| {
            let terms = combinations.column(k).zip(&self.intercepts);
            terms.map(|(weight, intercept)| weight * intercept).sum()
        });
        Self::new(
            multiply(self.coefficients.view(), combinations.view()),
            intercepts.collect(),
        )
    }

    /// The value of every function at every row, n×m.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        check_size("feature columns", self.coefficients.rows(), x.columns())?;
        let mut values = multiply_features(x, self.coefficients.view());
        for row in 0..values.rows() {
            for (value, intercept) in values.row_mut(row).iter_mut().zip(&self.intercepts) {
                *value += intercept;
            }
        }
        Ok(values)
    }
}
