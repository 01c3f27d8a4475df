//! Matrices and label sets in messages.

use serde::{Deserialize, Serialize};

use super::bulk::Bulk;
use crate::Result;
use crate::data::{Csr, Features, FeaturesView, Labels, Matrix};

/// A dense matrix, row by row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PackedMatrix {
    rows: usize,
    columns: usize,
    values: Bulk<f64>,
}

impl From<Matrix> for PackedMatrix {
    fn from(matrix: Matrix) -> Self {
        Self {
            rows: matrix.rows(),
            columns: matrix.columns(),
            values: Bulk(matrix.into_values()),
        }
    }
}

impl PackedMatrix {
    pub(crate) fn unpack(self) -> Result<Matrix> {
        Matrix::new(self.rows, self.columns, self.values.0)
    }
}

/// Label sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PackedLabels {
    count: usize,
    offsets: Bulk<u64>,
    members: Bulk<u32>,
}

impl From<Labels> for PackedLabels {
    fn from(labels: Labels) -> Self {
        let count = labels.count();
        let (offsets, members) = labels.into_parts();
        Self {
            count,
            offsets: Bulk(offsets.into_iter().map(|offset| offset as u64).collect()),
            members: Bulk(members),
        }
    }
}

impl PackedLabels {
    pub(crate) fn unpack(self) -> Result<Labels> {
        let offsets = self.offsets.iter().map(|&offset| offset as usize);
        Labels::new(self.count, offsets.collect(), self.members.0)
    }
}

/// Features, dense or sparse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum PackedFeatures {
    Dense(PackedMatrix),
    Sparse {
        columns: usize,
        offsets: Bulk<u64>,
        indices: Bulk<u32>,
        values: Bulk<f64>,
    },
}

impl From<FeaturesView<'_>> for PackedFeatures {
    fn from(features: FeaturesView<'_>) -> Self {
        match features {
            FeaturesView::Dense(x) => Self::Dense(PackedMatrix {
                rows: x.rows(),
                columns: x.columns(),
                values: Bulk(x.values().to_vec()),
            }),
            FeaturesView::Sparse(x) => {
                let rows: Vec<usize> = (0..x.rows()).collect();
                let (offsets, indices, values) = x.select_rows(&rows).into_parts();
                Self::Sparse {
                    columns: x.columns(),
                    offsets: Bulk(offsets.into_iter().map(|offset| offset as u64).collect()),
                    indices: Bulk(indices),
                    values: Bulk(values),
                }
            }
        }
    }
}

impl PackedFeatures {
    pub(crate) fn unpack(self) -> Result<Features> {
        Ok(match self {
            Self::Dense(matrix) => Features::Dense(matrix.unpack()?),
            Self::Sparse {
                columns,
                offsets,
                indices,
                values,
            } => {
                let offsets = offsets.iter().map(|&offset| offset as usize).collect();
                Features::Sparse(Csr::new(columns, offsets, indices.0, values.0)?)
            }
        })
    }
}
