//! Rows as they come from a file, collected into the matrices of a data set.

use super::{Csr, Features, Labels, Matrix};
use crate::Result;

/// Collects features and label sets row by row.
///
/// The cells of a row are put in any order, each once at most; those that are left out are zero. So
/// are the labels of a row. A negative zero becomes a positive one, so that the same rows have the same
/// bits however they are stored.
#[derive(Debug)]
pub(super) struct Rows {
    store: Store,
    label_offsets: Vec<usize>,
    label_members: Vec<u32>,
}

#[derive(Debug)]
enum Store {
    Dense {
        values: Vec<f64>,
        row_start: usize,
        columns: usize,
    },
    Sparse {
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    },
}

impl Rows {
    /// No rows yet, with features that will be dense.
    pub(super) fn dense(columns: usize) -> Self {
        Self::with(Store::Dense {
            values: Vec::new(),
            row_start: 0,
            columns,
        })
    }

    /// No rows yet, with features that will be sparse.
    pub(super) fn sparse() -> Self {
        Self::with(Store::Sparse {
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        })
    }

    fn with(store: Store) -> Self {
        Self {
            store,
            label_offsets: vec![0],
            label_members: Vec::new(),
        }
    }

    /// No rows yet, of the kind of these.
    pub(super) fn empty_like(&self) -> Self {
        match self.store {
            Store::Dense { columns, .. } => Self::dense(columns),
            Store::Sparse { .. } => Self::sparse(),
        }
    }

    /// Number of rows ended.
    pub(super) fn count(&self) -> usize {
        self.label_offsets.len() - 1
    }

    /// Number of cells and labels stored.
    pub(super) fn stored(&self) -> usize {
        let (Store::Dense { values, .. } | Store::Sparse { values, .. }) = &self.store;
        values.len() + self.label_members.len()
    }

    /// Puts a number into the present row.
    #[inline]
    pub(super) fn put(&mut self, column: usize, value: f64) {
        match &mut self.store {
            Store::Dense {
                values, row_start, ..
            } => {
                let place = *row_start + column;
                let value = value + 0.0;
                if place < values.len() {
                    values[place] = value;
                } else {
                    values.resize(place, 0.0);
                    values.push(value);
                }
            }
            Store::Sparse {
                indices, values, ..
            } => {
                if value != 0.0 {
                    indices.push(column as u32);
                    values.push(value);
                }
            }
        }
    }

    /// Lets the present row carry a label.
    pub(super) fn add_label(&mut self, label: usize) {
        self.label_members.push(label as u32);
    }

    /// Ends the present row.
    pub(super) fn end_row(&mut self) {
        match &mut self.store {
            Store::Dense {
                values,
                row_start,
                columns,
            } => {
                *row_start += *columns;
                values.resize(*row_start, 0.0);
            }
            Store::Sparse {
                offsets,
                indices,
                values,
            } => {
                let start = offsets[offsets.len() - 1];
                sort_entries(&mut indices[start..], &mut values[start..]);
                offsets.push(indices.len());
            }
        }
        let start = self.label_offsets[self.count()];
        self.label_members[start..].sort_unstable();
        self.label_offsets.push(self.label_members.len());
    }

    /// Adds the rows of another collection of the same kind.
    pub(super) fn append(&mut self, other: &Self) {
        match (&mut self.store, &other.store) {
            (
                Store::Dense {
                    values, row_start, ..
                },
                Store::Dense { values: more, .. },
            ) => {
                values.extend_from_slice(more);
                *row_start = values.len();
            }
            (
                Store::Sparse {
                    offsets,
                    indices,
                    values,
                },
                Store::Sparse {
                    offsets: more,
                    indices: more_indices,
                    values: more_values,
                },
            ) => {
                extend_offsets(offsets, more);
                indices.extend_from_slice(more_indices);
                values.extend_from_slice(more_values);
            }
            _ => unreachable!("collections of one kind"),
        }
        extend_offsets(&mut self.label_offsets, &other.label_offsets);
        self.label_members.extend_from_slice(&other.label_members);
    }

    /// All rows, over so many columns and labels, in the storage that suits them.
    pub(super) fn finish(self, columns: usize, labels: usize) -> Result<(Features, Labels)> {
        let (features, labels) = self.finish_as_is(columns, labels)?;
        let features = match features {
            Features::Sparse(sparse) => best_storage(sparse),
            dense @ Features::Dense(_) => dense,
        };
        Ok((features, labels))
    }

    /// All rows, over so many columns and labels, sparse if they were collected so.
    pub(super) fn finish_as_is(self, columns: usize, labels: usize) -> Result<(Features, Labels)> {
        let count = self.count();
        let features = match self.store {
            Store::Dense { values, .. } => Features::Dense(Matrix::new(count, columns, values)?),
            Store::Sparse {
                offsets,
                indices,
                values,
            } => Features::Sparse(Csr::new(columns, offsets, indices, values)?),
        };
        let labels = Labels::new(labels, self.label_offsets, self.label_members)?;
        Ok((features, labels))
    }
}

