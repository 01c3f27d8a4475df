//! Cholesky factorisation of positive definite matrices.

use faer::Mat;
use faer::Side;
use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};

use super::product::faer_view;
use crate::data::{Matrix, MatrixView};

/// Relative increases of the diagonal that are tried in turn for a nearly positive definite matrix.
const DIAGONAL_INCREASES: [f64; 5] = [0.0, 1e-15, 1e-14, 1e-13, 1e-12];

/// A = L·Lᵀ with L lower triangular.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky(Llt<f64>);

impl Cholesky {
    /// Factorises a symmetric matrix, of which only the lower triangle is read; `None` if it is not positive
    /// definite.
    pub(crate) fn new(matrix: MatrixView<'_>) -> Option<Self> {
        faer_view(matrix).llt(Side::Lower).ok().map(Self)
    }

    /// Factorises a matrix that is positive definite up to rounding error: its diagonal is increased until it is,
    /// by a relative amount of at most 10⁻¹². For steps that need not be exact.
    pub(crate) fn nearly(mut matrix: Matrix) -> Option<Self> {
        for added in DIAGONAL_INCREASES {
            (0..matrix.rows()).for_each(|k| matrix[(k, k)] *= 1.0 + added);
            if let Some(factor) = Self::new(matrix.view()) {
                return Some(factor);
            }
        }
        None
    }

    /// L.
    pub(crate) fn lower(&self) -> Matrix {
        from_faer(&self.0.L().to_owned())
    }

    /// A⁻¹.
    pub(crate) fn inverse(&self) -> Matrix {
        from_faer(&self.0.inverse())
    }

    /// Replaces b by the solution of A·x = b.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let size = b.len();
        self.0
            .solve_in_place(faer::MatMut::from_column_major_slice_mut(b, size, 1));
    }
}

fn from_faer(matrix: &Mat<f64>) -> Matrix {
    Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{multiply, multiply_by_transposed};

    fn example() -> Matrix {
        Matrix::from_fn(9, 9, |i, j| 1.0 / (1.0 + i.abs_diff(j) as f64))
    }

    fn assert_close(a: &Matrix, b: &Matrix) {
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-13, "{x} is not {y}");
        }
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        let lower = Cholesky::new(example().view()).unwrap().lower();
        assert_close(&multiply_by_transposed(&lower, &lower), &example());
        assert!((0..9).all(|i| (i + 1..9).all(|j| lower[(i, j)] == 0.0)));
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let inverse = Cholesky::new(example().view()).unwrap().inverse();
        let identity = Matrix::from_fn(9, 9, |i, j| f64::from(u8::from(i == j)));
        assert_close(&multiply(example().view(), inverse.view()), &identity);
    }

    #[test]
    fn a_system_is_solved_in_place() {
        let mut x: Vec<f64> = example().row(2).to_vec();
        Cholesky::new(example().view()).unwrap().solve(&mut x);
        for (j, value) in x.iter().enumerate() {
            assert!((value - f64::from(u8::from(j == 2))).abs() < 1e-13);
        }
    }

    #[test]
    fn indefinite_matrices_have_no_factor() {
        assert!(Cholesky::new(Matrix::from_fn(2, 2, |_, _| 1.0).view()).is_none());
        assert!(Cholesky::new(Matrix::new(1, 1, vec![-1.0]).unwrap().view()).is_none());
        assert!(Cholesky::new(Matrix::new(1, 1, vec![f64::NAN]).unwrap().view()).is_none());
    }

    #[test]
    fn a_matrix_indefinite_by_rounding_error_is_factorised() {
        let singular =
            |excess: f64| Matrix::new(2, 2, vec![1e16, 1e16, 1e16, 1e16 - excess]).unwrap();
        assert!(Cholesky::new(singular(8.0).view()).is_none());
        assert!(Cholesky::nearly(singular(8.0)).is_some());
        assert!(Cholesky::nearly(singular(1e12)).is_none());
        assert!(Cholesky::nearly(Matrix::new(1, 1, vec![f64::NAN]).unwrap()).is_none());
    }

    #[test]
    fn the_empty_matrix_is_its_own_inverse() {
        let empty = Matrix::default();
        assert_eq!(Cholesky::new(empty.view()).unwrap().inverse(), empty);
    }
}
