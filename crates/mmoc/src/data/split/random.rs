//! Splits that ignore the labels.

use super::{Folds, Split, check_folds, check_train_size};
use crate::{Result, Seed};

/// A split with `train_size` training rows, each such split equally likely.
///
/// Fails unless both sides have a row.
pub fn random_split(rows: usize, train_size: usize, seed: Seed) -> Result<Split> {
    check_train_size(rows, train_size)?;
    let mut side: Vec<bool> = (0..rows).map(|row| row >= train_size).collect();
    seed.stream().shuffle(&mut side);
    Ok(Split::new(rows, |row| side[row]))
}

/// Random folds whose sizes differ by at most one; the first folds are the larger ones.
///
/// Fails unless there are at least two folds and no more than rows.
pub fn k_folds(rows: usize, folds: usize, seed: Seed) -> Result<Folds> {
    check_folds(rows, folds)?;
    let mut of_row: Vec<usize> = (0..rows).map(|row| row % folds).collect();
    seed.stream().shuffle(&mut of_row);
    Ok(Folds {
        of_row,
        count: folds,
    })
}
