//! Splits that ignore the labels.

use super::{Folds, Split, check_folds, check_train_size};
use crate::{Result, Seed};

/// A uniformly random split with `train_size` training rows.
///
/// Fails unless both sides have at least one row.
pub fn random_split(rows: usize, train_size: usize, seed: Seed) -> Result<Split> {
    check_train_size(rows, train_size)?;
    let mut side: Vec<bool> = (0..rows).map(|row| row >= train_size).collect();
    seed.stream().shuffle(&mut side);
    Ok(Split::new(rows, |row| side[row]))
}

/// Random folds with sizes that differ by at most one; the first folds are the larger ones.
///
/// Fails unless the number of folds is between two and the number of rows.
pub fn k_folds(rows: usize, folds: usize, seed: Seed) -> Result<Folds> {
    check_folds(rows, folds)?;
    let mut of_row: Vec<usize> = (0..rows).map(|row| row % folds).collect();
    seed.stream().shuffle(&mut of_row);
    Ok(Folds {
        of_row,
        count: folds,
    })
}
