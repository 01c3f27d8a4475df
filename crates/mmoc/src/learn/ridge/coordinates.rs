//! Training rows in the coordinates of the tridiagonal form: B = XQ or B = JQ, or B = S⁻¹JQ if rows have weights.

use std::ops::Range;

use crate::data::Matrix;
use crate::linalg::{
    Factorisation, RowWeights, Side, add_scaled, dot, multiply, multiply_transposed, sum,
    transposed,
};

/// Maximum number of values of B that are stored, 32 MiB. A larger B is recomputed from the features, a few rows at
/// a time.
const MOST_KEPT: usize = 1 << 22;

/// B, or what it is computed from.
#[derive(Debug, Clone)]
pub(super) enum Coordinates {
    /// B = S⁻¹JQ, n×n.
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
                coordinates: centred_rows(basis, factorisation.weights()),
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

    /// BᵀD·t for every column t of a matrix.
    pub(super) fn correlations(&self, factorisation: &Factorisation<'_>, t: &Matrix) -> Matrix {
        match self {
            Self::Rows { coordinates } | Self::Columns { coordinates, .. } => {
                let weighted = factorisation.times_weights(t);
                multiply(coordinates.view(), weighted.view())
            }
            Self::Recomputed { basis } => {
                let products = factorisation.multiply_transposed_weighted(t);
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
                let duals = multiply_transposed(coordinates.view(), v.view());
                factorisation.multiply_transposed_weighted(&duals)
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

/// QᵀJS⁻¹.
fn centred_rows(mut basis: Matrix, weights: Option<&RowWeights>) -> Matrix {
    for row in 0..basis.rows() {
        match weights {
            None => subtract_mean(basis.row_mut(row)),
            Some(weights) => subtract_weighted_mean(basis.row_mut(row), weights),
        }
    }
    basis
}

/// J·q with J = I − 11ᵀ/n.
fn subtract_mean(values: &mut [f64]) {
    let mean = sum(values) / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

/// S⁻¹J·q with J = I − ssᵀ/sᵀs for the roots s of the weights.
fn subtract_weighted_mean(values: &mut [f64], weights: &RowWeights) {
    let roots = weights.roots();
    let share = dot(values, roots) / weights.total();
    add_scaled(values, -share, roots);
    let pairs = values.iter_mut().zip(roots);
    pairs.for_each(|(value, root)| *value /= root);
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
        let weights: Vec<f64> = (0..90).map(|row| 0.5 + f64::from(row % 4)).collect();
        let forms = [Features::Sparse(Csr::from(&x)), Features::Dense(x.clone())];
        for (features, weights) in forms
            .iter()
            .flat_map(|x| [(x, None), (x, Some(&weights[..]))])
        {
            let factorisation = Factorisation::weighted(features.view(), weights).unwrap();
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
