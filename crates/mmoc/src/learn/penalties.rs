//! The penalties among which cross-validation chooses.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// A grid of different positive penalties.
///
/// Relative penalties are multiples of the total scatter of the training features, the trace of XᵀX after
/// centring. They make the fit independent of the unit of the features and of the number of rows and
/// columns; absolute ones are for comparisons with other software, where `C = 1/α` for a logistic
/// regression of scikit-learn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct PenaltyGrid {
    values: Vec<f64>,
    relative: bool,
}

/// A grid as it is stored, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    values: Vec<f64>,
    relative: bool,
}

impl TryFrom<Parts> for PenaltyGrid {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.values, parts.relative)
    }
}

impl PenaltyGrid {
    /// Multiples of the total scatter of the features.
    pub fn relative(values: Vec<f64>) -> Result<Self> {
        Self::new(values, true)
    }

    /// Penalties as they stand in the objective.
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

    /// How many there are, at least one.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// The given relative penalty alone, or this grid if there is none.
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

/// What a relative penalty is a multiple of. Features without any scatter carry no information, and any penalty does.
fn unit_of(total_scatter: f64) -> f64 {
    if total_scatter > 0.0 {
        total_scatter
    } else {
        1.0
    }
}

/// Penalties as they stand in the objective, as relative ones.
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
    fn shares_are_what_a_relative_grid_was_made_of() {
        let grid = PenaltyGrid::relative(vec![0.5, 0.25]).unwrap();
        for scatter in [0.0, 8.0] {
            assert_eq!(shares_of(&grid.resolve(scatter), scatter), [0.5, 0.25]);
        }
    }

    #[test]
    fn a_penalty_given_twice_counts_once() {
        let grid = PenaltyGrid::absolute(vec![1.0, 2.0, 1.0, 1.0]).unwrap();
        assert_eq!(grid.resolve(1.0), [2.0, 1.0]);
    }
}
