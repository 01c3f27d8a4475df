//! The coordinates in which regressions are solved.

use std::sync::Arc;

use super::ExtendedBasis;
use crate::Result;
use crate::data::{Csr, CsrView, FeaturesView, Matrix, MatrixView};
use crate::linalg::{
    DesignMatrix, Rotation, RowWeights, SparseDesign, add_scaled, centred, check_total_scatter,
    column_scatters, rounding_scatter, weighted_column_means,
};

/// Training features in coordinates that suit the iterative solvers.
///
/// Dense features are rotated to their principal axes, where a diagonal preconditioner is close to the Hessian of
/// every label, penalty and fold, unless they have so many columns that the rotation would take too much memory.
/// Sparse features keep their columns, except constant ones: products with them are cheap, rotated they would be
/// dense, and columns that rarely occur together are close to orthogonal already.
///
/// Rows may have weights, which count in the means and scatters of columns. The design itself is not scaled by them.
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
    weights: Option<RowWeights>,
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
        Self::weighted(x, None)
    }

    /// The same for rows with weights.
    ///
    /// Fails as [`Self::new`] does, and unless there is a positive, finite weight for each row.
    pub fn weighted(x: CsrView<'_>, weights: Option<&[f64]>) -> Result<Self> {
        let weights = RowWeights::optional(weights, x.rows())?;
        let all = column_scatters(x, weights.as_ref());
        check_total_scatter(all.iter().sum())?;
        let origins: Vec<u32> = (0..all.len() as u32)
            .filter(|&column| all[column as usize] > 0.0)
            .collect();
        let scatters = origins.iter().map(|&column| all[column as usize]).collect();
        Ok(Self {
            design: Arc::new(SparseDesign::new(select_columns(x, &origins)?)),
            weights,
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
    weights: Option<RowWeights>,
    means: Vec<f64>,
    scatters: Vec<f64>,
}

impl CentredColumns {
    /// Centres a copy of the features.
    ///
    /// Fails if the squares of the features overflow or underflow.
    pub fn new(x: MatrixView<'_>) -> Result<Self> {
        Self::weighted(x, None)
    }

    /// Centres a copy of the features at the weighted means of rows with weights.
    ///
    /// Fails as [`Self::new`] does, and unless there is a positive, finite weight for each row.
    pub fn weighted(x: MatrixView<'_>, weights: Option<&[f64]>) -> Result<Self> {
        let weights = RowWeights::optional(weights, x.rows())?;
        let means = weighted_column_means(FeaturesView::Dense(x), weights.as_ref());
        let floor = rounding_scatter(FeaturesView::Dense(x), weights.as_ref());
        let design = centred(x, &means);
        let mut scatters = vec![0.0; x.columns()];
        for row in 0..design.rows() {
            let weight = weights.as_ref().map_or(1.0, |own| own.values()[row]);
            let pairs = scatters.iter_mut().zip(design.row(row));
            pairs.for_each(|(scatter, value)| *scatter += weight * value * value);
        }
        let negligible = scatters.iter_mut().filter(|scatter| **scatter <= floor);
        negligible.for_each(|scatter| *scatter = 0.0);
        check_total_scatter(scatters.iter().sum())?;
        Ok(Self {
            design: Arc::new(design),
            weights,
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
        Self::plain_weighted(x, None)
    }

    /// The features of rows with weights, without rotation.
    pub fn plain_weighted(x: FeaturesView<'_>, weights: Option<&[f64]>) -> Result<Self> {
        Ok(match x {
            FeaturesView::Dense(x) => Self::Centred(CentredColumns::weighted(x, weights)?),
            FeaturesView::Sparse(x) => Self::Varying(VaryingColumns::weighted(x, weights)?),
        })
    }
}

impl Basis<'_> {
    /// Number of training rows.
    pub fn rows(&self) -> usize {
        self.design().rows()
    }

    /// The weight of each row; none if all count the same.
    pub(crate) fn row_weights(&self) -> Option<&RowWeights> {
        match self {
            Self::Rotated(rotation) => rotation.factorisation().weights(),
            Self::Varying(columns) => columns.weights.as_ref(),
            Self::Centred(columns) => columns.weights.as_ref(),
            Self::Extended(extended) => extended.row_weights(),
        }
    }

    /// The design matrix in these coordinates, its rows not scaled by their weights.
    pub(crate) fn design(&self) -> DesignMatrix<'_> {
        match self {
            Self::Rotated(rotation) => DesignMatrix::Dense(rotation.rotated()),
            Self::Varying(columns) => DesignMatrix::Sparse(&columns.design),
            Self::Centred(columns) => DesignMatrix::Dense(&columns.design),
            Self::Extended(extended) => extended.design(),
        }
    }

    /// The sum of squared deviations of each column from its mean, weighted as the rows are.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;
    use crate::linalg::Factorisation;

    #[test]
    fn scatters_of_rows_with_weights_are_those_of_repeated_rows() {
        let mut stream = crate::Seed::new(6).stream();
        let mut x = Matrix::from_fn(12, 4, |_, _| stream.gaussian().max(0.0));
        (0..12).for_each(|row| x[(row, 2)] = 0.1);
        let further = Matrix::from_fn(12, 2, |i, j| f64::from(u8::from(i % (j + 2) == 0)));
        let weights: Vec<f64> = (0..12).map(|row| f64::from(1 + row % 3)).collect();
        let copies: Vec<usize> = (0..12).flat_map(|row| vec![row; 1 + row % 3]).collect();
        let all_further = further.view().select_rows(&copies);
        for features in [Features::Sparse(Csr::from(&x)), Features::Dense(x.clone())] {
            let all = features.view().select_rows(&copies);
            let rotate = |x, weights| {
                let factorisation = Factorisation::weighted(x, weights).unwrap();
                Rotation::new(&factorisation).unwrap()
            };
            let (single, many) = (
                rotate(features.view(), Some(&weights)),
                rotate(all.view(), None),
            );
            let pairs = [
                (
                    Basis::plain_weighted(features.view(), Some(&weights)).unwrap(),
                    Basis::plain(all.view()).unwrap(),
                ),
                (Basis::Rotated(&single), Basis::Rotated(&many)),
            ];
            for (found, expected) in pairs {
                assert_close(found.scatters(), expected.scatters());
                let found = ExtendedBasis::new(&found, &further).unwrap();
                let expected = ExtendedBasis::new(&expected, &all_further).unwrap();
                assert_close(found.scatters(), expected.scatters());
            }
        }
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b), "{a} is not {b}");
        }
    }
}
