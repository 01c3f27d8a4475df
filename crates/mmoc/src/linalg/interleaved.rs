//! Products of the rows of a panel with several vectors, interleaved: one value of each vector after the other.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::product::faer_view;
use super::sparse::{add_interleaved, multiply_interleaved};
use crate::partitions::PanelFeatures;

/// `output = X·input` for so many vectors.
pub(crate) fn product_of_panel(
    x: PanelFeatures<'_>,
    input: &[f64],
    output: &mut [f64],
    vectors: usize,
) {
    match x {
        PanelFeatures::Sparse { rows, .. } => multiply_interleaved(rows, input, output, vectors),
        PanelFeatures::Dense(x) => {
            let input = MatRef::from_row_major_slice(input, x.columns(), vectors);
            let output = MatMut::from_row_major_slice_mut(output, x.rows(), vectors);
            matmul(output, Accum::Replace, faer_view(x), input, 1.0, Par::Seq);
        }
    }
}

/// `sum += Xᵀ·input` for so many vectors.
pub(crate) fn add_transposed_product(
    x: PanelFeatures<'_>,
    input: &[f64],
    sum: &mut [f64],
    vectors: usize,
) {
    match x {
        PanelFeatures::Sparse { transposed, .. } => {
            add_interleaved(transposed, input, sum, vectors);
        }
        PanelFeatures::Dense(x) => {
            let input = MatRef::from_row_major_slice(input, x.rows(), vectors);
            let sum = MatMut::from_row_major_slice_mut(sum, x.columns(), vectors);
            matmul(
                sum,
                Accum::Add,
                faer_view(x).transpose(),
                input,
                1.0,
                Par::Seq,
            );
        }
    }
}
