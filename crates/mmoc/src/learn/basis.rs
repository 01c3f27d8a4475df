//! The coordinates in which regressions are solved.

use std::sync::Arc;

use super::ExtendedBasis;
use crate::Result;
use crate::data::{Csr, CsrView, FeaturesView, Matrix, MatrixView};
use crate::linalg::{
    DesignMatrix, Rotation, SparseDesign, add_scaled, centred, check_total_scatter, column_means,
    column_scatters, rounding_scatter,
};

/// Training features in coordinates that suit the iterative solvers.
///
/// Dense features are rotated to their principal axes, where a diagonal preconditioner is close to the Hessian of
/// every label, penalty and fold, unless they have so many columns that the rotation would take too much memory.
/// Sparse features keep their columns, except constant ones: products with them are cheap, rotated they would be
/// dense, and columns that rarely occur together are close to orthogonal already.
#[derive(Debug, Clone)]
pub enum Basis<'a> {
    /// Rotated features.
    Rotated(&'a Rotation<'a>),
    /// The columns of sparse features that vary.
    Varying(VaryingColumns),
    /// The columns of dense features, centred.
    Centred(CentredColumns),
    /// Any of these, preceded by further columns.
    Extended(ExtendedBasis<'a>),
}

/// The columns of sparse features that vary.
#[derive(Debug, Clone)]
pub struct VaryingColumns {
    design: Arc<SparseDesign>,
    scatters: Vec<f64>,
    /// Index of each column in the original features, and their number.
    origins: Vec<u32>,
    count: usize,
}

impl VaryingColumns {
    /// Selects the columns that vary.
    ///
    /// Fails if the squares of the features overflow or underflow.
    pub fn new(x: CsrView<'_>) -> Result<Self> {
        let all = column_scatters(x);
        check_total_scatter(all.iter().sum())?;
        let origins: Vec<u32> = (0..all.len() as u32)
            .filter(|&column| all[column as usize] > 0.0)
            .collect();
        let scatters = origins.iter().map(|&column| all[column as usize]).collect();
        Ok(Self {
            design: Arc::new(SparseDesign::new(select_columns(x, &origins)?)),
            scatters,
            origins,
            count: all.len(),
        })
    }
}

/// The columns of dense features, centred.
#[derive(Debug, Clone)]
pub struct CentredColumns {
    design: Arc<Matrix>,
    means: Vec<f64>,
    scatters: Vec<f64>,
}

impl CentredColumns {
    /// Centres a copy of the features.
    ///
    /// Fails if the squares of the features overflow or underflow.
    pub fn new(x: MatrixView<'_>) -> Result<Self> {
        let means = column_means(FeaturesView::Dense(x));
        let floor = rounding_scatter(FeaturesView::Dense(x));
        let design = centred(x, &means);
        let mut scatters = vec![0.0; x.columns()];
        for row in 0..design.rows() {
            let pairs = scatters.iter_mut().zip(design.row(row));
            pairs.for_each(|(scatter, value)| *scatter += value * value);
        }
        let negligible = scatters.iter_mut().filter(|scatter| **scatter <= floor);
        negligible.for_each(|scatter| *scatter = 0.0);
        check_total_scatter(scatters.iter().sum())?;
        Ok(Self {
            design: Arc::new(design),
            means,
            scatters,
        })
    }

    /// Corrections to the intercepts of models on the original features: −meansᵀB.
    fn shifts(&self, coefficients: &Matrix) -> Vec<f64> {
        let mut shifts = vec![0.0; coefficients.columns()];
        for (k, mean) in self.means.iter().enumerate() {
            add_scaled(&mut shifts, -mean, coefficients.row(k));
        }
        shifts
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

impl Basis<'static> {
    /// The features without rotation.
    pub fn plain(x: FeaturesView<'_>) -> Result<Self> {
        Ok(match x {
            FeaturesView::Dense(x) => Self::Centred(CentredColumns::new(x)?),
            FeaturesView::Sparse(x) => Self::Varying(VaryingColumns::new(x)?),
        })
    }
}

impl Basis<'_> {
    /// Number of training rows.
    pub fn rows(&self) -> usize {
        self.design().rows()
    }

    /// The design matrix in these coordinates.
    pub(crate) fn design(&self) -> DesignMatrix<'_> {
        match self {
            Self::Rotated(rotation) => DesignMatrix::Dense(rotation.rotated()),
            Self::Varying(columns) => DesignMatrix::Sparse(&columns.design),
            Self::Centred(columns) => DesignMatrix::Dense(&columns.design),
            Self::Extended(extended) => extended.design(),
        }
    }

    /// The sum of squared deviations of each column from its mean.
    pub(crate) fn scatters(&self) -> &[f64] {
        match self {
            Self::Rotated(rotation) => rotation.scatters(),
            Self::Varying(columns) => &columns.scatters,
            Self::Centred(columns) => &columns.scatters,
            Self::Extended(extended) => extended.scatters(),
        }
    }

    /// The columns of largest scatter, at most `count`, one per row, if columns are in descending order of scatter.
    pub(crate) fn head(&self, count: usize) -> Matrix {
        match self {
            Self::Rotated(rotation) => {
                let z = rotation.rotated();
                Matrix::from_fn(count.min(z.columns()), z.rows(), |k, row| z[(row, k)])
            }
            Self::Varying(_) | Self::Centred(_) => Matrix::default(),
            Self::Extended(extended) => extended.head(count),
        }
    }

    /// Coefficients for the original features, p×m, and the corrections to the intercepts, from coefficients in
    /// these coordinates.
    pub(crate) fn to_original(&self, coefficients: &Matrix) -> (Matrix, Vec<f64>) {
        match self {
            Self::Rotated(rotation) => {
                let original = rotation.coefficients(coefficients);
                let shifts = rotation.factorisation().shifts(&original);
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
            Self::Centred(columns) => (coefficients.clone(), columns.shifts(coefficients)),
            Self::Extended(extended) => extended.to_original(coefficients),
        }
    }
}
