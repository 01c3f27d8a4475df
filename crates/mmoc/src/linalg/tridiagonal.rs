//! Symmetric matrices in tridiagonal form, A = Q·T·Qᵀ.
//!
//! The first third of an eigendecomposition, and sufficient for many purposes: T + αI is solved in O(n) for any α.
//! Q is stored as Householder reflections.

use faer::diag::DiagRef;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::SymmetricEigen;
use crate::data::Matrix;
use crate::{Error, Result};

/// Columns of Q per parallel task.
const CHUNK: usize = 64;

/// A symmetric matrix in tridiagonal form.
#[derive(Debug, Clone)]
pub(crate) struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    /// The reflections of Q, one in each row right of the diagonal, and their block factors.
    reflections: Matrix,
    factors: Mat<f64>,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix, of which only the upper triangle is read, to tridiagonal form.
    pub(crate) fn new(mut matrix: Matrix) -> Self {
        let size = matrix.rows();
        let below = size.saturating_sub(1);
        let mut factors = Mat::zeros(recommended_block_size::<f64>(size, size), below);
        if size > 0 {
            let required =
                tridiag_in_place_scratch::<f64>(size, Par::Seq, faer::prelude::default());
            with_stack(required, |stack| {
                // Rows here are columns of the library, so the upper triangle is its lower one.
                tridiag_in_place(
                    MatMut::from_column_major_slice_mut(matrix.values_mut(), size, size),
                    factors.as_mut(),
                    Par::Seq,
                    stack,
                    faer::prelude::default(),
                );
            });
        }
        Self {
            diagonal: (0..size).map(|k| matrix[(k, k)]).collect(),
            off_diagonal: (0..below).map(|k| matrix[(k, k + 1)]).collect(),
            reflections: matrix,
            factors,
        }
    }

    /// The diagonal of T.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The off-diagonal entries of T, one fewer.
    pub(crate) fn off_diagonal(&self) -> &[f64] {
        &self.off_diagonal
    }

    /// Qᵀ: one row for each row of T.
    pub(crate) fn transposed_basis(&self) -> Matrix {
        let size = self.diagonal.len();
        let mut basis = Matrix::zeros(size, size);
        let chunks = basis.values_mut().par_chunks_mut(CHUNK * size.max(1));
        chunks.enumerate().for_each(|(i, chunk)| {
            let (first, count) = (i * CHUNK, chunk.len() / size);
            (0..count).for_each(|k| chunk[k * size + first + k] = 1.0);
            // A reflection does not change the unit vectors before it, so only the reflections up to here matter.
            // Blocks of reflections must stay whole.
            let block = self.factors.nrows().max(1);
            let reflections = (first + count).next_multiple_of(block).min(size - 1);
            self.reflect(
                MatMut::from_column_major_slice_mut(chunk, size, count),
                reflections,
            );
        });
        basis
    }

    /// Applies the first reflections of Q, from the last of them to the first.
    fn reflect(&self, matrix: MatMut<'_, f64>, reflections: usize) {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        if rows < 2 || columns == 0 {
            return;
        }
        let all = MatRef::from_column_major_slice(self.reflections.values(), rows, rows);
        let basis = all.submatrix(1, 0, rows - 1, reflections);
        let factors = self.factors.subcols(0, reflections);
        let required = apply_scratch::<f64>(rows - 1, self.factors.nrows(), columns);
        with_stack(required, |stack| {
            // The first reflection does not change the first row.
            let moved = matrix.subrows_mut(1, rows - 1);
            apply(basis, factors, Conj::No, moved, Par::Seq, stack);
        });
    }

    /// The eigenvalues and eigenvectors of A.
    pub(crate) fn eigen(&self) -> Result<SymmetricEigen> {
        let size = self.diagonal.len();
        if size == 0 {
            return Ok(SymmetricEigen {
                values: Vec::new(),
                vectors: Matrix::default(),
            });
        }
        let mut values = vec![0.0; size];
        let mut vectors = Mat::zeros(size, size);
        let required = self_adjoint_evd_scratch::<f64>(
            size,
            ComputeEigenvectors::Yes,
            Par::Seq,
            faer::prelude::default(),
        );
        with_stack(required, |stack| {
            tridiagonal_self_adjoint_evd(
                DiagRef::from_slice(&self.diagonal),
                DiagRef::from_slice(&self.off_diagonal),
                faer::diag::DiagMut::from_slice_mut(&mut values),
                Some(vectors.as_mut()),
                Par::Seq,
                stack,
                faer::prelude::default(),
            )
        })
        .map_err(|_| Error::Decomposition {
            decomposition: "eigen-decomposition",
            rows: size,
            columns: size,
        })?;
        self.reflect(vectors.as_mut(), size - 1);
        values.reverse();
        let vectors = Matrix::from_fn(size, size, |i, k| vectors[(i, size - 1 - k)]);
        Ok(SymmetricEigen { values, vectors })
    }
}

fn with_stack<R>(required: StackReq, work: impl FnOnce(&mut MemStack) -> R) -> R {
    work(MemStack::new(&mut MemBuffer::new(required)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{multiply, multiply_transposed};

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        let mut stream = crate::Seed::new(3).stream();
        for size in [1, 2, 3, 10, 70, 150] {
            let mut a = Matrix::zeros(size, size);
            for i in 0..size {
                for j in 0..=i {
                    a[(i, j)] = stream.uniform() - 0.5;
                    a[(j, i)] = a[(i, j)];
                }
            }
            let form = Tridiagonal::new(a.clone());
            let t = Matrix::from_fn(size, size, |i, j| match i.abs_diff(j) {
                0 => form.diagonal()[i],
                1 => form.off_diagonal()[i.min(j)],
                _ => 0.0,
            });
            let back = form.transposed_basis();
            let product = multiply_transposed(back.view(), multiply(t.view(), back.view()).view());
            for (x, y) in product.values().iter().zip(a.values()) {
                assert!(
                    (x - y).abs() < 1e-13 * size as f64,
                    "size {size}: {x} is not {y}"
                );
            }
        }
    }
}
