//! Dense row-major matrices, the layout of `NumPy` arrays.

use std::ops::Range;

use crate::{Error, Result, check_size};

/// An owned dense matrix, row-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix from its values, row by row.
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Result<Self> {
        check_length(rows, columns, values.len())?;
        Ok(Self {
            rows,
            columns,
            values,
        })
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    /// A matrix with entries computed from their row and column, row by row.
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            values.extend((0..columns).map(|column| entry(row, column)));
        }
        Self {
            rows,
            columns,
            values,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row by row, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// All values, row by row.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The values of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// The values of one row, mutable.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..][..self.columns]
    }

    /// The values of one column, from the first row to the last.
    pub fn column(&self, column: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.rows).map(move |row| self[(row, column)])
    }

    /// The columns of several matrices with the same number of rows, concatenated.
    pub fn hstack(parts: &[&Self]) -> Result<Self> {
        let rows = parts.first().map_or(0, |part| part.rows);
        for part in parts {
            check_size("rows of matrices to concatenate", rows, part.rows)?;
        }
        let columns = parts.iter().map(|part| part.columns).sum();
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            parts
                .iter()
                .for_each(|part| values.extend_from_slice(part.row(row)));
        }
        Self::new(rows, columns, values)
    }

    /// A copy of consecutive columns.
    ///
    /// # Panics
    /// If the range exceeds the number of columns.
    #[must_use]
    pub fn select_columns(&self, columns: Range<usize>) -> Self {
        let width = columns.len();
        let rows = (0..self.rows).flat_map(|row| &self.row(row)[columns.clone()]);
        Self {
            rows: self.rows,
            columns: width,
            values: rows.copied().collect(),
        }
    }

    /// A view of the matrix.
    pub fn view(&self) -> MatrixView<'_> {
        MatrixView {
            rows: self.rows,
            columns: self.columns,
            values: &self.values,
        }
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.columns + column]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }
}

/// A borrowed dense matrix, row-major.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatrixView<'a> {
    rows: usize,
    columns: usize,
    values: &'a [f64],
}

impl<'a> MatrixView<'a> {
    /// A view of values in row-major order.
    pub fn new(rows: usize, columns: usize, values: &'a [f64]) -> Result<Self> {
        check_length(rows, columns, values.len())?;
        Ok(Self {
            rows,
            columns,
            values,
        })
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// All values, row by row.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// The values of one row.
    pub fn row(self, row: usize) -> &'a [f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// A view of consecutive rows.
    ///
    /// # Panics
    /// If the range exceeds the number of rows.
    #[must_use]
    pub fn rows_in(self, rows: Range<usize>) -> Self {
        Self {
            rows: rows.len(),
            values: &self.values[rows.start * self.columns..rows.end * self.columns],
            ..self
        }
    }

    /// A copy of the given rows, in the given order.
    pub fn select_rows(self, rows: &[usize]) -> Matrix {
        let values = rows
            .iter()
            .flat_map(|&row| self.row(row))
            .copied()
            .collect();
        Matrix {
            rows: rows.len(),
            columns: self.columns,
            values,
        }
    }
}

fn check_length(rows: usize, columns: usize, found: usize) -> Result<()> {
    match rows.checked_mul(columns) {
        Some(expected) if expected == found => Ok(()),
        expected => Err(Error::Shape {
            what: "values of a dense matrix",
            expected: expected.unwrap_or(usize::MAX),
            found,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_wrong_number_of_entries() {
        assert!(Matrix::new(2, 3, vec![0.0; 5]).is_err());
        assert!(MatrixView::new(usize::MAX, 2, &[]).is_err());
    }

    #[test]
    fn selected_rows_keep_their_order() {
        let matrix = Matrix::from_fn(3, 2, |row, column| (10 * row + column) as f64);
        let chosen = matrix.view().select_rows(&[2, 0]);
        assert_eq!(chosen.values(), [20.0, 21.0, 0.0, 1.0]);
    }

    #[test]
    fn hstack_restores_separated_columns() {
        let matrix = Matrix::from_fn(3, 5, |row, column| (10 * row + column) as f64);
        let parts = [0..2, 2..2, 2..5].map(|columns| matrix.select_columns(columns));
        assert_eq!(parts[2].row(1), [12.0, 13.0, 14.0]);
        let again = Matrix::hstack(&[&parts[0], &parts[1], &parts[2]]).unwrap();
        assert_eq!(again, matrix);
        assert!(Matrix::hstack(&[&matrix, &Matrix::zeros(2, 1)]).is_err());
    }
}
