//! Rows as the kernel measures their distances: dense ones standardised, sparse ones of length one.

use crate::data::{Csr, Features, FeaturesView, Matrix, MatrixView};
use crate::linalg::{RowWeights, check_total_scatter, total_weight, weighted_column_means};
use crate::{Result, check_size};

/// Larger standardised values are clamped: their squares would overflow, and the kernel is zero long before.
pub(super) const LARGEST: f64 = 1e100;

/// What is done to a row before its distances are measured, whether it comes dense or sparse.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Preparation {
    /// (x − shift)·scale, column by column. Columns that do not vary have scale zero and so are left out.
    Standardised { shift: Vec<f64>, scale: Vec<f64> },
    /// Rows divided by their length. Rows without entries stay zero.
    UnitLength { columns: usize },
}

impl Preparation {
    /// The preparation that suits finite training rows, which may have weights.
    pub(super) fn of(x: FeaturesView<'_>, weights: Option<&RowWeights>) -> Result<Self> {
        match x {
            FeaturesView::Dense(x) => standardisation(x, weights),
            FeaturesView::Sparse(x) => Ok(Self::UnitLength {
                columns: x.columns(),
            }),
        }
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        match self {
            Self::Standardised { shift, .. } => shift.len(),
            Self::UnitLength { columns } => *columns,
        }
    }

    /// Prepares rows: the result is dense if they are standardised, and sparse otherwise.
    pub(super) fn apply(&self, x: FeaturesView<'_>) -> Result<Features> {
        check_size("feature columns", self.columns(), x.columns())?;
        match self {
            Self::Standardised { shift, scale } => {
                Ok(Features::Dense(standardised(x, shift, scale)))
            }
            Self::UnitLength { .. } => unit_length(x).map(Features::Sparse),
        }
    }
}

/// Mean zero and variance one in each column, as far as it varies by more than rounding.
fn standardisation(x: MatrixView<'_>, weights: Option<&RowWeights>) -> Result<Preparation> {
    let shift = weighted_column_means(FeaturesView::Dense(x), weights);
    let (mut scatters, mut largest) = (vec![0.0; shift.len()], vec![0.0_f64; shift.len()]);
    for row in 0..x.rows() {
        let weight = weights.map_or(1.0, |weights| weights.values()[row]);
        for (k, value) in x.row(row).iter().enumerate() {
            scatters[k] += weight * (value - shift[k]) * (value - shift[k]);
            largest[k] = largest[k].max(value.abs());
        }
    }
    check_total_scatter(scatters.iter().sum())?;
    let total = total_weight(x.rows(), weights);
    let scale = scatters.into_iter().zip(largest).map(|(scatter, largest)| {
        let rounding = 4.0 * f64::EPSILON * largest;
        let varies = scatter > total * rounding * rounding;
        if varies {
            (total / scatter).sqrt()
        } else {
            0.0
        }
    });
    Ok(Preparation::Standardised {
        scale: scale.collect(),
        shift,
    })
}

fn standardised(x: FeaturesView<'_>, shift: &[f64], scale: &[f64]) -> Matrix {
    let mut prepared = Matrix::zeros(x.rows(), x.columns());
    for row in 0..x.rows() {
        let values = prepared.row_mut(row);
        x.for_each_in_row(row, |column, value| values[column] = value);
        for ((value, shift), scale) in values.iter_mut().zip(shift).zip(scale) {
            *value = ((*value - shift) * scale).clamp(-LARGEST, LARGEST);
        }
    }
    prepared
}

fn unit_length(x: FeaturesView<'_>) -> Result<Csr> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..x.rows() {
        let first = values.len();
        x.for_each_in_row(row, |column, value| {
            if value != 0.0 {
                indices.push(column as u32);
                values.push(value);
            }
        });
        normalise(&mut values[first..]);
        offsets.push(values.len());
    }
    Csr::new(x.columns(), offsets, indices, values)
}

/// Divides by the largest value first, so that no square overflows.
fn normalise(row: &mut [f64]) {
    let largest = row
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    row.iter_mut().for_each(|value| *value /= largest);
    let length = row.iter().map(|value| value * value).sum::<f64>().sqrt();
    row.iter_mut().for_each(|value| *value /= length);
}
