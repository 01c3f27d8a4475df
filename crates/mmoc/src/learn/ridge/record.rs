//! Convergence of the iterative regressions.

use serde::{Deserialize, Serialize};

/// Convergence of the iterative regressions: all targets, folds and penalties together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeRecord {
    /// Number of regressions solved.
    pub regressions: usize,
    /// Number that reached the tolerance.
    pub converged: usize,
    /// The largest gradient among the regressions that are kept, not those of folds, relative to that at w = 0.
    /// Computed from the solutions, not from the solver's recursion.
    pub worst_gradient: f64,
    /// Conjugate gradient steps, each of which serves all penalties of a target and fold.
    pub steps: usize,
}

impl RidgeRecord {
    /// Whether every regression reached the tolerance.
    pub fn all_converged(&self) -> bool {
        self.converged == self.regressions
    }

    /// Adds another record.
    pub fn merge(&mut self, other: &Self) {
        self.regressions += other.regressions;
        self.converged += other.converged;
        self.worst_gradient = self.worst_gradient.max(other.worst_gradient);
        self.steps += other.steps;
    }
}
