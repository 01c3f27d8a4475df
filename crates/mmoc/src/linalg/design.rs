//! The matrix of a set of regressions that advance together: products with a block of vectors.
//!
//! A block holds its vectors one after the other. One product with a block of twenty vectors costs a
//! fraction of twenty products with one vector, because the matrix is read once.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::add_scaled;
use super::product::faer_view;
use crate::data::{CsrView, Matrix};

/// The rows of a regression, dense or sparse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Design<'a> {
    Dense(&'a Matrix),
    Sparse(CsrView<'a>),
}

/// Room for the transposed blocks of sparse products, kept from one product to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    input: Vec<f64>,
    output: Vec<f64>,
}

impl Design<'_> {
    pub(crate) fn rows(self) -> usize {
        match self {
            Self::Dense(x) => x.rows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    pub(crate) fn columns(self) -> usize {
        match self {
            Self::Dense(x) => x.columns(),
            Self::Sparse(x) => x.columns(),
        }
    }

    /// `output = X·input` for a block of vectors.
    pub(crate) fn forward(self, input: &[f64], output: &mut [f64], workspace: &mut Workspace) {
        let width = output.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()), input, output, width),
            Self::Sparse(x) => workspace.transposed(input, output, width, |input, output| {
                for (row, sums) in output.chunks_exact_mut(width).enumerate() {
                    for (column, value) in x.entries(row) {
                        add_scaled(sums, value, &input[column * width..][..width]);
                    }
                }
            }),
        }
    }

    /// `output = Xᵀ·input` for a block of vectors.
    pub(crate) fn backward(self, input: &[f64], output: &mut [f64], workspace: &mut Workspace) {
        let width = input.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()).transpose(), input, output, width),
            Self::Sparse(x) => workspace.transposed(input, output, width, |input, output| {
                for (row, weights) in input.chunks_exact(width).enumerate() {
                    for (column, value) in x.entries(row) {
                        add_scaled(&mut output[column * width..][..width], value, weights);
                    }
                }
            }),
        }
    }
}

fn dense_product(x: MatRef<'_, f64>, input: &[f64], output: &mut [f64], width: usize) {
    let input = MatRef::from_column_major_slice(input, x.ncols(), width);
    let output = MatMut::from_column_major_slice_mut(output, x.nrows(), width);
    matmul(output, Accum::Replace, x, input, 1.0, Par::Seq);
}

impl Workspace {
    /// Runs a product on blocks that lie the other way round, so that the inner loop of a sparse product
    /// walks along the vectors of the block, which lie side by side.
    fn transposed(
        &mut self,
        input: &[f64],
        output: &mut [f64],
        width: usize,
        product: impl FnOnce(&[f64], &mut [f64]),
    ) {
        self.input.resize(input.len(), 0.0);
        transpose(input, &mut self.input, width);
        self.output.clear();
        self.output.resize(output.len(), 0.0);
        product(&self.input, &mut self.output);
        transpose(&self.output, output, output.len() / width.max(1));
    }
}

/// Turns `parts` vectors that lie one after the other into vectors that lie side by side.
fn transpose(input: &[f64], output: &mut [f64], parts: usize) {
    let length = input.len() / parts.max(1);
    for part in 0..parts {
        for (i, value) in input[part * length..][..length].iter().enumerate() {
            output[i * parts + part] = *value;
        }
    }
}
