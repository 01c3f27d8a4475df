//! The coordinates in which regressions on partitions are solved.
//!
//! They are those of rows in memory ([`crate::learn::Basis`]): the principal axes of dense features, and the columns of
//! sparse ones that vary. Partitions keep their features; vectors are rotated on their way to them and back.

use super::super::classifiers::HEAD_COLUMNS;
use crate::Result;
use crate::data::Matrix;
use crate::learn::partitioned::PartitionedRows;
use crate::linalg::{multiply, multiply_transposed, significant};

/// Columns up to which dense features are rotated: an eigendecomposition of that size takes one GiB.
const MOST_ROTATED: usize = 5792;

/// Coordinates of coefficients.
#[derive(Debug)]
pub(super) enum Space {
    /// Some of the columns.
    Columns {
        origins: Vec<usize>,
        /// Number of all columns.
        count: usize,
        scatters: Vec<f64>,
    },
    /// Orthonormal axes, p×r, in descending order of scatter.
    Axes { axes: Matrix, scatters: Vec<f64> },
}

impl Space {
    pub(super) fn of(rows: &PartitionedRows) -> Result<Self> {
        if rows.is_dense && rows.columns <= MOST_ROTATED {
            let eigen = rows.gram()?.form().eigen()?;
            let size = rows.columns.max(rows.count);
            let rounding = rows.columns as f64 * rows.floor;
            let scatters = significant(eigen.values, size, rounding);
            let axes = eigen.vectors.select_columns(0..scatters.len());
            return Ok(Self::Axes { axes, scatters });
        }
        let varying = (0..rows.columns).filter(|&column| rows.scatters[column] > 0.0);
        let origins: Vec<usize> = varying.collect();
        Ok(Self::Columns {
            scatters: origins
                .iter()
                .map(|&column| rows.scatters[column])
                .collect(),
            origins,
            count: rows.columns,
        })
    }

    /// The sum of squared deviations of all rows along each coordinate.
    pub(super) fn scatters(&self) -> &[f64] {
        match self {
            Self::Columns { scatters, .. } | Self::Axes { scatters, .. } => scatters,
        }
    }

    /// Number of features, p.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Columns { count, .. } => *count,
            Self::Axes { axes, .. } => axes.rows(),
        }
    }

    /// Number of leading coordinates on which preconditioners are exact.
    pub(super) fn head(&self) -> usize {
        match self {
            Self::Columns { .. } => 0,
            Self::Axes { scatters, .. } => HEAD_COLUMNS.min(scatters.len()),
        }
    }

    /// The axes of the head, p×h.
    pub(super) fn head_axes(&self) -> Matrix {
        match self {
            Self::Columns { count, .. } => Matrix::zeros(*count, 0),
            Self::Axes { axes, .. } => axes.select_columns(0..self.head()),
        }
    }

    /// Coefficients of the features, p×stride, a column for each vector and zeros after them.
    pub(super) fn interleaved(&self, vectors: &[&[f64]], stride: usize) -> Vec<f64> {
        let own = |k: usize, l: usize| vectors.get(l).map_or(0.0, |vector| vector[k]);
        match self {
            Self::Columns { origins, count, .. } => {
                let mut all = vec![0.0; count * stride];
                for (k, origin) in origins.iter().enumerate() {
                    for (l, vector) in vectors.iter().enumerate() {
                        all[origin * stride + l] = vector[k];
                    }
                }
                all
            }
            Self::Axes { axes, .. } => {
                let rotated = Matrix::from_fn(axes.columns(), stride, own);
                multiply(axes.view(), rotated.view()).into_values()
            }
        }
    }

    /// The vectors in these coordinates of sums over the features, p×stride.
    pub(super) fn vectors(
        &self,
        sums: &[f64],
        stride: usize,
        count: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let in_space = match self {
            Self::Columns { origins, .. } => {
                Matrix::from_fn(origins.len(), stride, |k, l| sums[origins[k] * stride + l])
            }
            Self::Axes { axes, .. } => {
                let sums = Matrix::new(axes.rows(), stride, sums.to_vec())?;
                multiply_transposed(axes.view(), sums.view())
            }
        };
        Ok((0..count).map(|l| in_space.column(l).collect()).collect())
    }

    /// Coefficients of the features, p×m.
    pub(super) fn original(&self, vectors: &[&[f64]]) -> Result<Matrix> {
        let values = self.interleaved(vectors, vectors.len());
        Matrix::new(self.columns(), vectors.len(), values)
    }
}
