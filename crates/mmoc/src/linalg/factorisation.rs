//! One factorisation of the centred features for all regressions.
//!
//! With X centred, the smaller of XᵀX (p×p) and XXᵀ (n×n) is reduced to tridiagonal form Q·T·Qᵀ. Ridge regressions
//! for any number of targets and penalties follow from that alone; the principal axes also take an
//! eigendecomposition of T (see [`super::Rotation`]).
//!
//! Squaring X loses half of the digits of its small singular values, which is harmless with a penalty: a penalty of
//! 10⁻ᵏ of the trace of XᵀX leaves about 16 − k digits, and the default grids end at k = 6.

use std::ops::Range;
use std::sync::Arc;

use super::gram::{
    centred, centred_pieces, check_total_scatter, column_means, dense_gram_of_columns,
    dense_gram_of_rows, rounding_scatter, sparse_gram_of_columns, sparse_gram_of_rows,
};
use super::tridiagonal::Tridiagonal;
use super::{
    multiply, multiply_by_transposed, multiply_features, multiply_features_transposed, sum,
    transposed,
};
use crate::Result;
use crate::data::{FeaturesView, Matrix, MatrixView};

/// Which Gram matrix was factorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// XᵀX, for more rows than columns.
    Columns,
    /// XXᵀ, for at least as many columns as rows.
    Rows,
}

/// Centred features, factorised. Clones share the factors.
#[derive(Debug, Clone)]
pub struct Factorisation<'a> {
    features: FeaturesView<'a>,
    means: Arc<[f64]>,
    side: Side,
    form: Arc<Tridiagonal>,
    total_scatter: f64,
}

impl Factorisation<'static> {
    /// Factorises features of which only the inner products are known, XXᵀ before centring.
    ///
    /// The features have no columns here. Models on them have no coefficients, but the held-out predictions and the
    /// noise of regressions are those of the features that have these inner products.
    pub(crate) fn of_gram(mut gram: Matrix) -> Result<Self> {
        let rows = gram.rows();
        let features = FeaturesView::Dense(MatrixView::new(rows, 0, &[])?);
        let trace = |gram: &Matrix| (0..rows).map(|k| gram[(k, k)]).sum::<f64>();
        let rounding = 4.0 * f64::EPSILON * trace(&gram);
        centre_both_sides(&mut gram);
        let trace = trace(&gram);
        let total_scatter = check_total_scatter(if trace <= rounding { 0.0 } else { trace })?;
        Ok(Self {
            features,
            means: Arc::new([]),
            side: Side::Rows,
            form: Arc::new(Tridiagonal::new(gram)),
            total_scatter,
        })
    }
}

impl<'a> Factorisation<'a> {
    /// Factorises the features: O(np·min(n, p)) for dense ones.
    ///
    /// Fails if the squares of the features overflow or underflow.
    pub fn new(x: FeaturesView<'a>) -> Result<Self> {
        let means = column_means(x);
        // With one column fewer than rows both would do, but the leverages of XᵀX are then so close to one that
        // they lose their digits; those of XXᵀ do not.
        let side = if x.columns() + 1 < x.rows() {
            Side::Columns
        } else {
            Side::Rows
        };
        let gram = match (x, side) {
            (FeaturesView::Dense(x), Side::Columns) => dense_gram_of_columns(x, &means),
            (FeaturesView::Dense(x), Side::Rows) => dense_gram_of_rows(x, &means),
            (FeaturesView::Sparse(x), Side::Columns) => sparse_gram_of_columns(x, &means),
            (FeaturesView::Sparse(x), Side::Rows) => sparse_gram_of_rows(x, &means),
        };
        let trace: f64 = (0..gram.rows()).map(|k| gram[(k, k)]).sum();
        let negligible = trace <= x.columns() as f64 * rounding_scatter(x);
        let total_scatter = check_total_scatter(if negligible { 0.0 } else { trace })?;
        Ok(Self {
            features: x,
            means: means.into(),
            side,
            form: Arc::new(Tridiagonal::new(gram)),
            total_scatter,
        })
    }

