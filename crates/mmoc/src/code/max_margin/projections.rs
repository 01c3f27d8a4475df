//! From a metric to encoding projections, V = U·D^½ (26).
//!
//! Joint decoding (15) divides each projection by its own noise, so that the size of an eigenvalue cancels and
//! only which eigenvectors are kept matters. An eigenvalue that is nothing but what the solver stopped at would
//! count as much as the leading one, so that no more are kept than the metric has rank.

use crate::Result;
use crate::code::fix_signs;
use crate::data::Matrix;
use crate::linalg::symmetric_eigen;

/// The leading columns of U·D^½, q×d.
pub(super) fn projections(metric: &Matrix, count: usize) -> Result<Matrix> {
    let eigen = symmetric_eigen(metric.clone())?;
    let mut projections = Matrix::from_fn(metric.rows(), count, |j, k| {
        eigen.vectors[(j, k)] * eigen.values[k].max(0.0).sqrt()
    });
    fix_signs(&mut projections);
    Ok(projections)
}
