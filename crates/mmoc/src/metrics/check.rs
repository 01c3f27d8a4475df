//! What predictions must satisfy to be compared with the truth.

use crate::data::{Labels, Matrix};
use crate::{Error, Result};

/// Scores must be as many as the cells of the truth, and have an order.
pub(super) fn check_scores(truth: &Labels, scores: &Matrix) -> Result<()> {
    check_shape(truth, scores.rows(), scores.columns())?;
    check_cells("scores that are numbers", scores, |score| !score.is_nan())
}

/// Probabilities must be as many as the cells of the truth, and possible.
pub(super) fn check_probabilities(truth: &Labels, probabilities: &Matrix) -> Result<()> {
    check_shape(truth, probabilities.rows(), probabilities.columns())?;
    let possible = |p| (0.0..=1.0).contains(&p);
    check_cells("probabilities from 0 to 1", probabilities, possible)
}

/// There must be a row and a label, and as many in the predictions as in the truth.
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
        Some(place) => Err(Error::Dataset {
            expected: expected.into(),
            found: describe_cell(cells, place),
        }),
    }
}

fn describe_cell(cells: &Matrix, place: usize) -> String {
    let (row, label) = (place / cells.columns(), place % cells.columns());
    let value = cells.values()[place];
    format!("{value} (row {}, label {})", row + 1, label + 1)
}
