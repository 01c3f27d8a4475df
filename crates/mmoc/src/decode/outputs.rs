//! What a decoder is given of each row.

use std::ops::Range;

use crate::Result;
use crate::data::{Csr, Matrix};

/// The outputs of a model for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Functions of the features, n×m.
    pub numbers: Matrix,
    /// What each term about whole label sets adds to its candidates, n×candidates; only a posterior has such terms.
    pub of_sets: Vec<Csr>,
}

impl From<Matrix> for Outputs {
    fn from(numbers: Matrix) -> Self {
        Self {
            numbers,
            of_sets: Vec::new(),
        }
    }
}

impl Outputs {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }

    /// A copy of the given rows, in the given order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let of_sets = self.of_sets.iter();
        Self {
            numbers: self.numbers.view().select_rows(rows),
            of_sets: of_sets.map(|own| own.view().select_rows(rows)).collect(),
        }
    }

    /// The outputs of several parts of a model for the same rows, side by side.
    pub(crate) fn side_by_side<'a>(
        numbers: &[&Matrix],
        of_sets: impl IntoIterator<Item = &'a Csr>,
    ) -> Result<Self> {
        Ok(Self {
            numbers: Matrix::hstack(numbers)?,
            of_sets: of_sets.into_iter().cloned().collect(),
        })
    }
}

/// A copy of consecutive rows of each matrix.
pub(crate) fn rows_of_sets(of_sets: &[Csr], rows: &Range<usize>) -> Vec<Csr> {
    let rows: Vec<usize> = rows.clone().collect();
    let of_sets = of_sets.iter();
    of_sets.map(|own| own.view().select_rows(&rows)).collect()
}
