//! Linear functions of kernel values.

use std::sync::Arc;

use super::radial_basis::RadialBasis;
use crate::data::{FeaturesView, Matrix};
use crate::learn::LinearModel;
use crate::linalg::add_scaled;
use crate::{Result, check_size};

/// Functions `x ↦ Aᵀ·k(x, centres) + b`, one per column of A.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelModel {
    pub(super) kernel: Arc<RadialBasis>,
    /// A, c×m, and b.
    pub(super) outputs: LinearModel,
}

impl KernelModel {
    /// Functions of the values of a kernel.
    pub(super) fn new(kernel: Arc<RadialBasis>, outputs: LinearModel) -> Result<Self> {
        let coefficients = outputs.coefficients();
        check_size("kernel values", kernel.count(), coefficients.rows())?;
        Ok(Self { kernel, outputs })
    }

    /// Number of functions, m.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs.intercepts().len()
    }

    /// Number of columns of the rows.
    pub(crate) fn columns(&self) -> usize {
        self.kernel.columns()
    }

    /// The value of every function at every row, n×m.
    pub(crate) fn predict(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let mut values = self.kernel.multiplied(x, self.outputs.coefficients())?;
        for row in 0..values.rows() {
            add_scaled(values.row_mut(row), 1.0, self.outputs.intercepts());
        }
        Ok(values)
    }
}
