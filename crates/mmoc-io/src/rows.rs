//! Rows as they come from a file, collected into the matrices of a data set.

use std::ops::Range;

use super::found_labels::FoundLabels;
use super::marks::Marks;
use super::row_id::RowId;
use super::seen::Seen;
use super::tally::Tally;
use super::vocabulary::TooManyWords;
use super::word_column::{Content, WordColumn};
use super::{Csr, Features, Labels, Matrix, Nominal};
use crate::Error;

/// Collects features and label sets row by row.
///
/// The cells of a row are put in any order, each once at most; those that are left out are zero. So
/// are the labels of a row. A negative zero becomes a positive one, so that the same rows have the same
/// bits however they are stored.
///
/// Where words are found as the rows are read, a column holds their codes.
#[derive(Debug)]
pub(super) struct Rows {
    store: Store,
    label_offsets: Vec<usize>,
    label_members: Vec<u32>,
    /// The words found so far, in columns that hold their codes.
    words: Vec<WordColumn>,
    /// The labels found so far, where labels are codes.
    found_labels: Option<FoundLabels>,
    /// What the rows are called, if that is wanted.
    ids: Option<Vec<RowId>>,
    /// Weights, unknown labels, and rows that are left out.
    marks: Marks,
    /// What the user should know about the cells.
    seen: Seen,
    /// One more than the last column of which a cell was put, be it a zero.
    reach: usize,
    /// Whether a cell of the first column was put, be it a zero.
    has_first: bool,
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
            words: Vec::new(),
            found_labels: None,
            ids: None,
            marks: Marks::default(),
            seen: Seen::default(),
            reach: 0,
            has_first: false,
        }
    }

    /// No rows yet, stored sparse or dense.
    pub(super) fn new(sparse: bool, columns: usize) -> Self {
        if sparse {
            Self::sparse()
        } else {
            Self::dense(columns)
        }
    }

    /// Columns that hold the codes of words to be found; of features that are dense.
    pub(super) fn with_words(mut self, columns: Vec<WordColumn>) -> Self {
        self.words = columns;
        self
    }

    /// Labels that are codes of numbers or tags to be found.
    pub(super) fn with_found_labels(mut self, labels: FoundLabels) -> Self {
        self.found_labels = Some(labels);
        self
    }

    /// Rows that have names.
    pub(super) fn with_ids(mut self) -> Self {
        self.ids = Some(Vec::new());
        self
    }

    /// No rows yet, of the kind of these, and no words found.
    pub(super) fn empty_like(&self) -> Self {
        let empty = match self.store {
            Store::Dense { columns, .. } => Self::dense(columns),
            Store::Sparse { .. } => Self::sparse(),
        };
        Self {
            words: self.words.iter().map(WordColumn::empty_like).collect(),
            found_labels: self.found_labels.as_ref().map(FoundLabels::empty_like),
            ids: self.ids.as_ref().map(|_| Vec::new()),
            ..empty
        }
    }

    /// No rows yet, of the kind of these, and all words that were found.
    pub(super) fn empty_with_words(&self) -> Self {
        Self {
            words: self.words.clone(),
            found_labels: self.found_labels.clone(),
            reach: self.reach,
            ..self.empty_like()
        }
    }

    /// Whether features are stored sparse.
    pub(super) fn is_sparse(&self) -> bool {
        matches!(self.store, Store::Sparse { .. })
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
        self.reach = self.reach.max(column + 1);
        self.has_first |= column == 0;
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

    /// Puts a word of a vocabulary into the present row.
    pub(super) fn put_word(&mut self, vocabulary: usize, word: &str) -> Result<(), TooManyWords> {
        let words = &mut self.words[vocabulary];
        let (column, code) = (words.column, words.code(word)?);
        self.put(column, f64::from(code));
        Ok(())
    }

    /// The column that holds the codes of a vocabulary.
    pub(super) fn columns_of_words(&self, vocabulary: usize) -> Range<usize> {
        let column = self.words[vocabulary].column;
        column..column + 1
    }

    /// What the column of a vocabulary holds, which may be decided now.
    pub(super) fn content(&mut self, vocabulary: usize) -> &mut Content {
        &mut self.words[vocabulary].content
    }

    /// Lets the present row carry the label of a number.
    pub(super) fn add_label_number(&mut self, number: u64) {
        if let Some(FoundLabels::Numbers(numbers)) = &mut self.found_labels
            && let Ok(code) = numbers.code(&number)
        {
            self.label_members.push(code);
        }
    }

    /// Lets the present row carry a tag.
    pub(super) fn add_tag(&mut self, tag: &str) -> Result<(), TooManyWords> {
        if let Some(FoundLabels::Tags(tags)) = &mut self.found_labels {
            let code = tags.code(tag)? as usize;
            if !self.has_label(code) {
                self.add_label(code);
            }
        }
        Ok(())
    }

    /// Says what the present row is called.
    pub(super) fn put_id(&mut self, id: RowId) {
        let present = self.count();
        if let Some(ids) = &mut self.ids {
            ids.resize(present, RowId::default());
            ids.push(id);
        }
    }

    /// What the user should know about the cells.
    pub(super) fn seen(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// Weights, unknown labels, and rows that are left out.
    pub(super) fn marks(&mut self) -> &mut Marks {
        &mut self.marks
    }

    /// Says that a label of the present row is not known.
    pub(super) fn add_unknown(&mut self, label: usize) {
        self.marks.add_unknown(self.count(), label);
    }

    /// Lets the present row carry a label.
    pub(super) fn add_label(&mut self, label: usize) {
        self.label_members.push(label as u32);
    }

    /// Whether the present row carries a label, or a code of one.
    pub(super) fn has_label(&self, label: usize) -> bool {
        let start = self.label_offsets[self.count()];
        self.label_members[start..].contains(&(label as u32))
    }

    /// Ends the present row, or leaves it out if it has the weight 0 or none of its `labels` is known.
    pub(super) fn end_marked_row(&mut self, labels: usize) {
        let present = self.count();
        match self.marks.reason(present, labels) {
            None => self.end_row(),
            Some(reason) => {
                self.forget_present_row();
                self.marks.leave_out(present, reason);
            }
        }
    }

    /// Takes back what was put into the present row.
    pub(super) fn forget_present_row(&mut self) {
        let present = self.count();
        match &mut self.store {
            Store::Dense {
                values, row_start, ..
            } => values.truncate(*row_start),
            Store::Sparse {
                offsets,
                indices,
                values,
            } => {
                indices.truncate(offsets[present]);
                values.truncate(offsets[present]);
            }
        }
        self.label_members.truncate(self.label_offsets[present]);
        self.marks.forget(present);
        if let Some(ids) = &mut self.ids {
            ids.truncate(present);
        }
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
        let count = self.count();
        if let Some(ids) = &mut self.ids {
            ids.resize(count, RowId::default());
        }
    }

    /// Adds the rows of another collection of the same kind; fails if their words are too many together, with none of
    /// the rows added.
    pub(super) fn append(&mut self, other: &Self) -> Result<(), TooManyWords> {
        let words = self.words.iter_mut().zip(&other.words);
        let recoded: Result<Vec<_>, TooManyWords> = words
            .map(|(words, more)| Ok((words.column, words.merge(more)?)))
            .collect();
        let mut recoded = recoded?;
        let labels = match (&mut self.found_labels, &other.found_labels) {
            (Some(labels), Some(more)) => Some(labels.merge(more)?),
            _ => None,
        };
        recoded.retain(|(_, codes)| !codes.is_empty());
        self.marks.append(&other.marks, self.count());
        self.store.append(&other.store, &recoded);
        extend_offsets(&mut self.label_offsets, &other.label_offsets);
        let members = other.label_members.iter();
        match labels {
            Some(codes) => self
                .label_members
                .extend(members.map(|&code| codes[code as usize])),
            None => self.label_members.extend(members),
        }
        if let (Some(ids), Some(more)) = (&mut self.ids, &other.ids) {
            ids.extend_from_slice(more);
        }
        self.seen.add(&other.seen);
        self.reach = self.reach.max(other.reach);
        self.has_first |= other.has_first;
        Ok(())
    }

    /// One more than the last column of which a cell was put, be it a zero.
    pub(super) fn reach(&self) -> usize {
        self.reach
    }

    /// Whether labels are to be found, and none was.
    pub(super) fn lacks_labels(&self) -> bool {
        let found = self.found_labels.as_ref();
        found.is_some_and(|found| found.len() == 0)
    }

    /// The words that were found, with the columns of their codes.
    pub(super) fn take_words(&mut self) -> Vec<WordColumn> {
        std::mem::take(&mut self.words)
    }

    /// What the rows are called, if that was wanted.
    pub(super) fn take_ids(&mut self) -> Option<Vec<RowId>> {
        self.ids.take()
    }

    /// The names of labels that were found, in their order, and for each code its place; from now on these are the
    /// labels' indices.
    pub(super) fn take_found_labels(&mut self) -> Option<(Vec<String>, Vec<u32>)> {
        let (names, ranks) = self.found_labels.take()?.sorted();
        for member in &mut self.label_members {
            *member = ranks[*member as usize];
        }
        for ends in self.label_offsets.windows(2) {
            self.label_members[ends[0]..ends[1]].sort_unstable();
        }
        Some((names, ranks))
    }

    /// Whether some row has a cell of the first column that is not zero, or wrote one; of sparse features.
    pub(super) fn has_first_column(&self) -> bool {
        self.has_first
    }

    /// Drops the first column, which no row has, so that the second becomes the first; of sparse features.
    pub(super) fn drop_first_column(&mut self) {
        if let Store::Sparse { indices, .. } = &mut self.store {
            indices.iter_mut().for_each(|index| *index -= 1);
            self.reach = self.reach.saturating_sub(1);
        }
    }

    /// Puts the columns of words in place of their codes: for each column that holds codes, its list and the place of
    /// each code's word in it.
    pub(super) fn expand(&mut self, lists: &[Option<(&Nominal, Vec<u32>)>]) {
        let Store::Dense {
            values, columns, ..
        } = &mut self.store
        else {
            return;
        };
        let width =
            |list: &Option<(&Nominal, Vec<u32>)>| list.as_ref().map_or(1, |(list, _)| list.width());
        let new_columns: usize = lists.iter().map(width).sum();
        let mut expanded = vec![0.0; self.label_offsets.len().saturating_sub(1) * new_columns];
        let rows = expanded.chunks_exact_mut(new_columns);
        for (row, old) in rows.zip(values.chunks_exact(*columns)) {
            let mut first = 0;
            for (list, &value) in lists.iter().zip(old) {
                let cells = &mut row[first..first + width(list)];
                first += cells.len();
                match list {
                    Some(_) if value.is_nan() => cells.fill(value),
                    Some((list, ranks)) => {
                        let (offset, value) = list.cell(ranks[code(value)] as usize);
                        cells[offset] = value;
                    }
                    None => cells[0] = value,
                }
            }
        }
        *self = Self {
            store: Store::Dense {
                row_start: expanded.len(),
                values: expanded,
                columns: new_columns,
            },
            label_offsets: std::mem::take(&mut self.label_offsets),
            label_members: std::mem::take(&mut self.label_members),
            reach: new_columns,
            ..Self::dense(new_columns)
        };
    }

    /// Counts the rows and forgets them, but not the words that were found.
    pub(super) fn tally(&mut self, tally: &mut Tally) {
        tally.add_rows(self.count(), &self.label_members);
        self.store.tally(tally);
        *self = Self {
            words: std::mem::take(&mut self.words),
            found_labels: self.found_labels.take(),
            seen: std::mem::take(&mut self.seen),
            reach: self.reach,
            has_first: self.has_first,
            ..self.empty_like()
        };
    }

    /// All rows, over so many columns and labels, in the storage that suits them.
    pub(super) fn finish(self, columns: usize, labels: usize) -> Result<(Features, Labels), Error> {
        let (features, labels) = self.finish_as_is(columns, labels)?;
        let features = match features {
            Features::Sparse(sparse) => best_storage(sparse),
            dense @ Features::Dense(_) => dense,
        };
        Ok((features, labels))
    }

    /// All rows, over so many columns and labels, sparse if they were collected so.
    pub(super) fn finish_as_is(
        self,
        columns: usize,
        labels: usize,
    ) -> Result<(Features, Labels), Error> {
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

/// The code that a cell holds.
#[expect(
    clippy::cast_sign_loss,
    reason = "codes are counts, which floats hold exactly"
)]
fn code(cell: f64) -> usize {
    cell as usize
}

impl Store {
    /// Counts the cells.
    fn tally(&self, tally: &mut Tally) {
        match self {
            Self::Dense {
                values, columns, ..
            } => {
                tally.stored += values.len();
                let cells = values.iter().enumerate();
                let missing = cells.filter(|(_, value)| value.is_nan());
                missing.for_each(|(place, _)| tally.add_missing(place % columns));
            }
            Self::Sparse {
                indices, values, ..
            } => {
                tally.stored += values.len();
                let cells = indices.iter().zip(values);
                let missing = cells.filter(|(_, value)| value.is_nan());
                missing.for_each(|(&column, _)| tally.add_missing(column as usize));
            }
        }
    }

    /// Adds rows of the same kind; columns of codes get other codes.
    fn append(&mut self, other: &Self, recoded: &[(usize, Vec<u32>)]) {
        match (self, other) {
            (
                Self::Dense {
                    values,
                    row_start,
                    columns,
                },
                Self::Dense { values: more, .. },
            ) => {
                values.extend_from_slice(more);
                for (column, codes) in recoded {
                    let cells = values[*row_start..].iter_mut();
                    for cell in cells.skip(*column).step_by(*columns) {
                        if !cell.is_nan() {
                            *cell = f64::from(codes[code(*cell)]);
                        }
                    }
                }
                *row_start = values.len();
            }
            (
                Self::Sparse {
                    offsets,
                    indices,
                    values,
                },
                Self::Sparse {
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
    if is_best_sparse(view.stored(), view.rows(), view.columns()) {
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

/// Whether rows of which so many cells are stored are best stored sparse.
pub(super) fn is_best_sparse(stored: usize, rows: usize, columns: usize) -> bool {
    stored <= rows.saturating_mul(columns) / 2
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
                joined.append(&piece).unwrap();
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
