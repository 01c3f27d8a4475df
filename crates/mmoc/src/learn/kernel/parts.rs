//! What each column adds to functions of kernel values on the way from one row to another.
//!
//! Integrated gradients (Sundararajan, Taly & Yan, ICML 2017): column c adds
//!
//! ```text
//! (x_c − r_c)·∫₀¹ ∂f/∂x_c (r + t(x − r)) dt
//! ```
//!
//! for a row x and a reference r, which over all columns is f(x) − f(r). With f = Σ_i a_i·k(x, c_i), the gradient is
//! −2γ·Σ_i a_i·k(x, c_i)·(x̃ − c̃_i) in standardised coordinates. The integral is the mean over midpoints of the way.

use super::model::KernelModel;
use super::preparation::Preparation;
use crate::data::{Features, FeaturesView, Matrix};
use crate::linalg::{multiply, multiply_transposed};
use crate::{Result, check_size};

/// Midpoints of the way.
const STEPS: usize = 64;

impl KernelModel {
    /// Whether columns have parts: not where rows are divided by their length, so that columns depend on each other.
    pub(crate) fn has_parts(&self) -> bool {
        matches!(
            self.kernel.centres.preparation(),
            Preparation::Standardised { .. }
        )
    }

    /// What each column adds to each function between two dense rows, p×m; none if columns have no parts.
    pub(crate) fn parts(&self, reference: &[f64], row: &[f64]) -> Result<Option<Matrix>> {
        check_size("columns of a row", self.columns(), reference.len())?;
        check_size("columns of a row", self.columns(), row.len())?;
        let point = |share: f64, column: usize| {
            reference[column] + share * (row[column] - reference[column])
        };
        let ends = self.prepared(&Matrix::from_fn(2, row.len(), |end, column| {
            point(end as f64, column)
        }))?;
        let way = Matrix::from_fn(STEPS, row.len(), |step, column| {
            point((step as f64 + 0.5) / STEPS as f64, column)
        });
        let (Some(ends), Some(prepared), Features::Dense(centres)) =
            (ends, self.prepared(&way)?, self.kernel.centres.rows())
        else {
            return Ok(None);
        };
        let values = self.kernel.values(FeaturesView::Dense(way.view()))?;
        let coefficients = self.outputs.coefficients();
        let at_steps = multiply(values.view(), coefficients.view());
        let of_row = multiply_transposed(prepared.view(), at_steps.view());
        let totals: Vec<f64> = (0..values.columns())
            .map(|centre| values.column(centre).sum())
            .collect();
        let weighted = Matrix::from_fn(totals.len(), coefficients.columns(), |centre, k| {
            totals[centre] * coefficients[(centre, k)]
        });
        let of_centres = multiply_transposed(centres.view(), weighted.view());
        let factor = -2.0 * self.kernel.gamma / STEPS as f64;
        let part = |column, k| {
            let change = ends[(1, column)] - ends[(0, column)];
            factor * change * (of_row[(column, k)] - of_centres[(column, k)])
        };
        Ok(Some(Matrix::from_fn(
            row.len(),
            coefficients.columns(),
            part,
        )))
    }

    fn prepared(&self, rows: &Matrix) -> Result<Option<Matrix>> {
        let view = FeaturesView::Dense(rows.view());
        match self.kernel.centres.preparation().apply(view)? {
            Features::Dense(prepared) if self.has_parts() => Ok(Some(prepared)),
            _ => Ok(None),
        }
    }
}