/// Brings the entries of a row into the order of their columns.
fn sort_entries(indices: &mut [u32], values: &mut [f64]) {
    if indices.is_sorted() {
        return;
    }
    let mut entries: Vec<(u32, f64)> = indices
        .iter()
        .copied()
        .zip(values.iter().copied())
        .collect();
    entries.sort_unstable_by_key(|&(index, _)| index);
    for (place, (index, value)) in entries.into_iter().enumerate() {
        indices[place] = index;
        values[place] = value;
    }
}

/// The offsets of rows that follow others.
fn extend_offsets(offsets: &mut Vec<usize>, more: &[usize]) {
    let before = offsets[offsets.len() - 1];
    offsets.extend(more[1..].iter().map(|end| before + end));
}

/// Sparse rows as they are, or dense if they are more than half full: that takes less room, and learners are
/// at their best with dense features that can be centred.
fn best_storage(sparse: Csr) -> Features {
    let view = sparse.view();
    let cells = view.rows().saturating_mul(view.columns());
    if view.stored() <= cells / 2 {
        return Features::Sparse(sparse);
    }
    let mut dense = Matrix::zeros(view.rows(), view.columns());
    for row in 0..view.rows() {
        for (column, value) in view.entries(row) {
            dense[(row, column)] = value;
        }
    }
    Features::Dense(dense)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(mut rows: Rows) -> Features {
        rows.put(1, 5.0);
        rows.end_row();
        rows.put(0, 0.0);
        rows.put(2, f64::MIN_POSITIVE);
        rows.add_label(1);
        rows.end_row();
        let (features, labels) = rows.finish(3, 2).unwrap();
        assert_eq!(labels, Labels::new(2, vec![0, 0, 1], vec![1]).unwrap());
        features
    }

    #[test]
    fn dense_and_sparse_rows_hold_the_same_numbers() {
        let values = vec![0.0, 5.0, 0.0, 0.0, 0.0, f64::MIN_POSITIVE];
        let dense = Matrix::new(2, 3, values).unwrap();
        assert_eq!(fill(Rows::dense(3)), Features::Dense(dense));
        let sparse = Csr::new(3, vec![0, 1, 2], vec![1, 2], vec![5.0, f64::MIN_POSITIVE]);
        assert_eq!(fill(Rows::sparse()), Features::Sparse(sparse.unwrap()));
    }

    #[test]
    fn cells_and_labels_come_in_any_order() {
        for empty in [Rows::dense(3), Rows::sparse()] {
            let collect = |columns: [usize; 3], labels: [usize; 2]| {
                let mut rows = empty.empty_like();
                for column in columns {
                    rows.put(column, [-0.0, 5.0, 7.0][column]);
                }
                labels.into_iter().for_each(|label| rows.add_label(label));
                rows.end_row();
                rows.finish_as_is(3, 2).unwrap()
            };
            let (features, labels) = collect([2, 0, 1], [1, 0]);
            assert_eq!((features.clone(), labels), collect([0, 1, 2], [0, 1]));
            let signs = features.view().stored_values().iter();
            assert!(signs.copied().all(f64::is_sign_positive), "{features:?}");
        }
    }

    #[test]
    fn appended_rows_follow_the_others() {
        for empty in [Rows::dense(2), Rows::sparse()] {
            let put = |rows: &mut Rows, value: f64| {
                rows.put(1, value);
                rows.add_label(usize::from(value > 2.0));
                rows.end_row();
            };
            let mut all = empty.empty_like();
            (1..5).for_each(|value| put(&mut all, f64::from(value)));
            let mut joined = empty.empty_like();
            for values in [1..3, 3..3, 3..5] {
                let mut piece = empty.empty_like();
                values.for_each(|value| put(&mut piece, f64::from(value)));
                joined.append(&piece);
            }
            let (all, joined) = (all.finish_as_is(2, 2), joined.finish_as_is(2, 2));
            assert_eq!(joined.unwrap(), all.unwrap());
        }
    }

    #[test]
    fn sparse_rows_that_are_more_than_half_full_become_dense() {
        for (stored, becomes_dense) in [(2, false), (3, true)] {
            let mut rows = Rows::sparse();
            (0..stored).for_each(|column| rows.put(column, 1.0 + column as f64));
            rows.end_row();
            let (features, _) = rows.finish(4, 1).unwrap();
            assert_eq!(
                matches!(features, Features::Dense(_)),
                becomes_dense,
                "{stored} of 4"
            );
            let mut sum = 0.0;
            features
                .view()
                .for_each_stored(|_, column, value| sum += value * (column + 1) as f64);
            let squares: usize = (1..=stored).map(|k| k * k).sum();
            assert_eq!(sum, squares as f64);
        }
    }
}
