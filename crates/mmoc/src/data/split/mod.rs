//! Which rows to train on and which to test on.
//!
//! Every split depends on its seed alone; the algorithms draw nothing else at random.

mod random;
mod stratified;

pub use random::{k_folds, random_split};
pub use stratified::{stratified_folds, stratified_split};

use crate::{Error, Result};

/// Rows to train on and rows to test on: ascending, disjoint, together all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to train on.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

impl Split {
    /// The split of `rows` rows that tests on those chosen by `tests`.
    fn new(rows: usize, tests: impl Fn(usize) -> bool) -> Self {
        let (test, train) = (0..rows).partition(|&row| tests(row));
        Self { train, test }
    }
}

/// A partition of the rows into folds, each of which is the test set of one split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_row: Vec<usize>,
    count: usize,
}

impl Folds {
    /// Folds given by the number of the fold of each row. Every number below the largest must occur.
    pub fn new(of_row: Vec<usize>) -> Result<Self> {
        let count = of_row.iter().max().map_or(0, |last| last.saturating_add(1));
        check_folds(of_row.len(), count)?;
        match (0..count).find(|fold| !of_row.contains(fold)) {
            None => Ok(Self { of_row, count }),
            Some(fold) => Err(Error::Dataset {
                expected: "a row in every fold".into(),
                found: format!("none in fold {fold}"),
            }),
        }
    }

    /// Number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of each row, counted from zero.
    pub fn of_row(&self) -> &[usize] {
        &self.of_row
    }

    /// The rows of one fold, ascending.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn rows(&self, fold: usize) -> Vec<usize> {
        self.split(fold).test
    }

    /// The split that tests on one fold and trains on all others.
    ///
    /// # Panics
    /// If there is no such fold.
    pub fn split(&self, fold: usize) -> Split {
        assert!(fold < self.count, "no such fold");
        Split::new(self.of_row.len(), |row| self.of_row[row] == fold)
    }

    /// The splits of all folds, in order.
    pub fn splits(&self) -> impl ExactSizeIterator<Item = Split> + '_ {
        (0..self.count).map(|fold| self.split(fold))
    }
}

/// Both sides of a split need a row.
fn check_train_size(rows: usize, train_size: usize) -> Result<()> {
    check_range(
        "the number of training rows",
        1,
        rows.saturating_sub(1),
        train_size,
    )
}

/// There is no training set with one fold, and no test set with more folds than rows.
fn check_folds(rows: usize, folds: usize) -> Result<()> {
    check_range("the number of folds", 2, rows, folds)
}

fn check_range(parameter: &'static str, low: usize, high: usize, found: usize) -> Result<()> {
    if (low..=high).contains(&found) {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter,
        expected: format!("from {low} to {high} for this number of rows"),
        found: found.to_string(),
    })
}