    /// The features that were factorised.
    pub fn features(&self) -> FeaturesView<'a> {
        self.features
    }

    /// The mean of each feature.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The trace of XᵀX: the sum of the squared deviations of all features from their means; 0 if it is within
    /// rounding error.
    pub fn total_scatter(&self) -> f64 {
        self.total_scatter
    }

    pub(crate) fn side(&self) -> Side {
        self.side
    }

    pub(crate) fn form(&self) -> &Tridiagonal {
        &self.form
    }

    /// Corrections to the intercepts of models on the original features, since the factorised features are centred:
    /// −meansᵀB.
    pub fn shifts(&self, coefficients: &Matrix) -> Vec<f64> {
        let mut shifts = vec![0.0; coefficients.columns()];
        for (k, mean) in self.means.iter().enumerate() {
            super::add_scaled(&mut shifts, -mean, coefficients.row(k));
        }
        shifts
    }

    /// X·B for the centred features.
    pub(crate) fn multiply(&self, b: &Matrix) -> Matrix {
        let rows = self.features.rows();
        let FeaturesView::Dense(x) = self.features else {
            return self.multiply_rows(0..rows, b);
        };
        let mut values = Vec::new();
        for some in centred_pieces(x) {
            values.append(&mut self.multiply_rows(some, b).into_values());
        }
        Matrix::new(rows, b.columns(), values).expect("the chunks cover all rows")
    }

    /// Rows of X·B for the centred features.
    pub(crate) fn multiply_rows(&self, rows: Range<usize>, b: &Matrix) -> Matrix {
        // Dense features are centred first: their means may be far larger than their deviations.
        if let FeaturesView::Dense(x) = self.features {
            return multiply(centred(x.rows_in(rows), &self.means).view(), b.view());
        }
        let shifts = self.shifts(b);
        let mut product = multiply_features(self.features.rows_in(rows), b.view());
        for row in 0..product.rows() {
            super::add_scaled(product.row_mut(row), 1.0, &shifts);
        }
        product
    }

    /// A·Xᵀ for the centred features.
    pub(crate) fn multiply_by(&self, a: &Matrix) -> Matrix {
        match self.features {
            FeaturesView::Dense(x) => multiply_by_transposed(a, &centred(x, &self.means)),
            FeaturesView::Sparse(_) => transposed(&self.multiply(&transposed(a))),
        }
    }

    /// Xᵀ·B for the centred features.
    pub(crate) fn multiply_transposed(&self, b: &Matrix) -> Matrix {
        let mut sums = vec![0.0; b.columns()];
        (0..b.rows()).for_each(|row| super::add_scaled(&mut sums, 1.0, b.row(row)));
        let mut product = multiply_features_transposed(self.features, b.view());
        for (k, mean) in self.means.iter().enumerate() {
            super::add_scaled(product.row_mut(k), -mean, &sums);
        }
        product
    }
}

/// J·G·J for a symmetric matrix G, where J = I − 11ᵀ/n subtracts the mean.
fn centre_both_sides(gram: &mut Matrix) {
    let size = gram.rows();
    let means: Vec<f64> = (0..size)
        .map(|row| sum(gram.row(row)) / size as f64)
        .collect();
    let mean = sum(&means) / size as f64;
    for row in 0..size {
        let shift = mean - means[row];
        let pairs = gram.row_mut(row).iter_mut().zip(&means);
        pairs.for_each(|(value, other)| *value += shift - other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::learn::ridge::RidgeParams;

    #[test]
    fn inner_products_alone_give_the_held_out_predictions_of_the_features() {
        let mut stream = Seed::new(3).stream();
        for (rows, columns) in [(3, 1), (9, 3), (9, 20), (40, 41)] {
            let x = Matrix::from_fn(rows, columns, |_, _| 2.0 + stream.gaussian());
            let targets = Matrix::from_fn(rows, 2, |_, _| stream.gaussian());
            let gram = multiply_by_transposed(&x, &x);
            let ridge = |features: &Factorisation<'_>| {
                let system = RidgeParams::default().prepare(features).unwrap();
                system.fit(&targets).unwrap()
            };
            let features = FeaturesView::Dense(x.view());
            let expected = ridge(&Factorisation::new(features).unwrap());
            let found = ridge(&Factorisation::of_gram(gram).unwrap());
            assert_eq!(found.model().coefficients().rows(), 0);
            let numbers = |ridge: &crate::learn::ridge::Ridge| {
                let parts = [ridge.held_out().values(), ridge.noise(), ridge.penalties()];
                parts.concat()
            };
            for (a, b) in numbers(&found).iter().zip(numbers(&expected)) {
                assert!(
                    (a - b).abs() < 1e-8 * (1.0 + b.abs()),
                    "{rows}×{columns}: {a} {b}"
                );
            }
        }
    }

    #[test]
    fn equal_rows_have_no_scatter() {
        let gram = Matrix::from_fn(7, 7, |_, _| 0.3);
        let factorisation = Factorisation::of_gram(gram).unwrap();
        assert_eq!(factorisation.total_scatter(), 0.0);
    }
}
