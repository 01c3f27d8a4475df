//! Symmetric matrices in tridiagonal form, A = Q·T·Qᵀ.
//!
//! The first third of an eigen-decomposition, and for many purposes enough of it: T + αI is solved in O(n)
//! for any α. Q is kept as the reflections it is made of and never formed.

use faer::diag::DiagRef;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj as apply_transpose,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, Par};

use super::SymmetricEigen;
use super::product::faer_view;
use crate::data::{Matrix, MatrixView};
use crate::{Error, Result};

/// A symmetric matrix in tridiagonal form.
#[derive(Debug, Clone)]
pub(crate) struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    /// The reflections that make up Q, below the diagonal, and their block factors.
    reflections: Mat<f64>,
    factors: Mat<f64>,
}

impl Tridiagonal {
    /// Brings a symmetric matrix, of which only the lower triangle is read, to tridiagonal form.
    pub(crate) fn new(matrix: MatrixView<'_>) -> Self {
        let size = matrix.rows();
        if size == 0 {
            let (diagonal, off_diagonal) = (Vec::new(), Vec::new());
            return Self {
                diagonal,
                off_diagonal,
                reflections: Mat::new(),
                factors: Mat::new(),
            };
        }
        let mut reflections = Mat::zeros(size, size);
        reflections.copy_from_triangular_lower(faer_view(matrix));
        let mut factors = Mat::zeros(recommended_block_size::<f64>(size, size), size - 1);
        with_stack(
            tridiag_in_place_scratch::<f64>(size, Par::Seq, faer::prelude::default()),
            |stack| {
                tridiag_in_place(
                    reflections.as_mut(),
                    factors.as_mut(),
                    Par::Seq,
                    stack,
                    faer::prelude::default(),
                );
            },
        );
        Self {
            diagonal: (0..size).map(|k| reflections[(k, k)]).collect(),
            off_diagonal: (1..size).map(|k| reflections[(k, k - 1)]).collect(),
            reflections,
            factors,
        }
    }

    /// The diagonal of T.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The entries of T beside the diagonal, one fewer.
    pub(crate) fn off_diagonal(&self) -> &[f64] {
        &self.off_diagonal
    }

    /// Replaces M by Q·M.
    pub(crate) fn rotate(&self, matrix: &mut Matrix) {
        self.reflect(matrix, |basis, factors, rows, stack| {
            apply(basis, factors, Conj::No, rows, Par::Seq, stack);
        });
    }

    /// Replaces M by Qᵀ·M.
    pub(crate) fn rotate_back(&self, matrix: &mut Matrix) {
        self.reflect(matrix, |basis, factors, rows, stack| {
            apply_transpose(basis, factors, Conj::No, rows, Par::Seq, stack);
        });
    }

    fn reflect(
        &self,
        matrix: &mut Matrix,
        apply: impl FnOnce(faer::MatRef<'_, f64>, faer::MatRef<'_, f64>, MatMut<'_, f64>, &mut MemStack),
    ) {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        if rows < 2 || columns == 0 {
            return;
        }
        let view = MatMut::from_row_major_slice_mut(matrix.values_mut(), rows, columns);
        let basis = self.reflections.submatrix(1, 0, rows - 1, rows - 1);
        let room = apply_scratch::<f64>(rows - 1, self.factors.nrows(), columns);
        with_stack(room, |stack| {
            // The first reflection leaves the first row alone.
            apply(
                basis,
                self.factors.as_ref(),
                view.subrows_mut(1, rows - 1),
                stack,
            );
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
        let room = self_adjoint_evd_scratch::<f64>(
            size,
            ComputeEigenvectors::Yes,
            Par::Seq,
            faer::prelude::default(),
        );
        with_stack(room, |stack| {
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
        let mut rotated = Matrix::from_fn(size, size, |i, k| vectors[(i, size - 1 - k)]);
        self.rotate(&mut rotated);
        values.reverse();
        Ok(SymmetricEigen {
            values,
            vectors: rotated,
        })
    }
}

fn with_stack<R>(room: StackReq, work: impl FnOnce(&mut MemStack) -> R) -> R {
    work(MemStack::new(&mut MemBuffer::new(room)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::multiply;

    #[test]
    fn the_parts_multiply_back_to_the_matrix() {
        let mut stream = crate::Seed::new(3).stream();
        for size in [1, 2, 3, 10, 70] {
            let mut a = Matrix::zeros(size, size);
            for i in 0..size {
                for j in 0..=i {
                    a[(i, j)] = stream.uniform() - 0.5;
                    a[(j, i)] = a[(i, j)];
                }
            }
            let form = Tridiagonal::new(a.view());
            let t = Matrix::from_fn(size, size, |i, j| match i.abs_diff(j) {
                0 => form.diagonal()[i],
                1 => form.off_diagonal()[i.min(j)],
                _ => 0.0,
            });
            let mut back = Matrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j)));
            form.rotate_back(&mut back);
            let mut product = multiply(t.view(), back.view());
            form.rotate(&mut product);
            for (x, y) in product.values().iter().zip(a.values()) {
                assert!(
                    (x - y).abs() < 1e-13 * size as f64,
                    "size {size}: {x} is not {y}"
                );
            }
        }
    }
}
