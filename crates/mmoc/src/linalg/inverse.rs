//! Inverses of positive definite matrices.

use faer::Side;
use faer::linalg::solvers::DenseSolveCore;

use super::product::faer_view;
use crate::data::Matrix;

/// The inverse of a symmetric matrix, of which only the lower triangle is read; none if it is not positive
/// definite.
pub(crate) fn positive_definite_inverse(matrix: &Matrix) -> Option<Matrix> {
    let size = matrix.rows();
    let inverse = faer_view(matrix.view()).llt(Side::Lower).ok()?.inverse();
    Some(Matrix::from_fn(size, size, |i, j| inverse[(i, j)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::multiply;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let matrix = Matrix::from_fn(9, 9, |i, j| 1.0 / (1.0 + i.abs_diff(j) as f64));
        let inverse = positive_definite_inverse(&matrix).unwrap();
        let product = multiply(matrix.view(), inverse.view());
        for i in 0..9 {
            for j in 0..9 {
                let expected = f64::from(u8::from(i == j));
                assert!((product[(i, j)] - expected).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_none() {
        assert!(positive_definite_inverse(&Matrix::from_fn(2, 2, |_, _| 1.0)).is_none());
        assert!(positive_definite_inverse(&Matrix::new(1, 1, vec![-1.0]).unwrap()).is_none());
    }

    #[test]
    fn the_empty_matrix_is_its_own_inverse() {
        assert_eq!(
            positive_definite_inverse(&Matrix::default()),
            Some(Matrix::default())
        );
    }
}
