//! How the regressions of a training set were solved.

use serde::{Deserialize, Serialize};

use super::path::Path;
use super::regression::Termination;

/// How the regressions of a training set were solved: all labels, folds and penalties together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LogisticRecord {
    /// Regressions solved.
    pub regressions: usize,
    /// Those that reached the tolerance.
    pub converged: usize,
    /// Those that took the allowed number of Newton steps first.
    pub step_limit: usize,
    /// Those that stopped where rounding hides any further decrease.
    pub stalled: usize,
    /// The largest relative gradient norm among the solutions.
    pub worst_gradient: f64,
    /// Newton steps.
    pub steps: usize,
    /// Products with the features, there and back.
    pub products: usize,
}

impl LogisticRecord {
    /// Whether every regression reached the tolerance.
    pub fn all_converged(&self) -> bool {
        self.converged == self.regressions
    }

    pub(super) fn add(&mut self, path: &Path<'_>) {
        for solution in path.solutions() {
            self.regressions += 1;
            self.worst_gradient = worse(self.worst_gradient, solution.relative_gradient);
            match solution.termination {
                Termination::Converged => self.converged += 1,
                Termination::StepLimit => self.step_limit += 1,
                Termination::Stalled => self.stalled += 1,
            }
        }
        self.steps += path.effort().steps;
        self.products += path.effort().products;
    }

    /// Adds what another training set needed.
    pub fn merge(&mut self, other: &Self) {
        self.regressions += other.regressions;
        self.converged += other.converged;
        self.step_limit += other.step_limit;
        self.stalled += other.stalled;
        self.worst_gradient = worse(self.worst_gradient, other.worst_gradient);
        self.steps += other.steps;
        self.products += other.products;
    }
}

/// The larger of two numbers; one that is not a number is worse than any.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
