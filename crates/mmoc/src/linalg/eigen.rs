//! Eigenvalues and eigenvectors of symmetric matrices.

use super::tridiagonal::Tridiagonal;
use crate::Result;
use crate::data::Matrix;

/// A = V·diag(λ)·Vᵀ with descending eigenvalues and orthonormal columns of V.
#[derive(Debug, Clone)]
pub struct SymmetricEigen {
    /// The eigenvalues λ, descending.
    pub values: Vec<f64>,
    /// The eigenvectors V, one per column, with arbitrary signs.
    pub vectors: Matrix,
}

/// Decomposes a symmetric matrix, of which only the upper triangle is read.
///
/// # Panics
/// If the matrix is not square.
pub fn symmetric_eigen(matrix: Matrix) -> Result<SymmetricEigen> {
    assert_eq!(
        matrix.rows(),
        matrix.columns(),
        "a symmetric matrix is square"
    );
    Tridiagonal::new(matrix).eigen()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{multiply, multiply_transposed};

    fn symmetric(size: usize) -> Matrix {
        let mut stream = crate::Seed::new(5).stream();
        let mut a = Matrix::zeros(size, size);
        for i in 0..size {
            for j in 0..=i {
                a[(i, j)] = stream.uniform() - 0.5;
                a[(j, i)] = a[(i, j)];
            }
        }
        a
    }

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        for size in [0, 1, 2, 7, 40, 130] {
            let a = symmetric(size);
            let eigen = symmetric_eigen(a.clone()).unwrap();
            let scaled =
                Matrix::from_fn(size, size, |i, k| eigen.vectors[(i, k)] * eigen.values[k]);
            let transposed = Matrix::from_fn(size, size, |i, j| eigen.vectors[(j, i)]);
            let product = multiply(scaled.view(), transposed.view());
            for (x, y) in product.values().iter().zip(a.values()) {
                assert!((x - y).abs() < 1e-13 * size as f64);
            }
        }
    }

    #[test]
    fn vectors_are_orthonormal_and_values_descend() {
        let eigen = symmetric_eigen(symmetric(30)).unwrap();
        let gram = multiply_transposed(eigen.vectors.view(), eigen.vectors.view());
        for i in 0..30 {
            for j in 0..30 {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((gram[(i, j)] - expected).abs() < 1e-13);
            }
        }
        assert!(eigen.values.is_sorted_by(|a, b| a >= b));
    }
}
