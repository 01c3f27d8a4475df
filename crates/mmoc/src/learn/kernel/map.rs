//! The map φ from rows to features in which inner products are kernel values.

use std::sync::Arc;

use super::centres::Centres;
use super::radial_basis::RadialBasis;
use super::{KernelChoice, KernelModel, KernelParams, drawn_rows};
use crate::data::{FeaturesView, Matrix};
use crate::learn::LinearModel;
use crate::linalg::{SymmetricEigen, multiply, symmetric_eigen};
use crate::{Result, Seed, check_size, check_stop};

/// Eigenvalues of the kernel below this share of the largest are left out: they are close to rounding, and as many
/// features would be fitted for nothing.
const LEAST_EIGENVALUE: f64 = 1e-8;

/// The map x ↦ φ(x) = (U·W^(−½))ᵀ·k(x, centres).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelMap {
    kernel: Arc<RadialBasis>,
    /// U·W^(−½), c×r.
    basis: Matrix,
}

/// A map with the training rows that it was made from.
#[derive(Debug, Clone)]
pub(crate) struct KernelFit {
    /// The map.
    pub(crate) map: KernelMap,
    /// The mapped training rows, n×r.
    pub(crate) features: Matrix,
}

impl KernelMap {
    /// The map of a chosen kernel, with all training rows as centres or with some of them.
    pub(crate) fn fit(
        x: FeaturesView<'_>,
        choice: KernelChoice,
        params: &KernelParams,
        seed: Seed,
    ) -> Result<KernelFit> {
        let KernelChoice {
            gamma, preparation, ..
        } = choice;
        let rows = centre_rows(x.rows(), params, seed);
        let own = x.select_rows(&rows);
        let centres = Centres::new(preparation, own.view())?;
        let kernel = RadialBasis { centres, gamma };
        let mut between = kernel.values(own.view())?;
        (0..rows.len()).for_each(|row| between[(row, row)] = 1.0);
        check_stop()?;
        let eigen = symmetric_eigen(between)?;
        check_stop()?;
        let basis = scaled_vectors(&eigen, |value| value.sqrt().recip());
        let features = if rows.len() == x.rows() {
            // K·U·W^(−½) without a product.
            scaled_vectors(&eigen, f64::sqrt)
        } else {
            kernel.multiplied(x, &basis)?
        };
        let kernel = Arc::new(kernel);
        Ok(KernelFit {
            map: Self { kernel, basis },
            features,
        })
    }

    /// Number of feature columns.
    pub(crate) fn columns(&self) -> usize {
        self.kernel.columns()
    }

    /// Number of centres.
    pub(crate) fn centres(&self) -> usize {
        self.basis.rows()
    }

    /// Number of mapped features, r.
    pub(crate) fn count(&self) -> usize {
        self.basis.columns()
    }

    /// The mapped rows, n×r.
    #[cfg(test)]
    pub(crate) fn features(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        self.kernel.multiplied(x, &self.basis)
    }

    /// Linear functions of the mapped features as functions of the rows.
    pub(crate) fn compose(&self, model: &LinearModel) -> Result<KernelModel> {
        check_size("mapped features", self.count(), model.coefficients().rows())?;
        let coefficients = multiply(self.basis.view(), model.coefficients().view());
        let outputs = LinearModel::new(coefficients, model.intercepts().to_vec())?;
        KernelModel::new(self.kernel.clone(), outputs)
    }
}

/// The rows that are centres, ascending.
fn centre_rows(rows: usize, params: &KernelParams, seed: Seed) -> Vec<usize> {
    drawn_rows(rows, params.centres(rows), seed.named("landmarks"))
}

/// The eigenvectors whose eigenvalues are not negligible, each times a function of its eigenvalue.
fn scaled_vectors(eigen: &SymmetricEigen, scale: impl Fn(f64) -> f64) -> Matrix {
    let floor = LEAST_EIGENVALUE * eigen.values[0];
    let kept = eigen.values.iter().take_while(|value| **value > floor);
    let scales: Vec<f64> = kept.map(|value| scale(*value)).collect();
    Matrix::from_fn(eigen.vectors.rows(), scales.len(), |row, k| {
        eigen.vectors[(row, k)] * scales[k]
    })
}
