//! Ridge regression of many targets at once, penalties chosen by leave-one-out (eq. 4 and 19).
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
//! [`RidgeSystem`] holds what depends on the features and the grid alone, for any number of targets.

mod choice;
mod coordinates;
mod fitted;
mod system;
mod targets;

pub use choice::Ridge;
pub use system::RidgeSystem;

use serde::{Deserialize, Serialize};

use super::PenaltyGrid;

/// Parameters of ridge regression.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `penalties` | 15 relative ones, 10 to 10⁻⁶ | the grid to choose from, for each target by itself |
/// | `penalty` | none | one relative penalty for every target instead |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeParams {
    /// The penalties to choose from.
    pub penalties: PenaltyGrid,
    /// One relative penalty for every target, instead of a choice.
    pub penalty: Option<f64>,
}

impl Default for RidgeParams {
    fn default() -> Self {
        let penalties = PenaltyGrid::decades(1.0, -6.0, 15).expect("the grid is positive");
        Self {
            penalties,
            penalty: None,
        }
    }
}
