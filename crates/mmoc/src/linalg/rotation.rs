//! The centred features in the basis of their principal axes.
//!
//! With X centred and X = U·S·Wᵀ, the rotated features are Z = X·W = U·S: as many columns as X has rank, mutually
//! orthogonal, with squared lengths λ = s². A linear model c on Z is the model W·c on X, and since W has
//! orthonormal columns both have the same penalty ‖c‖² = ‖W·c‖².
//!
//! If XXᵀ was factorised, W is never formed: W·c = Xᵀ(Z·λ⁻¹c).
//!
//! If rows have weights, their diagonal matrix D replaces the identity in sums over rows: X is centred at its weighted
//! means, ZᵀDZ is diagonal, and W·c = XᵀD(Z·λ⁻¹c). Neither X nor Z is scaled by the weights.

use super::factorisation::{Factorisation, Side};
use super::gram::rounding_scatter;
use super::multiply;
use crate::Result;
use crate::data::Matrix;

/// Centred features rotated to their principal axes.
#[derive(Debug, Clone)]
pub struct Rotation<'a> {
    factorisation: Factorisation<'a>,
    scatters: Vec<f64>,
    rotated: Matrix,
    axes: Option<Matrix>,
}

impl<'a> Rotation<'a> {
    /// Rotates factorised features.
    pub fn new(factorisation: &Factorisation<'a>) -> Result<Self> {
        let x = factorisation.features();
        let eigen = factorisation.form().eigen()?;
        let rounding = x.columns() as f64 * rounding_scatter(x, factorisation.weights());
        let scatters = significant(eigen.values, x.rows().max(x.columns()), rounding);
        let vectors = leading_columns(&eigen.vectors, scatters.len());
        let (rotated, axes) = match factorisation.side() {
            Side::Columns => (factorisation.multiply(&vectors), Some(vectors)),
            Side::Rows => {
                let mut rotated = scale_columns(vectors, &scatters);
                if let Some(weights) = factorisation.weights() {
                    weights.divide_by_roots(&mut rotated);
                }
                (rotated, None)
            }
        };
        Ok(Self {
            factorisation: factorisation.clone(),
            scatters,
            rotated,
            axes,
        })
    }

    /// λ: the squared length of each rotated column, weighted as the rows are, descending; as many as the rank of the
    /// features.
    pub fn scatters(&self) -> &[f64] {
        &self.scatters
    }

    /// Z: the rotated training rows, n×r.
    pub fn rotated(&self) -> &Matrix {
        &self.rotated
    }

    /// The factorisation of the features that were rotated.
    pub fn factorisation(&self) -> &Factorisation<'a> {
        &self.factorisation
    }

    /// W·c: linear models on the original features, p×m, that equal the given ones on the rotated
    /// features, r×m.
    pub fn coefficients(&self, rotated: &Matrix) -> Matrix {
        if let Some(axes) = &self.axes {
            return multiply(axes.view(), rotated.view());
        }
        let scaled = Matrix::from_fn(rotated.rows(), rotated.columns(), |k, j| {
            rotated[(k, j)] / self.scatters[k]
        });
        let of_rows = multiply(self.rotated.view(), scaled.view());
        self.factorisation.multiply_transposed_weighted(&of_rows)
    }
}

/// The eigenvalues above the rounding error of the decomposition, given the larger size of the matrix, and of the
/// features themselves.
pub(crate) fn significant(mut values: Vec<f64>, size: usize, rounding: f64) -> Vec<f64> {
    let largest = values.first().copied().unwrap_or(0.0);
    let floor = (largest * f64::EPSILON * size as f64).max(rounding);
    values.retain(|&value| value > floor);
    values
}

fn leading_columns(matrix: &Matrix, count: usize) -> Matrix {
    Matrix::from_fn(matrix.rows(), count, |row, column| matrix[(row, column)])
}

