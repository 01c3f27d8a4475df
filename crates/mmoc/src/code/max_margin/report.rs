//! How a max-margin problem was solved.

use serde::{Deserialize, Serialize};

use super::Algorithm;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// The certified relative gap is as small as was asked for.
    Converged,
    /// The number of iterations is used up.
    IterationLimit,
    /// No further progress is possible in floating-point numbers.
    Stalled,
}

/// How a problem was solved, and what is certain about the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverReport {
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// F at the metric found, an upper bound of the least value.
    pub objective: f64,
    /// A value that F certainly does not fall below.
    pub lower_bound: f64,
    /// (objective − lower bound) / objective.
    pub relative_gap: f64,
    /// Newton steps, rounds of the cutting-plane method, or rounds of 20 primal-dual steps.
    pub iterations: usize,
    /// Separation problems solved, one per sample and pass.
    pub oracle_calls: usize,
    /// Eigenvalues of the metric that are not numerical noise.
    pub rank: usize,
    /// Why the solver stopped.
    pub termination: Termination,
    /// The metrics along the way: of Newton's method the first one and one after each step, of the
    /// cutting-plane method one per round, of the primal-dual method those whose objective was looked at.
    pub rounds: Vec<Round>,
}

impl SolverReport {
    /// No label varies: there is nothing to separate.
    pub(super) fn nothing_to_solve() -> Self {
        Self {
            algorithm: Algorithm::Auto,
            objective: 0.0,
            lower_bound: 0.0,
            relative_gap: 0.0,
            iterations: 0,
            oracle_calls: 0,
            rank: 0,
            termination: Termination::Converged,
            rounds: Vec::new(),
        }
    }

    /// A sentence about the gap, if it is not as small as was asked for.
    pub fn not_converged(&self) -> Option<String> {
        (self.termination != Termination::Converged).then(|| {
            format!(
                "the max-margin problem was not solved to the gap asked for (relative gap {:.1e})",
                self.relative_gap
            )
        })
    }
}

/// A metric on the way to the solution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Constraints in the working sets of all samples; none for methods that have no such sets.
    pub constraints: Option<usize>,
    /// F at this metric.
    pub objective: f64,
    /// The best lower bound so far.
    pub lower_bound: f64,
}
