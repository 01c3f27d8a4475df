//! The matrix of a set of regressions that advance together: products with a block of vectors.
//!
//! A block holds its vectors one after the other. One product with a block of twenty vectors costs a
//! fraction of twenty products with one vector, because the matrix is read once.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::product::faer_view;
use super::sparse::{add_side_by_side, multiply_side_by_side};
use crate::data::{Csr, CsrView, Matrix};

/// Rows of a panel: those of forty vectors are a third of a megabyte.
const PANEL_ROWS: usize = 1024;
/// Entries that a column has in a panel, in the mean: with fewer, where they begin would take more memory than they do.
const PANEL_ENTRIES: usize = 8;
/// Numbers of a vector that are moved together where a block is turned, and vectors that are multiplied together: as many as
/// fill a line of the cache, and a register where registers are large.
const TILE: usize = 8;

/// The rows of a regression, dense or sparse.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Design<'a> {
    Dense(&'a Matrix),
    Sparse(&'a SparseDesign),
}

/// A sparse matrix by its rows, for products with X, and by its columns, for products with Xᵀ.
///
/// A column has entries all over its rows, and what they multiply should be in the cache. So columns are cut into
/// panels of some rows each, and products with Xᵀ are added up panel by panel.
#[derive(Debug, Clone)]
pub(crate) struct SparseDesign {
    rows: Csr,
    panel_rows: usize,
    panels: Vec<Csr>,
}

impl SparseDesign {
    pub(crate) fn new(rows: Csr) -> Self {
        let panel_rows = panel_rows(rows.view());
        let panels = (0..rows.view().rows()).step_by(panel_rows).map(|first| {
            let end = rows.view().rows().min(first + panel_rows);
            rows.view().rows_in(first..end).transposed()
        });
        Self {
            panels: panels.collect(),
            panel_rows,
            rows,
        }
    }

    pub(crate) fn rows(&self) -> CsrView<'_> {
        self.rows.view()
    }
}

fn panel_rows(x: CsrView<'_>) -> usize {
    let most = (x.stored() / (PANEL_ENTRIES * x.columns()).max(1)).max(1);
    let panels = x.rows().div_ceil(PANEL_ROWS).min(most);
    x.rows().div_ceil(panels.max(1)).max(1)
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
            Self::Sparse(x) => {
                workspace.side_by_side(width, (input, output), |input, output, stride| {
                    multiply_side_by_side(x.rows.view(), input, output, stride);
                });
            }
        }
    }

    /// `output = Xᵀ·input` for a block of vectors.
    pub(crate) fn backward(self, input: &[f64], output: &mut [f64], workspace: &mut Workspace) {
        let width = input.len() / self.rows();
        match self {
            Self::Dense(x) => dense_product(faer_view(x.view()).transpose(), input, output, width),
            Self::Sparse(x) => {
                workspace.side_by_side(width, (input, output), |input, output, stride| {
                    output.fill(0.0);
                    let parts = input.chunks((x.panel_rows * stride).max(1));
                    for (panel, part) in x.panels.iter().zip(parts) {
                        add_side_by_side(panel.view(), part, output, stride);
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

impl Workspace {
    /// A product of `width` vectors by way of blocks in which they lie side by side, and with them as many more as make
    /// their number one of whole tiles: a product with those takes less time than one with a part of a register.
    fn side_by_side(
        &mut self,
        width: usize,
        (input, output): (&[f64], &mut [f64]),
        product: impl FnOnce(&[f64], &mut [f64], usize),
    ) {
        let stride = width.next_multiple_of(TILE);
        let room = |vectors: usize| vectors / width.max(1) * stride;
        self.input.resize(room(input.len()), 0.0);
        self.output.resize(room(output.len()), 0.0);
        put_side_by_side(input, &mut self.input, width);
        product(&self.input, &mut self.output, stride);
        put_in_line(&self.output, output, width);
    }
}

/// Turns vectors that lie one after the other into vectors that lie side by side.
fn put_side_by_side(input: &[f64], output: &mut [f64], width: usize) {
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

/// Turns vectors that lie side by side into vectors that lie one after the other.
fn put_in_line(input: &[f64], output: &mut [f64], width: usize) {
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
        let designs = [Design::Dense(x), Design::Sparse(sparse)];
        let mut workspace = Workspace::default();
        for width in [1, 3, 8, 40, 7] {
            let mut draw = |length: usize| -> Vec<f64> {
                (0..length * width).map(|_| stream.gaussian()).collect()
            };
            let (coefficients, weights) = (draw(x.columns()), draw(x.rows()));
            let [dense, sparse] = designs.map(|design| {
                let mut margins = vec![f64::NAN; x.rows() * width];
                let mut gradients = vec![f64::NAN; x.columns() * width];
                design.forward(&coefficients, &mut margins, &mut workspace);
                design.backward(&weights, &mut gradients, &mut workspace);
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
    fn panels_have_rows_for_the_cache_and_entries_worth_the_memory() {
        let panels = |rows, columns| design(rows, columns).1.panels.len();
        assert_eq!(panels(PANEL_ROWS, 10), 1);
        assert_eq!(panels(3 * PANEL_ROWS, 10), 3);
        let diagonal = Matrix::from_fn(1500, 1500, |i, j| f64::from(u8::from(i == j)));
        assert_eq!(SparseDesign::new(Csr::from(&diagonal)).panels.len(), 1);
    }
}
