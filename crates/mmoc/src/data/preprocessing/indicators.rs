//! Columns that say where cells are missing.

use super::{Csr, CsrView, FeaturesView};
use crate::{Error, Result};

/// The columns that have an indicator, ascending. The indicators are columns after all others, in the same order: 1 where
/// the cell is missing, 0 elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Indicators(Vec<u32>);

impl Indicators {
    /// One for each column with missing cells.
    pub(super) fn of(features: FeaturesView<'_>) -> Self {
        let mut has_missing = vec![false; features.columns()];
        features.for_each_stored(|_, column, value| has_missing[column] |= value.is_nan());
        let columns = (0..).zip(has_missing);
        Self(columns.filter_map(|(c, has)| has.then_some(c)).collect())
    }

    /// Indicators of the given columns, of which there are so many.
    pub(super) fn new(indicated: Vec<u32>, columns: usize) -> Result<Self> {
        let refused = |found: String| Error::Dataset {
            expected: format!("indicators of ascending columns below {columns}"),
            found,
        };
        let mut pairs = indicated.iter().zip(indicated.iter().skip(1));
        if let Some((column, next)) = pairs.find(|(column, next)| column >= next) {
            return Err(refused(format!("{next} after {column}")));
        }
        match indicated.last() {
            Some(&last) if last as usize >= columns => Err(refused(last.to_string())),
            _ => Ok(Self(indicated)),
        }
    }

    pub(super) fn columns(&self) -> &[u32] {
        &self.0
    }

    /// Which of them a column has.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        let column = u32::try_from(column).ok()?;
        self.0.binary_search(&column).ok()
    }

    /// Sparse cells with the indicators of the rows that they were computed from.
    pub(super) fn beside(&self, cells: &Csr, raw: CsrView<'_>) -> Result<Csr> {
        let cells = cells.view();
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..raw.rows() {
            let (own_indices, own_values) = cells.row(row);
            indices.extend_from_slice(own_indices);
            values.extend_from_slice(own_values);
            let missing = raw.entries(row).filter(|(_, value)| value.is_nan());
            for place in missing.filter_map(|(column, _)| self.place(column)) {
                indices.push((cells.columns() + place) as u32);
                values.push(1.0);
            }
            offsets.push(indices.len());
        }
        Csr::new(cells.columns() + self.0.len(), offsets, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indicators_are_of_ascending_columns_that_there_are() {
        for good in [&[][..], &[0], &[0, 2], &[0, 1, 2]] {
            assert!(Indicators::new(good.to_vec(), 3).is_ok(), "{good:?}");
        }
        for bad in [&[3][..], &[1, 1], &[2, 0], &[0, u32::MAX]] {
            assert!(Indicators::new(bad.to_vec(), 3).is_err(), "{bad:?}");
        }
    }
}
