//! Features, dense or sparse.

use std::ops::Range;

use super::{Csr, CsrView, Matrix, MatrixView};

/// The features of some rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Every value is stored.
    Dense(Matrix),
    /// Only nonzero values are stored.
    Sparse(Csr),
}

impl Features {
    /// A view of the features.
    pub fn view(&self) -> FeaturesView<'_> {
        match self {
            Self::Dense(matrix) => FeaturesView::Dense(matrix.view()),
            Self::Sparse(matrix) => FeaturesView::Sparse(matrix.view()),
        }
    }
}

/// Borrowed features, the input of learning and prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeaturesView<'a> {
    /// Every value is stored.
    Dense(MatrixView<'a>),
    /// Only nonzero values are stored.
    Sparse(CsrView<'a>),
}

impl<'a> FeaturesView<'a> {
    /// Number of rows.
    pub fn rows(self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.rows(),
            Self::Sparse(matrix) => matrix.rows(),
        }
    }

    /// Number of columns.
    pub fn columns(self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.columns(),
            Self::Sparse(matrix) => matrix.columns(),
        }
    }

    /// A view of consecutive rows.
    ///
    /// # Panics
    /// If the range exceeds the number of rows.
    #[must_use]
    pub fn rows_in(self, rows: Range<usize>) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.rows_in(rows)),
            Self::Sparse(matrix) => Self::Sparse(matrix.rows_in(rows)),
        }
    }

    /// A copy of the given rows, in the given order.
    pub fn select_rows(self, rows: &[usize]) -> Features {
        match self {
            Self::Dense(matrix) => Features::Dense(matrix.select_rows(rows)),
            Self::Sparse(matrix) => Features::Sparse(matrix.select_rows(rows)),
        }
    }

    /// Calls `visit(column, value)` for every stored value of a row.
    pub fn for_each_in_row(self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(matrix) => {
                for (column, &value) in matrix.row(row).iter().enumerate() {
                    visit(column, value);
                }
            }
            Self::Sparse(matrix) => {
                for (column, value) in matrix.entries(row) {
                    visit(column, value);
                }
            }
        }
    }

    /// Calls `visit(row, column, value)` for every stored value, row by row.
    pub fn for_each_stored(self, mut visit: impl FnMut(usize, usize, f64)) {
        for row in 0..self.rows() {
            self.for_each_in_row(row, |column, value| visit(row, column, value));
        }
    }

    /// All stored values, row by row.
    pub fn stored_values(self) -> &'a [f64] {
        match self {
            Self::Dense(matrix) => matrix.values(),
            Self::Sparse(matrix) => matrix.values(),
        }
    }
}
