//! Splits into training and test rows.
//!
//! A split depends only on the data and its seed.

mod random;
mod stratified;

pub use random::{k_folds, random_split};
pub use stratified::{stratified_folds, stratified_split};

use crate::{Error, Result};

/// Training and test rows: ascending, disjoint, together all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Training rows.
    pub train: Vec<usize>,
    /// Test rows.
    pub test: Vec<usize>,
}

impl Split {
    /// The split of `rows` rows with the test rows chosen by `tests`.
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
    /// Folds from the fold number of each row. Every number below the largest must occur.
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
    /// If the fold does not exist.
    pub fn rows(&self, fold: usize) -> Vec<usize> {
        self.split(fold).test
    }

    /// The split that tests on one fold and trains on all others.
    ///
    /// # Panics
    /// If the fold does not exist.
    pub fn split(&self, fold: usize) -> Split {
        assert!(fold < self.count, "no such fold");
        Split::new(self.of_row.len(), |row| self.of_row[row] == fold)
    }

    /// The splits of all folds, in order.
    pub fn splits(&self) -> impl ExactSizeIterator<Item = Split> + '_ {
        (0..self.count).map(|fold| self.split(fold))
    }
}

/// Both sides of a split need at least one row.
fn check_train_size(rows: usize, train_size: usize) -> Result<()> {
    check_range(
        "the number of training rows",
        1,
        rows.saturating_sub(1),
        train_size,
    )
}

/// One fold leaves no training set, and more folds than rows leave no test set.
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
