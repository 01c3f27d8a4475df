//! Features preceded by further columns, scaled for a common penalty.
//!
//! The further columns are 0/1 labels or probabilities, the features have units of their own, and all share one
//! penalty α‖w‖². Every further column is therefore scaled until its scatter is the total scatter T of the
//! features. With α = ρT a weight v for a column of scatter s in its own unit costs ½ρ·s·v², whatever the unit of
//! the features, and this is small at the penalties that cross-validation chooses (ρ ≤ 10⁻² on the data sets of the
//! paper). A column as informative as all features together is then used, and an uninformative one costs almost
//! nothing.
//!
//! The further columns come first. Their scatter is at least that of any other column, so the preconditioner, which
//! inverts the Hessian of the leading columns exactly, covers them.

use super::Basis;
use crate::data::{Csr, FeaturesView, Matrix};
use crate::linalg::{DesignMatrix, RowWeights, SparseDesign, dot, sum};
use crate::{Result, check_size};

/// The design matrix of a basis with further columns.
#[derive(Debug, Clone)]
enum Extended {
    Dense(Matrix),
    Sparse(SparseDesign),
}

/// The coordinates of a basis, preceded by further columns.
#[derive(Debug, Clone)]
pub struct ExtendedBasis<'a> {
    base: &'a Basis<'a>,
    design: Extended,
    scatters: Vec<f64>,
    /// The scale factor of each further column.
    scales: Vec<f64>,
}

impl<'a> ExtendedBasis<'a> {
    /// Prepends further columns, n×k, to the features.
    pub fn new(base: &'a Basis<'a>, columns: &Matrix) -> Result<Self> {
        check_size("rows of further columns", base.rows(), columns.rows())?;
        let total: f64 = base.scatters().iter().sum();
        let further: Vec<f64> = (0..columns.columns())
            .map(|k| scatter(columns.column(k).collect(), base.row_weights()))
            .collect();
        let scales: Vec<f64> = further.iter().map(|&own| scale(own, total)).collect();
        let scaled = further.iter().zip(&scales).map(|(own, s)| own * s * s);
        let scatters = scaled.chain(base.scatters().iter().copied()).collect();
        Ok(Self {
            base,
            design: prepend(columns, &scales, base.design())?,
            scatters,
            scales,
        })
    }

    pub(super) fn design(&self) -> DesignMatrix<'_> {
        match &self.design {
            Extended::Dense(z) => DesignMatrix::Dense(z),
            Extended::Sparse(z) => DesignMatrix::Sparse(z),
        }
    }

    pub(super) fn row_weights(&self) -> Option<&RowWeights> {
        self.base.row_weights()
    }

    pub(super) fn scatters(&self) -> &[f64] {
        &self.scatters
    }

    /// The further columns and the leading ones of the basis, at most `count`, one per row.
    pub(super) fn head(&self, count: usize) -> Matrix {
        let (own, features) = match &self.design {
            Extended::Dense(z) => (z.columns(), FeaturesView::Dense(z.view())),
            Extended::Sparse(z) => (self.scales.len(), FeaturesView::Sparse(z.rows())),
        };
        let mut head = Matrix::zeros(count.min(own), self.base.rows());
        features.for_each_stored(|row, column, value| {
            if column < head.rows() {
                head[(column, row)] = value;
            }
        });
        head
    }

    /// As [`Basis::to_original`], with the coefficients of the further columns after those of the features.
    pub(super) fn to_original(&self, coefficients: &Matrix) -> (Matrix, Vec<f64>) {
        let (k, m) = (self.scales.len(), coefficients.columns());
        let of_base = Matrix::from_fn(coefficients.rows() - k, m, |i, j| coefficients[(k + i, j)]);
        let (features, shifts) = self.base.to_original(&of_base);
        let p = features.rows();
        let all = Matrix::from_fn(p + k, m, |i, j| {
            if i < p {
                features[(i, j)]
            } else {
                self.scales[i - p] * coefficients[(i - p, j)]
            }
        });
        (all, shifts)
    }
}

/// The sum of squared deviations of a column from its mean, weighted as the rows are.
fn scatter(mut column: Vec<f64>, weights: Option<&RowWeights>) -> f64 {
    let Some(weights) = weights else {
        let mean = sum(&column) / column.len() as f64;
        column.iter_mut().for_each(|value| *value -= mean);
        return dot(&column, &column);
    };
    let mean = weights.mean(&column);
    let squares: Vec<f64> = column.iter().map(|value| (value - mean).powi(2)).collect();
    dot(&squares, weights.values())
}

/// The factor that scales a column to the total scatter; 0 for constant columns, 1 if all features are constant.
fn scale(own: f64, total: f64) -> f64 {
    match (own > 0.0, total > 0.0) {
        (true, true) => (total / own).sqrt(),
        (true, false) => 1.0,
        (false, _) => 0.0,
    }
}

