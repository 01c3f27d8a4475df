//! Kernel values k(x, c) = exp(−γ‖x̃ − c̃‖²), a few rows at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::centres::Centres;
use crate::data::{FeaturesView, Matrix};
use crate::linalg::{exponentials, multiply, vectorised};
use crate::{Result, check_stop};

/// Most rows of a block: one task of a matrix product.
const BLOCK: usize = 64;
/// Most kernel values of a block, 8 MiB, unless a single row has more.
const MOST_VALUES: usize = 1 << 20;

/// The functions x ↦ k(x, c), one for each centre.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RadialBasis {
    pub(super) centres: Centres,
    /// γ.
    pub(super) gamma: f64,
}

impl RadialBasis {
    /// Number of centres, c.
    pub(super) fn count(&self) -> usize {
        self.centres.count()
    }

    /// Number of columns of the rows.
    pub(super) fn columns(&self) -> usize {
        self.centres.preparation().columns()
    }

    /// k(x, centres) of all rows, n×c.
    pub(super) fn values(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        by_blocks(x.rows(), self.count(), self.count(), |rows| {
            self.block(x.rows_in(rows))
        })
    }

    /// k(x, centres)·B of all rows, n×m, with no more kernel values in memory than a block has.
    pub(super) fn multiplied(&self, x: FeaturesView<'_>, b: &Matrix) -> Result<Matrix> {
        by_blocks(x.rows(), b.columns(), self.count(), |rows| {
            let values = self.block(x.rows_in(rows))?;
            Ok(multiply(values.view(), b.view()))
        })
    }

    fn block(&self, x: FeaturesView<'_>) -> Result<Matrix> {
        let mut values = self.centres.squared_distances(x)?;
        let has_nan = |row: &usize| values.row(*row).first().is_some_and(|d| d.is_nan());
        let unknown: Vec<usize> = (0..values.rows()).filter(has_nan).collect();
        kernel_values(values.values_mut(), self.gamma);
        // The exponential clamps its argument, NaN too.
        unknown
            .into_iter()
            .for_each(|row| values.row_mut(row).fill(f64::NAN));
        Ok(values)
    }
}

/// Replaces each squared distance d by exp(−γd).
pub(super) fn kernel_values(distances: &mut [f64], gamma: f64) {
    vectorised(|| distances.iter_mut().for_each(|value| *value *= -gamma));
    let (groups, rest) = distances.as_chunks_mut::<8>();
    exponentials(groups);
    let mut last = [0.0; 8];
    last[..rest.len()].copy_from_slice(rest);
    exponentials(std::slice::from_mut(&mut last));
    rest.copy_from_slice(&last[..rest.len()]);
}

/// A matrix of so many rows and columns, computed in parallel for ranges of rows, each with so many kernel values.
pub(super) fn by_blocks(
    rows: usize,
    columns: usize,
    values_per_row: usize,
    compute: impl Fn(Range<usize>) -> Result<Matrix> + Sync,
) -> Result<Matrix> {
    let block = (MOST_VALUES / values_per_row.max(1)).clamp(1, BLOCK);
    let mut matrix = Matrix::zeros(rows, columns);
    let chunks = matrix.values_mut().par_chunks_mut((block * columns).max(1));
    chunks.enumerate().try_for_each(|(i, chunk)| {
        check_stop()?;
        let some = compute(i * block..rows.min((i + 1) * block))?;
        chunk.copy_from_slice(some.values());
        Ok(())
    })?;
    Ok(matrix)
}
