//! From a metric to encoding projections, V = U·D^½ (26).
//!
//! Joint decoding (15) divides each projection by its own noise, so that the size of an eigenvalue cancels and
//! only which eigenvectors are kept matters. An eigenvalue that is nothing but what the solver stopped at would
//! count as much as the leading one: eigenvalues far below the largest are left out.

use crate::Result;
use crate::code::fix_signs;
use crate::data::Matrix;
use crate::linalg::{SymmetricEigen, symmetric_eigen};

/// The eigenvalues and eigenvectors of a metric.
#[derive(Debug)]
pub(super) struct Eigenpairs(SymmetricEigen);

impl Eigenpairs {
    pub(super) fn of(metric: &Matrix) -> Result<Self> {
        let mut eigen = symmetric_eigen(metric.clone())?;
        fix_signs(&mut eigen.vectors);
        Ok(Self(eigen))
    }

    /// How many eigenvalues are positive and not below the given share of the largest.
    pub(super) fn rank(&self, tolerance: f64) -> usize {
        let values = &self.0.values;
        let least = values.first().map_or(0.0, |largest| tolerance * largest);
        values
            .iter()
            .take_while(|value| **value > 0.0 && **value >= least)
            .count()
    }

    /// The leading columns of U·D^½, q×d.
    pub(super) fn projections(&self, count: usize) -> Matrix {
        let SymmetricEigen { values, vectors } = &self.0;
        Matrix::from_fn(vectors.rows(), count, |j, k| {
            vectors[(j, k)] * values[k].sqrt()
        })
    }
}
