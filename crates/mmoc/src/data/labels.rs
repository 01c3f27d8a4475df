//! Label sets: for each row, the subset of the q labels that it has.

use super::Matrix;
use super::csr::{check_indices, check_offsets};
use crate::Result;

/// The 0/1 label matrix Y, stored as the ascending indices of the ones of each row.
///
/// Rows have few of the labels, so index lists take less memory than a dense matrix and are faster to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    count: usize,
    offsets: Vec<usize>,
    members: Vec<u32>,
}

impl Labels {
    /// Label sets from their arrays: row `i` has the labels `members[offsets[i]..offsets[i + 1]]`, strictly
    /// ascending and below `count`.
    pub fn new(count: usize, offsets: Vec<usize>, members: Vec<u32>) -> Result<Self> {
        check_offsets(&offsets, members.len())?;
        check_indices(count, &offsets, &members)?;
        Ok(Self {
            count,
            offsets,
            members,
        })
    }

    /// The arrays that [`Labels::new`] takes: offsets and members.
    pub fn into_parts(self) -> (Vec<usize>, Vec<u32>) {
        (self.offsets, self.members)
    }

    /// Label sets of `rows` rows over `count` labels from a predicate of row and label.
    pub fn from_fn(rows: usize, count: usize, has: impl Fn(usize, usize) -> bool) -> Self {
        let mut labels = Self::empty(count);
        for row in 0..rows {
            labels.push_row((0..count).filter(|&label| has(row, label)));
        }
        labels
    }

    /// The rows of several label sets over the same `count` labels, concatenated.
    pub(crate) fn concatenated(count: usize, pieces: &[Self]) -> Self {
        let mut all = Self::empty(count);
        all.offsets.reserve(pieces.iter().map(Self::rows).sum());
        all.members.reserve(pieces.iter().map(Self::total).sum());
        for piece in pieces {
            let before = all.members.len();
            let ends = piece.offsets[1..].iter().map(|end| before + end);
            all.offsets.extend(ends);
            all.members.extend_from_slice(&piece.members);
        }
        all
    }

    /// Label sets over `count` labels without rows.
    pub fn empty(count: usize) -> Self {
        Self {
            count,
            offsets: vec![0],
            members: Vec::new(),
        }
    }

    /// Appends a row with the given labels.
    ///
    /// # Panics
    /// If the labels are not strictly ascending or not below the number of labels.
    pub fn push_row(&mut self, labels: impl IntoIterator<Item = usize>) {
        let start = self.members.len();
        self.members
            .extend(labels.into_iter().map(|label| label as u32));
        self.offsets.push(self.members.len());
        let row = &self.members[start..];
        assert!(
            row.is_sorted_by(|a, b| a < b),
            "the labels of a row must be ascending"
        );
        assert!(
            row.last().is_none_or(|&last| (last as usize) < self.count),
            "no such label"
        );
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of labels, q.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The labels of one row, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.members[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The label sets of all rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        (0..self.rows()).map(|row| self.row(row))
    }

    /// Whether a row has a label.
    pub fn contains(&self, row: usize, label: usize) -> bool {
        self.row(row).binary_search(&(label as u32)).is_ok()
    }

    /// Total number of labels of all rows.
    pub fn total(&self) -> usize {
        self.members.len()
    }

    /// Number of rows of each label.
    pub fn frequencies(&self) -> Vec<usize> {
        let mut counts = vec![0; self.count];
        for &label in &self.members {
            counts[label as usize] += 1;
        }
        counts
    }

    /// The rows of each label, ascending.
    pub fn rows_by_label(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.count];
        for (row, labels) in self.iter().enumerate() {
            for &label in labels {
                rows[label as usize].push(row);
            }
        }
        rows
    }

    /// The 0/1 matrix Y, n×q.
    pub fn to_matrix(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.rows(), self.count);
        for (row, labels) in self.iter().enumerate() {
            for &label in labels {
                matrix[(row, label as usize)] = 1.0;
            }
        }
        matrix
    }

    /// A copy of the given rows, in the given order.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut chosen = Self::empty(self.count);
        for &row in rows {
            chosen.members.extend_from_slice(self.row(row));
            chosen.offsets.push(chosen.members.len());
        }
        chosen
    }

    /// A copy restricted to the given labels, ascending, renumbered from zero.
    #[must_use]
    pub fn select_labels(&self, labels: &[usize]) -> Self {
        let mut chosen = Self::empty(labels.len());
        for row in 0..self.rows() {
            chosen.push_row((0..labels.len()).filter(|&new| self.contains(row, labels[new])));
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Labels {
        Labels::new(4, vec![0, 2, 2, 3], vec![0, 3, 1]).unwrap()
    }

    #[test]
    fn rejects_unsorted_repeated_and_unknown_labels() {
        for members in [vec![3, 0], vec![1, 1], vec![0, 4]] {
            assert!(Labels::new(4, vec![0, 2], members).is_err());
        }
    }

    #[test]
    fn from_fn_and_contains_are_inverse() {
        let labels = example();
        let again = Labels::from_fn(3, 4, |row, label| labels.contains(row, label));
        assert_eq!(labels, again);
    }

    #[test]
    fn the_matrix_has_a_one_for_each_label_of_a_row() {
        let expected = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        assert_eq!(example().to_matrix().values(), expected);
    }

    #[test]
    fn frequencies_and_rows_by_label_agree() {
        let labels = example();
        assert_eq!(labels.frequencies(), [1, 1, 0, 1]);
        assert_eq!(labels.rows_by_label(), [vec![0], vec![2], vec![], vec![0]]);
    }

    #[test]
    fn selection_picks_rows_and_labels() {
        let chosen = example().select_rows(&[2, 0]).select_labels(&[1, 3]);
        assert_eq!(chosen, Labels::new(2, vec![0, 1, 2], vec![0, 1]).unwrap());
    }
}
