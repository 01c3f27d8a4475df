//! Training rows in the coordinates of the tridiagonal form: B = XQ or B = JQ.

use std::ops::Range;

use crate::data::Matrix;
use crate::linalg::{Factorisation, Side, multiply, multiply_transposed, sum, transposed};

/// Maximum number of values of B that are stored, 32 MiB. A larger B is recomputed from the features, a few rows at
/// a time.
const MOST_KEPT: usize = 1 << 22;

/// B, or what it is computed from.
#[derive(Debug, Clone)]
pub(super) enum Coordinates {
    /// B = JQ, n×n.
    Rows {
        /// Bᵀ: one row per unknown, one column per training row.
        coordinates: Matrix,
    },
    /// B = XQ, stored.
    Columns {
        /// Qᵀ.
        basis: Matrix,
        /// Bᵀ: one row per unknown, one column per training row.
        coordinates: Matrix,
    },
    /// B = XQ with so many rows that only Q is stored.
    Recomputed {
        /// Q.
        basis: Matrix,
    },
}

impl Coordinates {
    pub(super) fn new(factorisation: &Factorisation<'_>) -> Self {
        let basis = factorisation.form().transposed_basis();
        match factorisation.side() {
            Side::Rows => Self::Rows {
                coordinates: centred_rows(basis),
            },
            Side::Columns if basis.rows() * factorisation.features().rows() <= MOST_KEPT => {
                Self::Columns {
                    coordinates: factorisation.multiply_by(&basis),
                    basis,
                }
            }
            Side::Columns => Self::Recomputed {
                basis: transposed(&basis),
            },
        }
    }

    /// Bᵀt for every column t of a matrix.
    pub(super) fn correlations(&self, factorisation: &Factorisation<'_>, t: &Matrix) -> Matrix {
        match self {
            Self::Rows { coordinates } | Self::Columns { coordinates, .. } => {
                multiply(coordinates.view(), t.view())
            }
            Self::Recomputed { basis } => {
                let products = factorisation.multiply_transposed(t);
                multiply_transposed(basis.view(), products.view())
            }
        }
    }

    /// B·v for every column v of a matrix.
    pub(super) fn combinations(&self, factorisation: &Factorisation<'_>, v: &Matrix) -> Matrix {
        match self {
            Self::Rows { coordinates } | Self::Columns { coordinates, .. } => {
                multiply_transposed(coordinates.view(), v.view())
            }
            Self::Recomputed { .. } => factorisation.multiply(&self.coefficients(factorisation, v)),
        }
    }

    /// The coefficients w of every column v of a matrix.
    pub(super) fn coefficients(&self, factorisation: &Factorisation<'_>, v: &Matrix) -> Matrix {
        match self {
            Self::Rows { coordinates } => {
                let weights = multiply_transposed(coordinates.view(), v.view());
                factorisation.multiply_transposed(&weights)
            }
            Self::Columns { basis, .. } => multiply_transposed(basis.view(), v.view()),
            Self::Recomputed { basis } => multiply(basis.view(), v.view()),
        }
    }

    /// Calls `work` with a matrix that has the given columns of Bᵀ among its own, and with the index of the first
    /// of them.
    pub(super) fn with_rows<T>(
        &self,
        factorisation: &Factorisation<'_>,
        rows: Range<usize>,
        work: impl FnOnce(&Matrix, usize) -> T,
    ) -> T {
        match self {
            Self::Rows { coordinates } | Self::Columns { coordinates, .. } => {
                work(coordinates, rows.start)
            }
            Self::Recomputed { basis } => {
                let some = factorisation.multiply_rows(rows, basis);
                work(&transposed(&some), 0)
            }
        }
    }
}

/// QᵀJ: each row minus its mean.
fn centred_rows(mut basis: Matrix) -> Matrix {
    for row in 0..basis.rows() {
        let mean = sum(basis.row(row)) / basis.columns() as f64;
        basis
            .row_mut(row)
            .iter_mut()
            .for_each(|value| *value -= mean);
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::{Csr, Features};

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        Matrix::from_fn(rows, columns, |_, _| (1.0 + stream.gaussian()).max(0.0))
    }

    #[test]
    fn recomputed_coordinates_equal_stored_ones() {
        let (x, t, v) = (random(90, 7, 1), random(90, 3, 2), random(7, 2, 3));
        for features in [Features::Sparse(Csr::from(&x)), Features::Dense(x.clone())] {
            let factorisation = Factorisation::new(features.view()).unwrap();
            let kept = Coordinates::new(&factorisation);
            let Coordinates::Columns { basis, coordinates } = &kept else {
                panic!("90×7 values are below the limit");
            };
            let recomputed = Coordinates::Recomputed {
                basis: transposed(basis),
            };
            let of = |way: &Coordinates| {
                [
                    way.correlations(&factorisation, &t),
                    way.combinations(&factorisation, &v),
                    way.coefficients(&factorisation, &v),
                ]
            };
            for (a, b) in of(&kept).iter().zip(of(&recomputed)) {
                assert!(largest_difference(a, &b) < 1e-11);
            }
            recomputed.with_rows(&factorisation, 64..90, |some, first| {
                let expected = coordinates.select_columns(64..90);
                let found = some.select_columns(first..first + 26);
                assert!(largest_difference(&found, &expected) < 1e-11);
            });
        }
    }

    fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        let pairs = a.values().iter().zip(b.values());
        pairs.fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
    }
}
