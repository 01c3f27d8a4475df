//! The penalty grids for cross-validation.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A grid of distinct positive penalties.
///
/// Relative penalties are multiples of the total scatter of the training features, the trace of XᵀX after centring.
/// They make the fit independent of the unit of the features and of the number of rows and columns. Absolute
/// penalties are for comparisons with other software; a logistic regression of scikit-learn has `C = 1/α`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawGrid")]
pub struct PenaltyGrid {
    values: Vec<f64>,
    relative: bool,
}

/// A deserialised grid before validation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGrid {
    values: Vec<f64>,
    relative: bool,
}

impl TryFrom<RawGrid> for PenaltyGrid {
    type Error = Error;

    fn try_from(raw: RawGrid) -> Result<Self> {
        Self::new(raw.values, raw.relative)
    }
}

impl PenaltyGrid {
    /// Multiples of the total scatter of the features.
    pub fn relative(values: Vec<f64>) -> Result<Self> {
        Self::new(values, true)
    }

    /// Penalties as they appear in the objective.
    pub fn absolute(values: Vec<f64>) -> Result<Self> {
        Self::new(values, false)
    }

    /// `count` relative penalties from `10^high` down to `10^low`, evenly spaced in their logarithm.
    pub fn decades(high: f64, low: f64, count: usize) -> Result<Self> {
        let step = if count > 1 {
            (high - low) / (count - 1) as f64
        } else {
            0.0
        };
        Self::relative(
            (0..count)
                .map(|k| 10f64.powf(high - step * k as f64))
                .collect(),
        )
    }

    fn new(mut values: Vec<f64>, relative: bool) -> Result<Self> {
        let bad = values
            .iter()
            .find(|value| !(value.is_finite() && **value > 0.0));
        let found = match bad {
            Some(value) => value.to_string(),
            None if values.is_empty() => "an empty grid".into(),
            None => {
                values.sort_by(|a, b| b.total_cmp(a));
                values.dedup();
                return Ok(Self { values, relative });
            }
        };
        Err(Error::Parameter {
            parameter: "penalties",
            expected: "positive numbers".into(),
            found,
        })
    }

    /// The number of penalties, at least one.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// The given relative penalty alone, or this grid if it is `None`.
    pub(super) fn resolve_or(&self, only: Option<f64>, total_scatter: f64) -> Vec<f64> {
        match only {
            None => self.resolve(total_scatter),
            Some(penalty) => {
                let grid = Self {
                    values: vec![penalty],
                    relative: true,
                };
                grid.resolve(total_scatter)
            }
        }
    }

    /// The penalties for features of the given total scatter, strongest first.
    pub fn resolve(&self, total_scatter: f64) -> Vec<f64> {
        let unit = if self.relative {
            unit_of(total_scatter)
        } else {
            1.0
        };
        self.values.iter().map(|value| value * unit).collect()
    }
}

/// The unit of relative penalties. Features without scatter carry no information, and any unit will do.
fn unit_of(total_scatter: f64) -> f64 {
    if total_scatter > 0.0 {
        total_scatter
    } else {
        1.0
    }
}

/// Converts penalties as they appear in the objective to relative ones.
pub(crate) fn shares_of(penalties: &[f64], total_scatter: f64) -> Vec<f64> {
    let unit = unit_of(total_scatter);
    penalties.iter().map(|penalty| penalty / unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_grids_without_a_positive_penalty() {
        for values in [
            vec![],
            vec![0.0],
            vec![1.0, -1.0],
            vec![f64::NAN],
            vec![f64::INFINITY],
        ] {
            assert!(PenaltyGrid::relative(values.clone()).is_err(), "{values:?}");
        }
    }

    #[test]
    fn decades_are_evenly_spaced_from_strong_to_weak() {
        let found = PenaltyGrid::decades(1.0, -1.0, 3).unwrap().resolve(2.0);
        for (value, expected) in found.iter().zip([20.0, 2.0, 0.2]) {
            assert!((value - expected).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn absolute_penalties_ignore_the_scatter() {
        assert_eq!(
            PenaltyGrid::absolute(vec![0.5, 3.0]).unwrap().resolve(7.0),
            [3.0, 0.5]
        );
    }

    #[test]
    fn shares_recover_the_values_of_a_relative_grid() {
        let grid = PenaltyGrid::relative(vec![0.5, 0.25]).unwrap();
        for scatter in [0.0, 8.0] {
            assert_eq!(shares_of(&grid.resolve(scatter), scatter), [0.5, 0.25]);
        }
    }

    #[test]
    fn duplicate_penalties_are_merged() {
        let grid = PenaltyGrid::absolute(vec![1.0, 2.0, 1.0, 1.0]).unwrap();
        assert_eq!(grid.resolve(1.0), [2.0, 1.0]);
    }
}
