//! The centred features in the basis where their scatter is diagonal.
//!
//! With X centred and X = U·S·Wᵀ, the rotated features are Z = X·W = U·S: as many columns as X has rank,
//! orthogonal to each other, with squared lengths λ = s². A linear model c on Z is the model W·c on X, and
//! since W has orthonormal columns the two have the same penalty ‖c‖² = ‖W·c‖².
//!
//! Where XXᵀ was factorised W is never formed: W·c = Xᵀ(Z·λ⁻¹c).

use super::factorisation::{Factorisation, Side};
use super::multiply;
use crate::Result;
use crate::data::{FeaturesView, Matrix};

/// Centred features rotated onto their principal axes.
#[derive(Debug, Clone)]
pub struct Rotation {
    scatters: Vec<f64>,
    rotated: Matrix,
    axes: Option<Matrix>,
}

impl Rotation {
    /// Rotates features that have been factorised.
    pub fn new(x: FeaturesView<'_>, factorisation: &Factorisation) -> Result<Self> {
        let eigen = factorisation.form().eigen()?;
        let scatters = significant(eigen.values, x.rows().max(x.columns()));
        let vectors = leading_columns(&eigen.vectors, scatters.len());
        Ok(match factorisation.side() {
            Side::Columns => {
                let rotated = factorisation.multiply(x, &vectors);
                Self {
                    scatters,
                    rotated,
                    axes: Some(vectors),
                }
            }
            Side::Rows => {
                let rotated = scale_columns(vectors, &scatters);
                Self {
                    scatters,
                    rotated,
                    axes: None,
                }
            }
        })
    }

    /// λ: the squared length of each rotated column, descending; as many as the features have rank.
    pub fn scatters(&self) -> &[f64] {
        &self.scatters
    }

    /// Z: the rotated training rows, n×r.
    pub fn rotated(&self) -> &Matrix {
        &self.rotated
    }

    /// W·c: linear models on the original features, p×m, that equal the given ones on the rotated
    /// features, r×m. The arguments must be those of [`Rotation::new`].
    pub fn coefficients(
        &self,
        x: FeaturesView<'_>,
        factorisation: &Factorisation,
        rotated: &Matrix,
    ) -> Matrix {
        if let Some(axes) = &self.axes {
            return multiply(axes.view(), rotated.view());
        }
        let scaled = Matrix::from_fn(rotated.rows(), rotated.columns(), |k, j| {
            rotated[(k, j)] / self.scatters[k]
        });
        let row_weights = multiply(self.rotated.view(), scaled.view());
        factorisation.multiply_transposed(x, &row_weights)
    }
}

/// The eigenvalues that are more than rounding error, given the larger size of the matrix.
fn significant(mut values: Vec<f64>, size: usize) -> Vec<f64> {
    let floor = values.first().copied().unwrap_or(0.0) * f64::EPSILON * size as f64;
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

    /// Tall, wide and square features of full and of lower rank, dense and sparse.
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

    fn rotate(x: &Features) -> (Factorisation, Rotation) {
        let factorisation = Factorisation::new(x.view());
        let rotation = Rotation::new(x.view(), &factorisation).unwrap();
        (factorisation, rotation)
    }

    #[test]
    fn rotated_columns_are_orthogonal_with_the_stated_lengths() {
        for x in cases() {
            let (_, rotation) = rotate(&x);
            let z = rotation.rotated();
            let gram = multiply_transposed(z.view(), z.view());
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

    #[test]
    fn rotated_columns_sum_to_zero() {
        for x in cases() {
            let (_, rotation) = rotate(&x);
            for k in 0..rotation.scatters().len() {
                assert!(rotation.rotated().column(k).sum::<f64>().abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_model_on_rotated_features_predicts_the_same_on_the_original_ones() {
        for x in cases() {
            let (factorisation, rotation) = rotate(&x);
            let rank = rotation.scatters().len();
            let model = Matrix::from_fn(rank, 2, |k, j| (k + j) as f64 - 1.5);
            let expected = multiply(rotation.rotated().view(), model.view());
            let coefficients = rotation.coefficients(x.view(), &factorisation, &model);
            let found = factorisation.multiply(x.view(), &coefficients);
            for (a, b) in expected.values().iter().zip(found.values()) {
                assert!((a - b).abs() < 1e-10, "{a} is not {b}");
            }
            let norm = |m: &Matrix| m.values().iter().map(|v| v * v).sum::<f64>();
            let change = norm(&model) - norm(&coefficients);
            assert!(change.abs() < 1e-9, "rotation keeps the penalty");
        }
    }

    #[test]
    fn total_scatter_is_the_sum_of_squared_deviations() {
        for x in cases() {
            let (factorisation, rotation) = rotate(&x);
            let identity = Matrix::from_fn(x.view().columns(), x.view().columns(), |i, j| {
                f64::from(u8::from(i == j))
            });
            let centred = factorisation.multiply(x.view(), &identity);
            let expected: f64 = centred.values().iter().map(|v| v * v).sum();
            assert!((expected - factorisation.total_scatter()).abs() < 1e-10);
            assert!((expected - rotation.scatters().iter().sum::<f64>()).abs() < 1e-10);
        }
    }

    #[test]
    fn constant_features_have_rank_zero() {
        let (_, rotation) = rotate(&Features::Dense(Matrix::from_fn(4, 2, |_, _| 7.0)));
        assert!(rotation.scatters().is_empty());
    }
}
