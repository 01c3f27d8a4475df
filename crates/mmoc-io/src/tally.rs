//! What is counted of rows that are not kept.

/// What is counted of rows that are not kept.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Number of cells of features that are stored.
    pub(crate) stored: usize,
    /// For each column, whether it has a missing cell.
    pub(crate) missing: Vec<bool>,
    /// For each label, or code of a label, how many rows carry it.
    pub(crate) frequencies: Vec<usize>,
}

impl Tally {
    /// Counts rows that carry these labels together.
    pub(crate) fn add_rows(&mut self, count: usize, labels: &[u32]) {
        self.rows += count;
        for &label in labels {
            let label = label as usize;
            if label >= self.frequencies.len() {
                self.frequencies.resize(label + 1, 0);
            }
            self.frequencies[label] += 1;
        }
    }

    /// Notes that a column has a missing cell.
    pub(crate) fn add_missing(&mut self, column: usize) {
        if column >= self.missing.len() {
            self.missing.resize(column + 1, false);
        }
        self.missing[column] = true;
    }
}
