//! Products of dense and sparse matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::sparse::multiply_interleaved;
use crate::data::{CsrView, FeaturesView, Matrix, MatrixView};

/// Minimum number of result rows per parallel task.
const CHUNK: usize = 64;
/// Minimum number of multiplications per parallel task: fewer cost less than the scheduling.
const SMALLEST_TASK: usize = 1 << 15;

/// A view of a matrix for the linear algebra library.
pub(super) fn faer_view(matrix: MatrixView<'_>) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(matrix.values(), matrix.rows(), matrix.columns())
}

/// The product A·B.
///
/// # Panics
/// If the columns of `a` are not as many as the rows of `b`.
pub fn multiply(a: MatrixView<'_>, b: MatrixView<'_>) -> Matrix {
    assert_eq!(a.columns(), b.rows(), "inner sizes of a product");
    product_by_chunks(faer_view(a), faer_view(b))
}

/// The product Aᵀ·B.
///
/// # Panics
/// If the matrices do not have the same number of rows.
pub fn multiply_transposed(a: MatrixView<'_>, b: MatrixView<'_>) -> Matrix {
    assert_eq!(a.rows(), b.rows(), "inner sizes of a product");
    product_by_chunks(faer_view(a).transpose(), faer_view(b))
}

/// The product A·Bᵀ.
///
/// # Panics
/// If the matrices do not have the same number of columns.
pub fn multiply_by_transposed(a: &Matrix, b: &Matrix) -> Matrix {
    products_of_rows(a.view(), b.view())
}

/// The product A·Bᵀ of views: the inner products of each row of A with each row of B.
///
/// # Panics
/// If the matrices do not have the same number of columns.
pub(crate) fn products_of_rows(a: MatrixView<'_>, b: MatrixView<'_>) -> Matrix {
    assert_eq!(a.columns(), b.columns(), "inner sizes of a product");
    product_by_chunks(faer_view(a), faer_view(b).transpose())
}

fn product_by_chunks(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Matrix {
    let columns = b.ncols();
    let piece = CHUNK.max(SMALLEST_TASK.div_ceil((a.ncols() * columns).max(1)));
    let mut product = Matrix::zeros(a.nrows(), columns);
    let multiply_rows = |first: usize, chunk: &mut [f64]| {
        let rows = chunk.len() / columns;
        let target = MatMut::from_row_major_slice_mut(chunk, rows, columns);
        let a = a.subrows(first, rows);
        matmul(target, Accum::Replace, a, b, 1.0, Par::Seq);
    };
    if columns > 0 && product.rows() <= piece {
        // A single task is run on this thread.
        multiply_rows(0, product.values_mut());
    } else if columns > 0 {
        let chunks = product.values_mut().par_chunks_mut(piece * columns);
        chunks
            .enumerate()
            .for_each(|(i, chunk)| multiply_rows(i * piece, chunk));
    }
    product
}

/// The product X·B of features and a dense matrix.
///
/// # Panics
/// If the columns of the features are not as many as the rows of `b`.
pub fn multiply_features(x: FeaturesView<'_>, b: MatrixView<'_>) -> Matrix {
    match x {
        FeaturesView::Dense(x) => multiply(x, b),
        FeaturesView::Sparse(x) => multiply_sparse(x, b),
    }
}

fn multiply_sparse(x: CsrView<'_>, b: MatrixView<'_>) -> Matrix {
    assert_eq!(x.columns(), b.rows(), "inner sizes of a product");
    let (rows, width) = (x.rows(), b.columns());
    let mut product = Matrix::zeros(rows, width);
    if width > 0 {
        let chunks = product.values_mut().par_chunks_mut(CHUNK * width);
        chunks.enumerate().for_each(|(i, chunk)| {
            let some = x.rows_in(i * CHUNK..rows.min((i + 1) * CHUNK));
            multiply_interleaved(some, b.values(), chunk, width);
        });
    }
    product
}

/// The product Xᵀ·B of features and a dense matrix.
///
/// # Panics
/// If the features and `b` do not have the same number of rows.
pub fn multiply_features_transposed(x: FeaturesView<'_>, b: MatrixView<'_>) -> Matrix {
    match x {
        FeaturesView::Dense(x) => multiply_transposed(x, b),
        FeaturesView::Sparse(x) => multiply_sparse_transposed(x, b),
    }
}

fn multiply_sparse_transposed(x: CsrView<'_>, b: MatrixView<'_>) -> Matrix {
    multiply_sparse(x.transposed().view(), b)
}

/// Aᵀ.
pub(crate) fn transposed(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.columns(), a.rows(), |i, j| a[(j, i)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Csr, Features};

    /// The textbook triple loop.
    fn naive(a: &Matrix, b: &Matrix) -> Matrix {
        Matrix::from_fn(a.rows(), b.columns(), |i, j| {
            (0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum()
        })
    }

    fn sparse_copy(a: &Matrix) -> Features {
        Features::Sparse(Csr::from(a))
    }

    fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut stream = crate::Seed::new(seed).stream();
        let mut number = || Some(stream.uniform()).filter(|draw| *draw >= 0.5);
        Matrix::from_fn(rows, columns, |_, _| number().unwrap_or(0.0))
    }

    fn assert_close(a: &Matrix, b: &Matrix) {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() < 1e-12, "{x} is not {y}");
        }
    }

    proptest! {
        #[test]
        fn all_products_equal_the_naive_one(
            (n, k, m) in (1..300usize, 0..20usize, 0..9usize), seed in 0..1000u64
        ) {
            let a = random(n, k, seed);
            let b = random(k, m, seed + 1);
            let c = random(n, m, seed + 2);
            let sparse = sparse_copy(&a);
            let expected = naive(&a, &b);
            assert_close(&multiply(a.view(), b.view()), &expected);
            assert_close(&multiply_features(sparse.view(), b.view()), &expected);
            assert_close(&multiply_by_transposed(&a, &transposed(&b)), &expected);
            let expected = naive(&transposed(&a), &c);
            assert_close(&multiply_transposed(a.view(), c.view()), &expected);
            assert_close(&multiply_features_transposed(sparse.view(), c.view()), &expected);
        }
    }
}
