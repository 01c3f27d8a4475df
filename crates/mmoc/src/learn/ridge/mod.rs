//! Ridge regression of many targets at once, penalties chosen on held-out rows (eq. 4 and 19).
//!
//! For centred features X and a target t of mean t̄ a regression minimises
//!
//! ```text
//! ‖t − t̄ − X·w‖² + α‖w‖²
//! ```
//!
//! Its hat matrix has the leverages h_i on its diagonal, and the leave-one-out prediction of row i is exactly
//!
//! ```text
//! t_i − (t_i − fitted_i) / (1 − h_i)
//! ```
//!
//! The penalty of a target minimises the squared leave-one-out error; ties go to the strongest. The minimum of the
//! mean squared error is the noise σ̂² of eq. (15).
//!
//! Rows may have weights. They count in the means, in the sum of squares that a regression minimises, and in the mean
//! squared error; a row that is left out is left out with its whole weight.
//!
//! There are two backends; methods do not depend on which is used:
//!
//! - [`RidgeSystem`] is one factorisation of the features for any number of targets, with exact leave-one-out.
//! - [`IterativeRidge`] is conjugate gradients, for features that are too large to factorise. The folds of the
//!   classifiers replace leave-one-out. A regression has converged when its gradient is 10⁻⁸ of that at w = 0, for
//!   folds 10⁻⁴; a [`RidgeRecord`] reports what was reached.
//!
//! | file | content |
//! |---|---|
//! | `system`, `coordinates` | the systems of all penalties through one tridiagonal form |
//! | `choice`, `fitted` | leave-one-out, and regressions at given penalties |
//! | `shifted` | conjugate gradients for all penalties at once |
//! | `block` | many targets and folds together |
//! | `iterative` | the choice of penalties by folds, and the regressions on all rows |
//! | `partitioned` | regressions on rows in partitions |
//! | `solver`, `backend` | the choice between the backends |

mod backend;
mod block;
mod choice;
mod coordinates;
mod fitted;
mod iterative;
mod partitioned;
mod record;
mod regressions;
mod shifted;
mod solver;
mod system;
mod targets;
#[cfg(test)]
mod tests;

pub(super) use backend::RidgeBackend;
pub use iterative::IterativeRidge;
pub(crate) use partitioned::{FactorisedGram, GramShare, LeaveOneOut};
pub use record::RidgeRecord;
pub use regressions::Ridge;
pub use solver::RidgeSolver;
pub use system::RidgeSystem;

use serde::{Deserialize, Serialize};

use super::PenaltyGrid;

/// Parameters of ridge regression.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `penalties` | 15 relative ones, 10 to 10⁻⁶ | the grid to choose from, for each target separately |
/// | `penalty` | none | one relative penalty for every target instead |
/// | `solver` | auto | factorisation or iteration; auto takes the cheaper one |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeParams {
    /// The penalties to choose from.
    pub penalties: PenaltyGrid,
    /// One relative penalty for every target, instead of a choice.
    pub penalty: Option<f64>,
    /// The backend.
    #[serde(default, skip_serializing_if = "is_default")]
    pub solver: RidgeSolver,
}

impl Default for RidgeParams {
    fn default() -> Self {
        let penalties = PenaltyGrid::decades(1.0, -6.0, 15).expect("the grid is positive");
        Self {
            penalties,
            penalty: None,
            solver: RidgeSolver::Auto,
        }
    }
}

impl RidgeParams {
    /// The number of penalties to choose from.
    pub(super) fn penalty_count(&self) -> usize {
        self.penalty.map_or(self.penalties.count(), |_| 1)
    }
}

/// Whether a value is the default, which is not serialised.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
