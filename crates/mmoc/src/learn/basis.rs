//! The coordinates in which regressions are solved.

use super::ExtendedBasis;
use crate::Result;
use crate::data::{Csr, CsrView, Matrix};
use crate::linalg::{
    Design, Factorisation, Rotation, SparseDesign, check_total_scatter, column_scatters,
};

/// Training features in the coordinates that suit the iterative solvers.
///
/// Dense features are rotated onto their principal axes, where a diagonal preconditioner is close to the
/// Hessian of every label, penalty and fold. Sparse features stay as they are, but for columns that do not
/// vary: products with them are cheap, rotated they would be dense, and columns that rarely occur together are
/// close to orthogonal already.
#[derive(Debug, Clone)]
pub enum Basis<'a> {
    /// Rotated features, and the factorisation to come back by.
    Rotated(&'a Rotation, &'a Factorisation<'a>),
    /// The columns of sparse features that vary.
    Varying(VaryingColumns),
    /// Any of these, and further columns beside the features.
    Extended(ExtendedBasis<'a>),
}

/// The columns of sparse features that vary.
#[derive(Debug, Clone)]
pub struct VaryingColumns {
    design: SparseDesign,
    scatters: Vec<f64>,
    /// Where each column comes from, and how many there were.
    origins: Vec<u32>,
    count: usize,
}

impl VaryingColumns {
    /// Picks the columns.
    ///
    /// Fails if the squares of the features are too large or too small for floating-point numbers.
    pub fn new(x: CsrView<'_>) -> Result<Self> {
        let all = column_scatters(x);
        check_total_scatter(all.iter().sum())?;
        let origins: Vec<u32> = (0..all.len() as u32)
            .filter(|&column| all[column as usize] > 0.0)
            .collect();
        let scatters = origins.iter().map(|&column| all[column as usize]).collect();
        Ok(Self {
            design: SparseDesign::new(select_columns(x, &origins)?),
            scatters,
            origins,
            count: all.len(),
        })
    }
}

fn select_columns(x: CsrView<'_>, columns: &[u32]) -> Result<Csr> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..x.rows() {
        for (column, value) in x.entries(row) {
            if let Ok(place) = columns.binary_search(&(column as u32)) {
                indices.push(place as u32);
                values.push(value);
            }
        }
        offsets.push(indices.len());
    }
    Csr::new(columns.len(), offsets, indices, values)
}

impl Basis<'_> {
    /// Number of training rows.
    pub fn rows(&self) -> usize {
        self.design().rows()
    }

    /// The matrix of the regressions in these coordinates.
    pub(crate) fn design(&self) -> Design<'_> {
        match self {
            Self::Rotated(rotation, _) => Design::Dense(rotation.rotated()),
            Self::Varying(columns) => Design::Sparse(&columns.design),
            Self::Extended(extended) => extended.design(),
        }
    }

    /// The squared length of each column of the matrix around its mean.
    pub(crate) fn scatters(&self) -> &[f64] {
        match self {
            Self::Rotated(rotation, _) => rotation.scatters(),
            Self::Varying(columns) => &columns.scatters,
            Self::Extended(extended) => extended.scatters(),
        }
    }

    /// The columns of largest scatter, at most `count`, one per row, if they come first.
    pub(crate) fn head(&self, count: usize) -> Matrix {
        match self {
            Self::Rotated(rotation, _) => {
                let z = rotation.rotated();
                Matrix::from_fn(count.min(z.columns()), z.rows(), |k, row| z[(row, k)])
            }
            Self::Varying(_) => Matrix::default(),
            Self::Extended(extended) => extended.head(count),
        }
    }

    /// Coefficients for the original features, p×m, and what their means add to the intercepts, from
    /// coefficients in these coordinates.
    pub(crate) fn to_original(&self, coefficients: &Matrix) -> (Matrix, Vec<f64>) {
        match self {
            Self::Rotated(rotation, factorisation) => {
                let original = rotation.coefficients(factorisation, coefficients);
                let shifts = factorisation.shifts(&original);
                (original, shifts)
            }
            Self::Varying(columns) => {
                let mut original = Matrix::zeros(columns.count, coefficients.columns());
                for (row, &origin) in columns.origins.iter().enumerate() {
                    original
                        .row_mut(origin as usize)
                        .copy_from_slice(coefficients.row(row));
                }
                (original, vec![0.0; coefficients.columns()])
            }
            Self::Extended(extended) => extended.to_original(coefficients),
        }
    }
}
