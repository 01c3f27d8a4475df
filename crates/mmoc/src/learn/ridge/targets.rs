//! The targets of regressions.

use crate::data::Matrix;
use crate::linalg::RowWeights;
use crate::{Error, Result, check_size};

/// Centred targets and their means, weighted as the rows are.
pub(super) struct CentredTargets {
    pub(super) means: Vec<f64>,
    pub(super) deviations: Matrix,
}

impl CentredTargets {
    /// Centres finite targets with the same number of rows as the features.
    pub(super) fn new(targets: &Matrix, rows: usize, weights: Option<&RowWeights>) -> Result<Self> {
        check_size("rows of ridge targets", rows, targets.rows())?;
        check_finite(targets)?;
        let mean = |target| match weights {
            None => targets.column(target).sum::<f64>() / rows as f64,
            Some(weights) => weights.mean(&targets.column(target).collect::<Vec<_>>()),
        };
        let means: Vec<f64> = (0..targets.columns()).map(mean).collect();
        let deviations = Matrix::from_fn(rows, targets.columns(), |row, target| {
            targets[(row, target)] - means[target]
        });
        Ok(Self { means, deviations })
    }
}

fn check_finite(targets: &Matrix) -> Result<()> {
    match targets.values().iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::Dataset {
            expected: "finite ridge targets".into(),
            found: value.to_string(),
        }),
    }
}

/// Fails unless there is a positive penalty for each target.
pub(super) fn check_penalties(targets: &Matrix, penalties: &[f64]) -> Result<()> {
    check_size(
        "penalties of ridge targets",
        targets.columns(),
        penalties.len(),
    )?;
    penalties.iter().copied().try_for_each(check_penalty)
}

fn check_penalty(penalty: f64) -> Result<()> {
    if penalty.is_finite() && penalty > 0.0 {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter: "a ridge penalty",
        expected: "a positive number".into(),
        found: penalty.to_string(),
    })
}
