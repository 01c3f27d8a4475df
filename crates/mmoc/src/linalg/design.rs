//! Design matrices of regressions that advance together: products with a block of vectors.
//!
//! A block holds its vectors one after the other. One product with a block of twenty vectors costs a fraction of
//! twenty products with one vector, because the matrix is read once.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::product::faer_view;
use super::sparse::{add_interleaved, multiply_interleaved};
use crate::data::{Csr, CsrView, Matrix};

/// Rows of a panel: those of forty vectors are a third of a megabyte.
const PANEL_ROWS: usize = 1024;
/// Mean number of entries of a column in a panel: with fewer, the offsets would take more memory than the entries.
const PANEL_ENTRIES: usize = 8;
/// Values of a vector that are moved together in a transposition of a block, and vectors that are multiplied
/// together: as many as fill a cache line, and a register on machines with wide registers.
const TILE: usize = 8;

/// A design matrix, dense or sparse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DesignMatrix<'a> {
    Dense(&'a Matrix),
    Sparse(&'a SparseDesign),
}

/// A sparse matrix by rows, for products with X, and by columns, for products with Xᵀ.
#[derive(Debug, Clone)]
pub(crate) struct SparseDesign {
    rows: Csr,
    panels: SparsePanels,
}

impl SparseDesign {
    pub(crate) fn new(rows: Csr) -> Self {
        Self {
            panels: SparsePanels::new(rows.view()),
            rows,
        }
    }

    pub(crate) fn rows(&self) -> CsrView<'_> {
        self.rows.view()
    }
}

/// The columns of a sparse matrix.
///
/// A column has entries in all rows, and what they multiply should be in the cache. So columns are split into
/// panels of rows, and products with Xᵀ are summed panel by panel.
#[derive(Debug, Clone)]
pub(crate) struct SparsePanels {
    panel_rows: usize,
    rows: usize,
    panels: Vec<Csr>,
}

impl SparsePanels {
    pub(crate) fn new(rows: CsrView<'_>) -> Self {
        let panel_rows = panel_rows(rows);
        let panels = (0..rows.rows()).step_by(panel_rows).map(|first| {
            let end = rows.rows().min(first + panel_rows);
            rows.rows_in(first..end).transposed()
        });
        Self {
            panels: panels.collect(),
            panel_rows,
            rows: rows.rows(),
        }
    }

    /// The rows of each panel, and its columns.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Range<usize>, CsrView<'_>)> {
        self.panels.iter().enumerate().map(|(k, panel)| {
            let first = k * self.panel_rows;
            let rows = first..self.rows.min(first + self.panel_rows);
            (rows, panel.view())
        })
    }
}

fn panel_rows(x: CsrView<'_>) -> usize {
    let most = (x.stored() / (PANEL_ENTRIES * x.columns()).max(1)).max(1);
    let panels = x.rows().div_ceil(PANEL_ROWS).min(most);
    x.rows().div_ceil(panels.max(1)).max(1)
}

/// Buffers for sparse products, reused between products.
#[derive(Debug, Default)]
pub(crate) struct ProductBuffers {
    input: Vec<f64>,
    output: Vec<f64>,
}

impl DesignMatrix<'_> {
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
    pub(crate) fn forward(self, input: &[f64], output: &mut [f64], buffers: &mut ProductBuffers) {
        let width = output.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()), input, output, width),
            Self::Sparse(x) => {
                buffers.interleaved(width, (input, output), |input, output, stride| {
                    multiply_interleaved(x.rows.view(), input, output, stride);
                });
            }
        }
    }

    /// `output = Xᵀ·input` for a block of vectors.
    pub(crate) fn backward(self, input: &[f64], output: &mut [f64], buffers: &mut ProductBuffers) {
        let width = input.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()).transpose(), input, output, width),
            Self::Sparse(x) => {
                buffers.interleaved(width, (input, output), |input, output, stride| {
                    output.fill(0.0);
                    let parts = input.chunks((x.panels.panel_rows * stride).max(1));
                    for (panel, part) in x.panels.panels.iter().zip(parts) {
                        add_interleaved(panel.view(), part, output, stride);
                    }
                });
            }
        }
    }
}