fn scale_columns(mut vectors: Matrix, scatters: &[f64]) -> Matrix {
    let lengths: Vec<f64> = scatters.iter().map(|scatter| scatter.sqrt()).collect();
    for row in 0..vectors.rows() {
        vectors
            .row_mut(row)
            .iter_mut()
            .zip(&lengths)
            .for_each(|(z, length)| *z *= length);
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Csr, Features};
    use crate::linalg::multiply_transposed;

    /// Tall, wide and square features of full and reduced rank, dense and sparse.
    fn cases() -> Vec<Features> {
        let mut stream = crate::Seed::new(11).stream();
        let mut cases = Vec::new();
        for (rows, columns) in [(20, 5), (5, 20), (8, 8), (1, 3), (3, 1)] {
            let mut x = Matrix::zeros(rows, columns);
            for value in x.values_mut() {
                *value = (3.0 * stream.uniform()).floor();
            }
            if columns > 4 {
                (0..rows).for_each(|row| x[(row, 4)] = x[(row, 0)] - x[(row, 1)]);
            }
            cases.push(sparse_copy(&x));
            cases.push(Features::Dense(x));
        }
        cases
    }

    fn sparse_copy(x: &Matrix) -> Features {
        let indices = (0..x.rows())
            .flat_map(|_| 0..u32::try_from(x.columns()).unwrap())
            .collect();
        let offsets = (0..=x.rows()).map(|row| row * x.columns()).collect();
        Features::Sparse(Csr::new(x.columns(), offsets, indices, x.values().to_vec()).unwrap())
    }

    /// The rotation of rows that count the same, and of rows with weights.
    fn rotations(x: &Features) -> [Rotation<'_>; 2] {
        let weight = |row: usize| 0.3 + 1.7 * (row % 5) as f64;
        let weights: Vec<f64> = (0..x.view().rows()).map(weight).collect();
        [None, Some(&weights[..])].map(|weights| {
            Rotation::new(&Factorisation::weighted(x.view(), weights).unwrap()).unwrap()
        })
    }

    /// D·A.
    fn weighted(rotation: &Rotation<'_>, a: &Matrix) -> Matrix {
        rotation.factorisation.times_weights(a).into_owned()
    }

    #[test]
    fn rotated_columns_are_orthogonal_with_the_returned_lengths() {
        for x in cases() {
            for rotation in rotations(&x) {
                let z = rotation.rotated();
                let gram = multiply_transposed(z.view(), weighted(&rotation, z).view());
                for i in 0..gram.rows() {
                    for j in 0..gram.columns() {
                        let expected = if i == j { rotation.scatters()[i] } else { 0.0 };
                        assert!(
                            (gram[(i, j)] - expected).abs() < 1e-10,
                            "{i} {j}: {}",
                            gram[(i, j)]
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn rotated_columns_sum_to_zero() {
        for x in cases() {
            for rotation in rotations(&x) {
                for k in 0..rotation.scatters().len() {
                    let weighted = weighted(&rotation, rotation.rotated());
                    assert!(weighted.column(k).sum::<f64>().abs() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn a_model_on_rotated_features_predicts_the_same_on_the_original_ones() {
        for x in cases() {
            for rotation in rotations(&x) {
                let rank = rotation.scatters().len();
                let model = Matrix::from_fn(rank, 2, |k, j| (k + j) as f64 - 1.5);
                let expected = multiply(rotation.rotated().view(), model.view());
                let coefficients = rotation.coefficients(&model);
                let found = rotation.factorisation.multiply(&coefficients);
                for (a, b) in expected.values().iter().zip(found.values()) {
                    assert!((a - b).abs() < 1e-10, "{a} is not {b}");
                }
                let norm = |m: &Matrix| m.values().iter().map(|v| v * v).sum::<f64>();
                let change = norm(&model) - norm(&coefficients);
                assert!(change.abs() < 1e-9, "rotation keeps the penalty");
            }
        }
    }

    #[test]
    fn total_scatter_is_the_sum_of_squared_deviations() {
        for x in cases() {
            for rotation in rotations(&x) {
                let factorisation = &rotation.factorisation;
                let identity = Matrix::from_fn(x.view().columns(), x.view().columns(), |i, j| {
                    f64::from(u8::from(i == j))
                });
                let centred = factorisation.multiply(&identity);
                let both = centred
                    .values()
                    .iter()
                    .zip(weighted(&rotation, &centred).into_values());
                let expected: f64 = both.map(|(v, w)| v * w).sum();
                assert!((expected - factorisation.total_scatter()).abs() < 1e-10);
                assert!((expected - rotation.scatters().iter().sum::<f64>()).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn constant_features_have_rank_zero() {
        // The sum of forty-seven times 0.1 is not 4.7.
        for (rows, columns) in [(4, 2), (47, 3), (3, 60)] {
            for value in [7.0, 0.1, 1e-9, 1e9] {
                let x = Features::Dense(Matrix::from_fn(rows, columns, |_, _| value));
                for rotation in rotations(&x) {
                    assert!(rotation.scatters().is_empty(), "{value}");
                    assert_eq!(rotation.factorisation.total_scatter(), 0.0);
                }
            }
        }
    }

    #[test]
    fn rejects_features_whose_squares_overflow_or_underflow() {
        for size in [1e160, 1e-160] {
            let x = Features::Dense(Matrix::from_fn(9, 2, |i, j| size * (i * (j + 1)) as f64));
            let message = Factorisation::new(x.view()).unwrap_err().to_string();
            assert!(
                message.contains("neither overflow nor underflow"),
                "{message}"
            );
        }
    }
}
