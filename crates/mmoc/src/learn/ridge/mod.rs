//! Ridge regression of many targets at once, penalties chosen by rows held out (eq. 4 and 19).
//!
//! For centred features X and a target t of mean t̄ a regression minimises
//!
//! ```text
//! ‖t − t̄ − X·w‖² + α‖w‖²
//! ```
//!
//! Its hat matrix has the leverages h_i on its diagonal, and what row i would be predicted had it been left
//! out is exactly
//!
//! ```text
//! t_i − (t_i − fitted_i) / (1 − h_i)
//! ```
//!
//! The penalty of a target is the one of least squared leave-one-out error; of equal ones the strongest.
//! That least mean squared error is the noise σ̂² of eq. (15).
//!
//! There are two ways to solve them, and methods do not know which was taken:
//!
//! - [`RidgeSystem`] is one factorisation of the features, for any number of targets, with exact leave-one-out.
//! - [`IterativeRidge`] is conjugate gradients, for features that are too large to be factorised. Folds take the place of
//!   leave-one-out: those of the classifiers. A regression is solved when its gradient is 10⁻⁸ of that at w = 0, for folds
//!   10⁻⁴; what was reached is in a [`RidgeRecord`].
//!
//! | file | what it is |
//! |---|---|
//! | `system`, `coordinates` | the systems of all penalties through one tridiagonal form |
//! | `choice`, `fitted` | leave-one-out, and regressions at given penalties |
//! | `shifted` | conjugate gradients for all penalties at once |
//! | `block` | many targets and folds side by side |
//! | `iterative` | the choice of penalties by folds, and the regressions on all rows |
//! | `solver`, `backend` | the choice between the two |

mod backend;
mod block;
mod choice;
mod coordinates;
mod fitted;
mod iterative;
mod record;
mod regressions;
mod shifted;
mod solver;
mod system;
mod targets;

pub(super) use backend::RidgeBackend;
pub use iterative::IterativeRidge;
pub use record::RidgeRecord;
pub use regressions::Ridge;
pub use solver::Solver;
pub use system::RidgeSystem;

use serde::{Deserialize, Serialize};

use super::PenaltyGrid;

/// Parameters of ridge regression.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `penalties` | 15 relative ones, 10 to 10⁻⁶ | the grid to choose from, for each target by itself |
/// | `penalty` | none | one relative penalty for every target instead |
/// | `solver` | auto | factorisation or iteration; auto is what costs less |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeParams {
    /// The penalties to choose from.
    pub penalties: PenaltyGrid,
    /// One relative penalty for every target, instead of a choice.
    pub penalty: Option<f64>,
    /// Which way regressions are solved.
    #[serde(default, skip_serializing_if = "is_default")]
    pub solver: Solver,
}

impl Default for RidgeParams {
    fn default() -> Self {
        let penalties = PenaltyGrid::decades(1.0, -6.0, 15).expect("the grid is positive");
        Self {
            penalties,
            penalty: None,
            solver: Solver::Auto,
        }
    }
}

impl RidgeParams {
    /// How many penalties there are to choose from.
    pub(super) fn penalty_count(&self) -> usize {
        self.penalty.map_or(self.penalties.count(), |_| 1)
    }
}

/// Whether a value is the one that files need not have.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