/// The scaled columns followed by the design.
fn prepend(columns: &Matrix, scales: &[f64], design: DesignMatrix<'_>) -> Result<Extended> {
    let k = scales.len();
    match design {
        DesignMatrix::Dense(z) => {
            let both = Matrix::from_fn(z.rows(), k + z.columns(), |i, j| {
                if j < k {
                    scales[j] * columns[(i, j)]
                } else {
                    z[(i, j - k)]
                }
            });
            Ok(Extended::Dense(both))
        }
        DesignMatrix::Sparse(x) => {
            let x = x.rows();
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for row in 0..x.rows() {
                let further = columns.row(row).iter().zip(scales).enumerate();
                let further = further.map(|(j, (value, scale))| (j, scale * value));
                let all = further.chain(x.entries(row).map(|(j, value)| (k + j, value)));
                for (column, value) in all.filter(|&(_, value)| value != 0.0) {
                    indices.push(column as u32);
                    values.push(value);
                }
                offsets.push(indices.len());
            }
            let both = Csr::new(k + x.columns(), offsets, indices, values)?;
            Ok(Extended::Sparse(SparseDesign::new(both)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::{Features, Folds, Labels};
    use crate::learn::VaryingColumns;
    use crate::learn::logistic::{Classifiers, LogisticParams};
    use crate::linalg::{Factorisation, Rotation};

    const ROWS: usize = 40;

    fn features() -> Matrix {
        let mut stream = Seed::new(8).stream();
        let mut x = Matrix::zeros(ROWS, 5);
        for value in x.values_mut() {
            // Half of the values are zero, so that the sparse form is sparse.
            *value = (7.0 * stream.gaussian()).max(0.0);
        }
        x
    }

    fn fit(basis: &Basis<'_>) -> Classifiers {
        let params = LogisticParams {
            penalties: crate::learn::PenaltyGrid::absolute(vec![3.0, 30.0]).unwrap(),
            ..LogisticParams::default()
        };
        let folds = Folds::new((0..ROWS).map(|row| row % 3).collect()).unwrap();
        let labels = Labels::from_fn(ROWS, 2, |i, j| (i * i + 3 * j) % 7 < 3);
        params.fit(basis, &labels, &folds).unwrap()
    }

    /// Classifiers on features that include the scaled columns.
    fn fit_on_joined_features(x: &Matrix, further: &Matrix, scales: &[f64]) -> Classifiers {
        let both = Matrix::from_fn(ROWS, 5 + scales.len(), |i, j| match j.checked_sub(5) {
            None => x[(i, j)],
            Some(k) => scales[k] * further[(i, k)],
        });
        let both = Features::Dense(both);
        let factorisation = Factorisation::new(both.view()).unwrap();
        let rotation = Rotation::new(&factorisation).unwrap();
        fit(&Basis::Rotated(&rotation))
    }

    #[test]
    fn a_fit_equals_that_of_features_including_the_scaled_columns() {
        let x = features();
        let further = Matrix::from_fn(ROWS, 2, |i, j| f64::from(u8::from(i % (j + 2) == 0)));
        let dense = Features::Dense(x.clone());
        let factorisation = Factorisation::new(dense.view()).unwrap();
        let rotation = Rotation::new(&factorisation).unwrap();
        let varying = VaryingColumns::new(Csr::from(&x).view()).unwrap();
        for base in [Basis::Rotated(&rotation), Basis::Varying(varying)] {
            let extended = ExtendedBasis::new(&base, &further).unwrap();
            let total: f64 = base.scatters().iter().sum();
            for scatter in &extended.scatters()[..2] {
                assert!((scatter / total - 1.0).abs() < 1e-12);
            }
            let scales = extended.scales.clone();
            let expected = fit_on_joined_features(&x, &further, &scales);
            let found = fit(&Basis::Extended(extended));
            assert_eq!(found.penalties(), expected.penalties());
            for j in 0..2 {
                for i in 0..7 {
                    let unit = if i < 5 { 1.0 } else { scales[i - 5] };
                    let expected = unit * expected.model().coefficients()[(i, j)];
                    let found = found.model().coefficients()[(i, j)];
                    assert!(
                        (found - expected).abs() < 1e-5 * unit,
                        "{i} {j}: {found} {expected}"
                    );
                }
                let change = found.model().intercepts()[j] - expected.model().intercepts()[j];
                assert!(change.abs() < 1e-5);
            }
        }
    }

    #[test]
    fn constant_columns_and_features_are_accepted() {
        let constant = Features::Dense(Matrix::from_fn(ROWS, 3, |_, _| 2.0));
        let varying = Features::Dense(features());
        for (x, further) in [
            (&constant, Matrix::from_fn(ROWS, 1, |i, _| (i % 2) as f64)),
            (&varying, Matrix::from_fn(ROWS, 1, |_, _| 1.0)),
        ] {
            let factorisation = Factorisation::new(x.view()).unwrap();
            let rotation = Rotation::new(&factorisation).unwrap();
            let base = Basis::Rotated(&rotation);
            let found = fit(&Basis::Extended(
                ExtendedBasis::new(&base, &further).unwrap(),
            ));
            assert!(found.record().all_converged());
            let rows = found.model().coefficients().rows();
            assert_eq!(rows, x.view().columns() + 1);
        }
    }
}