fn dense_product(x: MatRef<'_, f64>, input: &[f64], output: &mut [f64], width: usize) {
    let input = MatRef::from_column_major_slice(input, x.ncols(), width);
    let output = MatMut::from_column_major_slice_mut(output, x.nrows(), width);
    matmul(output, Accum::Replace, x, input, 1.0, Par::Seq);
}

impl ProductBuffers {
    /// A product of `width` vectors in interleaved order, padded to whole tiles: a product with padding is faster
    /// than one with partially filled registers.
    fn interleaved(
        &mut self,
        width: usize,
        (input, output): (&[f64], &mut [f64]),
        product: impl FnOnce(&[f64], &mut [f64], usize),
    ) {
        let stride = width.next_multiple_of(TILE);
        let room = |vectors: usize| vectors / width.max(1) * stride;
        self.input.resize(room(input.len()), 0.0);
        self.output.resize(room(output.len()), 0.0);
        interleave(input, &mut self.input, width);
        product(&self.input, &mut self.output, stride);
        deinterleave(&self.output, output, width);
    }
}

/// Interleaves vectors that are stored one after the other.
fn interleave(input: &[f64], output: &mut [f64], width: usize) {
    let (length, stride) = (input.len() / width.max(1), width.next_multiple_of(TILE));
    for start in (0..length).step_by(TILE) {
        let end = length.min(start + TILE);
        for vector in 0..width {
            let part = &input[vector * length..][start..end];
            for (i, value) in (start..end).zip(part) {
                output[i * stride + vector] = *value;
            }
        }
    }
}

/// Stores interleaved vectors one after the other.
fn deinterleave(input: &[f64], output: &mut [f64], width: usize) {
    let (length, stride) = (output.len() / width.max(1), width.next_multiple_of(TILE));
    for start in (0..length).step_by(TILE) {
        let end = length.min(start + TILE);
        for vector in 0..width {
            let part = &mut output[vector * length..][start..end];
            for (i, value) in (start..end).zip(part) {
                *value = input[i * stride + vector];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// Compares the products of both forms.
    fn assert_same_products(x: &Matrix, sparse: &SparseDesign) {
        let mut stream = Seed::new(3).stream();
        let designs = [DesignMatrix::Dense(x), DesignMatrix::Sparse(sparse)];
        let mut buffers = ProductBuffers::default();
        for width in [1, 3, 8, 40, 7] {
            let mut draw = |length: usize| -> Vec<f64> {
                (0..length * width).map(|_| stream.gaussian()).collect()
            };
            let (coefficients, weights) = (draw(x.columns()), draw(x.rows()));
            let [dense, sparse] = designs.map(|design| {
                let mut margins = vec![f64::NAN; x.rows() * width];
                let mut gradients = vec![f64::NAN; x.columns() * width];
                design.forward(&coefficients, &mut margins, &mut buffers);
                design.backward(&weights, &mut gradients, &mut buffers);
                [margins, gradients].concat()
            });
            for (a, b) in dense.iter().zip(&sparse) {
                assert!((a - b).abs() < 1e-9, "{width}: {a} {b}");
            }
        }
    }

    fn design(rows: usize, columns: usize) -> (Matrix, SparseDesign) {
        let x = Matrix::from_fn(rows, columns, |i, j| {
            if (i + 2 * j) % 3 == 0 {
                (i % 7 + j) as f64
            } else {
                0.0
            }
        });
        let sparse = SparseDesign::new(Csr::from(&x));
        (x, sparse)
    }

    #[test]
    fn sparse_and_dense_designs_have_the_same_products() {
        for rows in [1, 21, PANEL_ROWS, PANEL_ROWS + 1, 3 * PANEL_ROWS - 5] {
            let (x, sparse) = design(rows, 10);
            assert_same_products(&x, &sparse);
        }
    }

    #[test]
    fn panels_have_enough_rows_for_the_cache_and_entries_per_column() {
        let panels = |rows, columns| design(rows, columns).1.panels.iter().len();
        assert_eq!(panels(PANEL_ROWS, 10), 1);
        assert_eq!(panels(3 * PANEL_ROWS, 10), 3);
        let diagonal = Matrix::from_fn(1500, 1500, |i, j| f64::from(u8::from(i == j)));
        assert_eq!(
            SparseDesign::new(Csr::from(&diagonal)).panels.iter().len(),
            1
        );
    }
}
