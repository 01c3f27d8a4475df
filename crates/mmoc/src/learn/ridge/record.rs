//! How regressions were solved where that took iterations.

use serde::{Deserialize, Serialize};

/// How regressions were solved by iteration: all targets, folds and penalties together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeRecord {
    /// Regressions solved.
    pub regressions: usize,
    /// Those that reached the tolerance.
    pub converged: usize,
    /// The largest gradient among the regressions that are kept, not those of folds, relative to that at w = 0: computed from
    /// the solutions, not carried along by the solver.
    pub worst_gradient: f64,
    /// Steps of conjugate gradients, each of which serves all penalties of a target and fold.
    pub steps: usize,
}

impl RidgeRecord {
    /// Whether every regression reached the tolerance.
    pub fn all_converged(&self) -> bool {
        self.converged == self.regressions
    }

    /// Adds what other regressions needed.
    pub fn merge(&mut self, other: &Self) {
        self.regressions += other.regressions;
        self.converged += other.converged;
        self.worst_gradient = self.worst_gradient.max(other.worst_gradient);
        self.steps += other.steps;
    }
}
