//! Sparse matrices in compressed row format.

use std::ops::Range;

use super::Matrix;
use crate::{Error, Result, check_size};

/// An owned sparse matrix: the entries of each row by ascending column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Csr {
    columns: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Csr {
    /// A sparse matrix from its arrays: row `i` has the columns `indices[offsets[i]..offsets[i + 1]]`, strictly
    /// ascending, and the corresponding `values`.
    pub fn new(
        columns: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self> {
        CsrView::new(columns, &offsets, &indices, &values)?;
        Ok(Self {
            columns,
            offsets,
            indices,
            values,
        })
    }

    /// A view of the matrix.
    pub fn view(&self) -> CsrView<'_> {
        CsrView {
            columns: self.columns,
            offsets: &self.offsets,
            indices: &self.indices,
            values: &self.values,
        }
    }

    /// The arrays that [`Csr::new`] takes: offsets, indices and values.
    pub fn into_parts(self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        (self.offsets, self.indices, self.values)
    }

    /// All stored values, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

/// The nonzero entries of a matrix.
impl From<&Matrix> for Csr {
    fn from(matrix: &Matrix) -> Self {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..matrix.rows() {
            for (column, &value) in (0..).zip(matrix.row(row)) {
                if value != 0.0 {
                    indices.push(column);
                    values.push(value);
                }
            }
            offsets.push(indices.len());
        }
        Self {
            columns: matrix.columns(),
            offsets,
            indices,
            values,
        }
    }
}

/// A borrowed sparse matrix.
///
/// A range of rows keeps all indices and values of the matrix, with offsets that need not start at zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CsrView<'a> {
    columns: usize,
    offsets: &'a [usize],
    indices: &'a [u32],
    values: &'a [f64],
}

impl<'a> CsrView<'a> {
    /// A view of the three arrays of [`Csr::new`].
    pub fn new(
        columns: usize,
        offsets: &'a [usize],
        indices: &'a [u32],
        values: &'a [f64],
    ) -> Result<Self> {
        check_offsets(offsets, indices.len())?;
        check_indices(columns, offsets, indices)?;
        check_size("numbers in a sparse matrix", indices.len(), values.len())?;
        Ok(Self {
            columns,
            offsets,
            indices,
            values,
        })
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn stored(self) -> usize {
        self.values().len()
    }

    /// All stored values.
    pub fn values(self) -> &'a [f64] {
        &self.values[self.offsets[0]..self.offsets[self.rows()]]
    }

    /// A view of consecutive rows.
    ///
    /// # Panics
    /// If the range exceeds the number of rows.
    #[must_use]
    pub fn rows_in(self, rows: Range<usize>) -> Self {
        Self {
            offsets: &self.offsets[rows.start..=rows.end],
            ..self
        }
    }

    /// The columns and values of one row.
    pub fn row(self, row: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The entries of one row as pairs of column and value.
    pub fn entries(self, row: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + 'a {
        let (indices, values) = self.row(row);
        indices
            .iter()
            .zip(values)
            .map(|(&column, &value)| (column as usize, value))
    }

    /// The transposed matrix.
    pub fn transposed(self) -> Csr {
        let mut offsets = vec![0; self.columns + 1];
        for row in 0..self.rows() {
            for &column in self.row(row).0 {
                offsets[column as usize + 1] += 1;
            }
        }
        for column in 0..self.columns {
            offsets[column + 1] += offsets[column];
        }
        let mut next = offsets.clone();
        let (mut indices, mut values) = (vec![0; self.stored()], vec![0.0; self.stored()]);
        for row in 0..self.rows() {
            for (column, value) in self.entries(row) {
                indices[next[column]] = row as u32;
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        Csr {
            columns: self.rows(),
            offsets,
            indices,
            values,
        }
    }

    /// A copy of the given rows, in the given order.
    pub fn select_rows(self, rows: &[usize]) -> Csr {
        let mut chosen = Csr {
            columns: self.columns,
            offsets: vec![0],
            ..Csr::default()
        };
        for &row in rows {
            let (indices, values) = self.row(row);
            chosen.indices.extend_from_slice(indices);
            chosen.values.extend_from_slice(values);
            chosen.offsets.push(chosen.indices.len());
        }
        chosen
    }
}

/// Row offsets must start at zero, never decrease, and end at the number of entries.
pub(super) fn check_offsets(offsets: &[usize], entries: usize) -> Result<()> {
    let ordered = offsets.first() == Some(&0) && offsets.is_sorted();
    match offsets.last() {
        Some(&last) if ordered && last == entries => Ok(()),
        last => Err(Error::Dataset {
            expected: format!("nondecreasing row offsets from 0 to {entries}"),
            found: format!("{} offsets that end in {last:?}", offsets.len()),
        }),
    }
}

/// Column indices must be strictly ascending in each row and below the number of columns.
pub(super) fn check_indices(columns: usize, offsets: &[usize], indices: &[u32]) -> Result<()> {
    for (row, bounds) in offsets.windows(2).enumerate() {
        let row_indices = &indices[bounds[0]..bounds[1]];
        let ascending = row_indices.windows(2).all(|pair| pair[0] < pair[1]);
        let below = row_indices
            .last()
            .is_none_or(|&last| (last as usize) < columns);
        if !ascending || !below {
            return Err(Error::Dataset {
                expected: format!("strictly ascending column indices below {columns}"),
                found: format!("{row_indices:?} in row {row}"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_inconsistent_arrays() {
        let good = Csr::new(3, vec![0, 2, 2], vec![0, 2], vec![1.0, 2.0]);
        assert!(good.is_ok());
        let bad = [
            Csr::new(3, vec![], vec![], vec![]),
            Csr::new(3, vec![1, 2], vec![0, 2], vec![1.0, 2.0]),
            Csr::new(3, vec![0, 2, 1], vec![0, 2], vec![1.0, 2.0]),
            Csr::new(3, vec![0, 3], vec![0, 2], vec![1.0, 2.0]),
            Csr::new(2, vec![0, 2], vec![0, 2], vec![1.0, 2.0]),
            Csr::new(3, vec![0, 2], vec![2, 0], vec![1.0, 2.0]),
            Csr::new(3, vec![0, 2], vec![1, 1], vec![1.0, 2.0]),
            Csr::new(3, vec![0, 2], vec![0, 2], vec![1.0]),
        ];
        assert!(bad.iter().all(Result::is_err), "{bad:?}");
    }

    #[test]
    fn a_view_of_rows_equals_a_copy_of_them() {
        let matrix = Csr::new(3, vec![0, 1, 1, 3], vec![1, 0, 2], vec![5.0, 6.0, 7.0]).unwrap();
        for range in [0..0, 0..1, 1..3, 2..3, 0..3, 3..3] {
            let some = matrix.view().rows_in(range.clone());
            let all: Vec<usize> = (0..some.rows()).collect();
            let copied = matrix.view().select_rows(&range.collect::<Vec<_>>());
            assert_eq!(some.select_rows(&all), copied);
            assert_eq!(some.values(), copied.view().values());
            assert_eq!(some.stored(), copied.view().stored());
        }
    }

    #[test]
    fn selected_rows_keep_their_order() {
        let matrix = Csr::new(3, vec![0, 1, 1, 3], vec![1, 0, 2], vec![5.0, 6.0, 7.0]).unwrap();
        let chosen = matrix.view().select_rows(&[2, 1, 0]);
        let expected = Csr::new(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![6.0, 7.0, 5.0]).unwrap();
        assert_eq!(chosen, expected);
    }
}
