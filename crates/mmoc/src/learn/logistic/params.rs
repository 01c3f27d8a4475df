//! Parameters of the logistic regressions.

use serde::{Deserialize, Serialize};

use super::{ClassWeight, Criterion};
use crate::learn::PenaltyGrid;
use crate::{Error, Result};

/// Parameters of the logistic regressions.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `penalties` | 13 relative ones, 1 to 10⁻⁶ | positive | the grid to choose from, for each label separately |
/// | `penalty` | none | positive | one relative penalty for every label instead |
/// | `criterion` | log-loss | log-loss, error, f1 | criterion for the penalty |
/// | `class_weight` | none | none, balanced, or a positive number for each label | weights of rows with the label |
/// | `folds` | 5 | at least 2 | folds of the cross-validation |
/// | `tolerance` | 10⁻⁸ | (0, 1) | gradient at the solution relative to that at w = 0; its square root for folds |
/// | `max_steps` | 100 | at least 1 | limit on Newton steps for one penalty |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticParams {
    /// The penalties to choose from.
    pub penalties: PenaltyGrid,
    /// One relative penalty for every label, instead of a choice.
    pub penalty: Option<f64>,
    /// Criterion for the penalty of each label.
    pub criterion: Criterion,
    /// How much rows with a label count against rows without it. Weights above one for rows with a rare label move
    /// its log-odds up, see [`ClassWeight`].
    #[serde(default, skip_serializing_if = "ClassWeight::is_equal")]
    pub class_weight: ClassWeight,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// Relative gradient norm at which a regression has converged.
    pub tolerance: f64,
    /// Limit on Newton steps for one penalty.
    pub max_steps: usize,
}

impl Default for LogisticParams {
    fn default() -> Self {
        let penalties = PenaltyGrid::decades(0.0, -6.0, 13).expect("the grid is positive");
        Self {
            penalties,
            penalty: None,
            criterion: Criterion::LogLoss,
            class_weight: ClassWeight::Equal,
            folds: 5,
            tolerance: 1e-8,
            max_steps: 100,
        }
    }
}

impl LogisticParams {
    /// Whether there are several penalties to choose from.
    pub fn has_choice(&self) -> bool {
        self.penalty.is_none() && self.penalties.count() > 1
    }

    /// The same parameters for one of the labels alone.
    pub(crate) fn of_label(&self, label: usize) -> Self {
        Self {
            class_weight: self.class_weight.of_label(label),
            ..self.clone()
        }
    }

    /// Checks every parameter against its range.
    pub fn validate(&self) -> Result<()> {
        self.class_weight.validate()?;
        check("folds", "at least 2", &self.folds, self.folds >= 2)?;
        let inside = self.tolerance > 0.0 && self.tolerance < 1.0;
        check(
            "tolerance",
            "strictly between 0 and 1",
            &self.tolerance,
            inside,
        )?;
        check(
            "max_steps",
            "at least 1",
            &self.max_steps,
            self.max_steps >= 1,
        )
    }
}

fn check(parameter: &'static str, expected: &str, found: &dyn ToString, holds: bool) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::Parameter {
        parameter,
        expected: expected.into(),
        found: found.to_string(),
    })
}
