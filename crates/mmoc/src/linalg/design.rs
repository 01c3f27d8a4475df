//! The matrix of a set of regressions that advance together: products with a block of vectors.
//!
//! A block holds its vectors one after the other. One product with a block of twenty vectors costs a
//! fraction of twenty products with one vector, because the matrix is read once.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::product::faer_view;
use super::sparse::multiply_side_by_side;
use crate::data::{Csr, CsrView, Matrix};

/// Numbers of a vector that are moved together where a block is turned: a line of the cache.
const TILE: usize = 8;

/// The rows of a regression, dense or sparse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Design<'a> {
    Dense(&'a Matrix),
    Sparse(&'a SparseDesign),
}

/// A sparse matrix by its rows, for products with X, and by its columns, for products with Xᵀ.
#[derive(Debug, Clone)]
pub(crate) struct SparseDesign {
    rows: Csr,
    columns: Csr,
}

impl SparseDesign {
    pub(crate) fn new(rows: Csr) -> Self {
        Self {
            columns: rows.view().transposed(),
            rows,
        }
    }

    pub(crate) fn rows(&self) -> CsrView<'_> {
        self.rows.view()
    }
}

/// Room for the blocks of sparse products, kept from one product to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    input: Vec<f64>,
    output: Vec<f64>,
}

impl Design<'_> {
    pub(crate) fn rows(self) -> usize {
        match self {
            Self::Dense(x) => x.rows(),
            Self::Sparse(x) => x.rows().rows(),
        }
    }

    pub(crate) fn columns(self) -> usize {
        match self {
            Self::Dense(x) => x.columns(),
            Self::Sparse(x) => x.rows().columns(),
        }
    }

    /// `output = X·input` for a block of vectors.
    pub(crate) fn forward(self, input: &[f64], output: &mut [f64], workspace: &mut Workspace) {
        let width = output.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()), input, output, width),
            Self::Sparse(x) => workspace.multiply(x.rows.view(), input, output, width),
        }
    }

    /// `output = Xᵀ·input` for a block of vectors.
    pub(crate) fn backward(self, input: &[f64], output: &mut [f64], workspace: &mut Workspace) {
        let width = input.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()).transpose(), input, output, width),
            Self::Sparse(x) => workspace.multiply(x.columns.view(), input, output, width),
        }
    }
}

fn dense_product(x: MatRef<'_, f64>, input: &[f64], output: &mut [f64], width: usize) {
    let input = MatRef::from_column_major_slice(input, x.ncols(), width);
    let output = MatMut::from_column_major_slice_mut(output, x.nrows(), width);
    matmul(output, Accum::Replace, x, input, 1.0, Par::Seq);
}

impl Workspace {
    /// `output = X·input` by way of blocks whose vectors lie side by side.
    fn multiply(&mut self, x: CsrView<'_>, input: &[f64], output: &mut [f64], width: usize) {
        self.input.resize(input.len(), 0.0);
        self.output.resize(output.len(), 0.0);
        put_side_by_side(input, &mut self.input, width);
        multiply_side_by_side(x, &self.input, &mut self.output, width);
        put_in_line(&self.output, output, width);
    }
}

/// Turns vectors that lie one after the other into vectors that lie side by side.
fn put_side_by_side(input: &[f64], output: &mut [f64], width: usize) {
    let length = input.len() / width.max(1);
    for start in (0..length).step_by(TILE) {
        let end = length.min(start + TILE);
        for vector in 0..width {
            let part = &input[vector * length..][start..end];
            for (i, value) in (start..end).zip(part) {
                output[i * width + vector] = *value;
            }
        }
    }
}

/// Turns vectors that lie side by side into vectors that lie one after the other.
fn put_in_line(input: &[f64], output: &mut [f64], width: usize) {
    let length = input.len() / width.max(1);
    for start in (0..length).step_by(TILE) {
        let end = length.min(start + TILE);
        for vector in 0..width {
            let part = &mut output[vector * length..][start..end];
            for (i, value) in (start..end).zip(part) {
                *value = input[i * width + vector];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn sparse_and_dense_designs_have_the_same_products() {
        let mut stream = Seed::new(3).stream();
        let x = Matrix::from_fn(21, 10, |i, j| {
            if (i + 2 * j) % 3 == 0 {
                (i + j) as f64
            } else {
                0.0
            }
        });
        let sparse = SparseDesign::new(Csr::from(&x));
        let designs = [Design::Dense(&x), Design::Sparse(&sparse)];
        let mut workspace = Workspace::default();
        for width in [1, 3, 8, 40, 7] {
            let coefficients: Vec<f64> = (0..10 * width).map(|_| stream.gaussian()).collect();
            let weights: Vec<f64> = (0..21 * width).map(|_| stream.gaussian()).collect();
            let [dense, sparse] = designs.map(|design| {
                let mut margins = vec![f64::NAN; 21 * width];
                let mut gradients = vec![f64::NAN; 10 * width];
                design.forward(&coefficients, &mut margins, &mut workspace);
                design.backward(&weights, &mut gradients, &mut workspace);
                [margins, gradients].concat()
            });
            for (a, b) in dense.iter().zip(&sparse) {
                assert!((a - b).abs() < 1e-11, "{width}: {a} {b}");
            }
        }
    }
}
