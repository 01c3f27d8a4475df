//! A data set column by column, as Parquet stores it.

use std::ops::Range;

use crate::{CsrView, Dataset, FeaturesView};

/// The features of a data set, ready to be read by columns.
pub(super) struct Columns<'a> {
    dataset: &'a Dataset,
    /// The entries of each column by ascending row, where the features are sparse.
    entries: Option<Vec<Vec<(u32, f64)>>>,
    /// Whether a feature has missing cells.
    pub(super) missing: Vec<bool>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let features = dataset.features().view();
        let mut missing = vec![false; dataset.columns()];
        features.for_each_stored(|_, column, value| missing[column] |= value.is_nan());
        let entries = match features {
            FeaturesView::Dense(_) => None,
            FeaturesView::Sparse(matrix) => Some(by_column(matrix)),
        };
        Self {
            dataset,
            entries,
            missing,
        }
    }

    /// Some rows of a feature.
    pub(super) fn feature(&self, column: usize, rows: Range<usize>) -> Vec<f64> {
        match (self.dataset.features().view(), &self.entries) {
            (FeaturesView::Dense(matrix), _) => rows.map(|row| matrix.row(row)[column]).collect(),
            (_, Some(entries)) => spread(&entries[column], rows),
            (FeaturesView::Sparse(_), None) => unreachable!("sparse features were sorted above"),
        }
    }

    /// Some rows of a label.
    pub(super) fn label(&self, label: usize, rows: Range<usize>) -> Vec<bool> {
        let labels = self.dataset.labels();
        rows.map(|row| labels.contains(row, label)).collect()
    }
}

fn by_column(matrix: CsrView<'_>) -> Vec<Vec<(u32, f64)>> {
    let mut columns = vec![Vec::new(); matrix.columns()];
    for row in 0..matrix.rows() {
        for (column, value) in matrix.entries(row) {
            columns[column].push((row as u32, value));
        }
    }
    columns
}

/// The entries of some rows among zeros.
fn spread(entries: &[(u32, f64)], rows: Range<usize>) -> Vec<f64> {
    let place = |row: usize| entries.partition_point(|&(at, _)| (at as usize) < row);
    let mut values = vec![0.0; rows.len()];
    for &(row, value) in &entries[place(rows.start)..place(rows.end)] {
        values[row as usize - rows.start] = value;
    }
    values
}
