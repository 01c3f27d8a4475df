//! Validation of predictions.

use crate::data::{Labels, Matrix};
use crate::{Error, Result};

/// Scores must have the shape of the truth and not be NaN.
pub(super) fn check_scores(truth: &Labels, scores: &Matrix) -> Result<()> {
    check_shape(truth, scores.rows(), scores.columns())?;
    check_cells("scores that are not NaN", scores, |score| !score.is_nan())
}

/// Probabilities must have the shape of the truth and lie in [0, 1].
pub(super) fn check_probabilities(truth: &Labels, probabilities: &Matrix) -> Result<()> {
    check_shape(truth, probabilities.rows(), probabilities.columns())?;
    let in_range = |p| (0.0..=1.0).contains(&p);
    check_cells("probabilities from 0 to 1", probabilities, in_range)
}

/// Predictions must have the shape of the truth, with at least one row and one label.
pub(super) fn check_shape(truth: &Labels, rows: usize, labels: usize) -> Result<()> {
    crate::check_size("rows of predictions", truth.rows(), rows)?;
    crate::check_size("labels of predictions", truth.count(), labels)?;
    if rows > 0 && labels > 0 {
        return Ok(());
    }
    Err(Error::Dataset {
        expected: "at least one row and one label to evaluate".into(),
        found: format!("{rows} rows and {labels} labels"),
    })
}

fn check_cells(expected: &str, cells: &Matrix, valid: impl Fn(f64) -> bool) -> Result<()> {
    match cells.values().iter().position(|&cell| !valid(cell)) {
        None => Ok(()),
        Some(index) => Err(Error::Dataset {
            expected: expected.into(),
            found: describe_cell(cells, index),
        }),
    }
}

fn describe_cell(cells: &Matrix, index: usize) -> String {
    let (row, label) = (index / cells.columns(), index % cells.columns());
    let value = cells.values()[index];
    format!("{value} (row {}, label {})", row + 1, label + 1)
}
