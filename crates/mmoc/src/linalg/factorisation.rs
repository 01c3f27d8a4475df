//! One factorisation of the centred features for all regressions.
//!
//! With X centred, the smaller of XᵀX (p×p) and XXᵀ (n×n) is reduced to tridiagonal form Q·T·Qᵀ. Ridge regressions
//! for any number of targets and penalties follow from that alone; the principal axes also take an
//! eigendecomposition of T (see [`super::Rotation`]).
//!
//! If rows have weights, X is centred at its weighted means and S·X takes its place in these products, where S scales
//! each row by the root of its weight: sums over rows count each row with its weight.
//!
//! Squaring X loses half of the digits of its small singular values, which is harmless with a penalty: a penalty of
//! 10⁻ᵏ of the trace of XᵀX leaves about 16 − k digits, and the default grids end at k = 6.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::gram::{
    centred, centred_pieces, check_total_scatter, dense_gram_of_columns, dense_gram_of_rows,
    rounding_scatter, scale_both_sides, sparse_gram_of_columns, sparse_gram_of_rows,
    weighted_column_means,
};
use super::row_weights::{RowWeights, total_weight};
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
    weights: Option<RowWeights>,
    means: Arc<[f64]>,
    side: Side,
    form: Arc<Tridiagonal>,
    total_scatter: f64,
}

impl Factorisation<'static> {
    /// Factorises features of which only the inner products are known, XXᵀ before centring.
    ///
    /// The features have no columns here. Models on them have no coefficients, but the held-out predictions and the
    /// noise of regressions are those of the features that have these inner products. Rows may have weights.
    pub(crate) fn of_gram(mut gram: Matrix, weights: Option<&[f64]>) -> Result<Self> {
        let rows = gram.rows();
        let features = FeaturesView::Dense(MatrixView::new(rows, 0, &[])?);
        let weights = RowWeights::optional(weights, rows)?;
        let rounding = 4.0 * f64::EPSILON * weighted_trace(&gram, weights.as_ref());
        centre_both_sides(&mut gram, weights.as_ref());
        let trace = weighted_trace(&gram, weights.as_ref());
        let total_scatter = check_total_scatter(if trace <= rounding { 0.0 } else { trace })?;
        if let Some(weights) = &weights {
            scale_both_sides(&mut gram, weights.roots());
        }
        Ok(Self {
            features,
            weights,
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
        Self::weighted(x, None)
    }

    /// Factorises the features of rows that have weights: a row of weight 2 counts as two such rows.
    ///
    /// Fails as [`Self::new`] does, and unless there is a positive, finite weight for each row.
    pub fn weighted(x: FeaturesView<'a>, weights: Option<&[f64]>) -> Result<Self> {
        let weights = RowWeights::optional(weights, x.rows())?;
        let own = weights.as_ref();
        let means = weighted_column_means(x, own);
        // With one column fewer than rows both would do, but the leverages of XᵀX are then so close to one that
        // they lose their digits; those of XXᵀ do not.
        let side = if x.columns() + 1 < x.rows() {
            Side::Columns
        } else {
            Side::Rows
        };
        let gram = match (x, side) {
            (FeaturesView::Dense(x), Side::Columns) => dense_gram_of_columns(x, &means, own),
            (FeaturesView::Dense(x), Side::Rows) => dense_gram_of_rows(x, &means, own),
            (FeaturesView::Sparse(x), Side::Columns) => sparse_gram_of_columns(x, &means, own),
            (FeaturesView::Sparse(x), Side::Rows) => sparse_gram_of_rows(x, &means, own),
        };
        let trace: f64 = (0..gram.rows()).map(|k| gram[(k, k)]).sum();
        let negligible = trace <= x.columns() as f64 * rounding_scatter(x, own);
        let total_scatter = check_total_scatter(if negligible { 0.0 } else { trace })?;
        Ok(Self {
            features: x,
            weights,
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

    /// The weights of the rows; none if all count the same.
    pub(crate) fn weights(&self) -> Option<&RowWeights> {
        self.weights.as_ref()
    }

    /// The weight of a row.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights
            .as_ref()
            .map_or(1.0, |weights| weights.values()[row])
    }

    /// How much all rows count together.
    pub(crate) fn total_weight(&self) -> f64 {
        total_weight(self.features.rows(), self.weights.as_ref())
    }

    /// The mean of each feature, weighted as the rows are.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The trace of XᵀX: the sum of the squared deviations of all features from their means, weighted as the rows
    /// are; 0 if it is within rounding error.
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

    /// XᵀD·B for the centred features, with D the diagonal matrix of the weights.
    pub(crate) fn multiply_transposed_weighted(&self, b: &Matrix) -> Matrix {
        self.multiply_transposed(&self.times_weights(b))
    }

    /// D·B, with D the diagonal matrix of the weights.
    pub(crate) fn times_weights<'b>(&self, b: &'b Matrix) -> Cow<'b, Matrix> {
        match &self.weights {
            None => Cow::Borrowed(b),
            Some(weights) => Cow::Owned(weights.times(b)),
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

/// The trace of a symmetric matrix, each row with its weight.
fn weighted_trace(gram: &Matrix, weights: Option<&RowWeights>) -> f64 {
    let diagonal = (0..gram.rows()).map(|k| gram[(k, k)]);
    match weights {
        None => diagonal.sum(),
        Some(weights) => diagonal.zip(weights.values()).map(|(g, w)| g * w).sum(),
    }
}

/// The inner products of features after their means, weighted as the rows are, were subtracted: without weights J·G·J,
/// where J = I − 11ᵀ/n.
fn centre_both_sides(gram: &mut Matrix, weights: Option<&RowWeights>) {
    let size = gram.rows();
    let mean_of = |values: &[f64]| match weights {
        None => sum(values) / size as f64,
        Some(weights) => weights.mean(values),
    };
    let means: Vec<f64> = (0..size).map(|row| mean_of(gram.row(row))).collect();
    let mean = mean_of(&means);
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
            let weights: Vec<f64> = (0..rows).map(|_| 0.2 + stream.uniform()).collect();
            let ridge = |features: &Factorisation<'_>| {
                let system = RidgeParams::default().prepare(features).unwrap();
                system.fit(&targets).unwrap()
            };
            let features = FeaturesView::Dense(x.view());
            for weights in [None, Some(&weights[..])] {
                let gram = multiply_by_transposed(&x, &x);
                let expected = ridge(&Factorisation::weighted(features, weights).unwrap());
                let found = ridge(&Factorisation::of_gram(gram, weights).unwrap());
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
    }

    #[test]
    fn equal_rows_have_no_scatter() {
        let gram = Matrix::from_fn(7, 7, |_, _| 0.3);
        for weights in [None, Some(&[0.1, 0.2, 0.3, 0.7, 1.1, 5.3, 1e3][..])] {
            let factorisation = Factorisation::of_gram(gram.clone(), weights).unwrap();
            assert_eq!(factorisation.total_scatter(), 0.0);
        }
    }
}
