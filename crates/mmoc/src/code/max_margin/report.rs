//! How a max-margin problem was solved.

use serde::{Deserialize, Serialize};

use super::incumbent::Incumbent;
use super::{Algorithm, Problem};

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// The certified relative gap is at most the requested one.
    Converged,
    /// The limit on iterations was reached.
    IterationLimit,
    /// No further progress is possible in floating-point arithmetic.
    Stalled,
}

/// How a problem was solved, with certified bounds on the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverReport {
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// F at the metric found, an upper bound on the minimum.
    pub objective: f64,
    /// A certified lower bound on the minimum of F.
    pub lower_bound: f64,
    /// (objective − lower bound) / objective.
    pub relative_gap: f64,
    /// Newton steps, cutting-plane rounds, or rounds of 20 primal-dual steps.
    pub iterations: usize,
    /// Separation problems solved, one per sample and pass.
    pub oracle_calls: usize,
    /// Number of eigenvalues of the metric above the numerical error.
    pub rank: usize,
    /// Why the solver stopped.
    pub termination: Termination,
    /// The metrics on the way: for Newton's method the first one and one after each step, the last of them at the centre
    /// if steps are inexact; for the cutting-plane method one per round, for the primal-dual method those whose
    /// objective was evaluated.
    pub rounds: Vec<Round>,
}

impl SolverReport {
    /// The report of a problem without varying labels.
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

    /// A message about the gap, if it is larger than requested.
    pub fn not_converged(&self) -> Option<String> {
        (self.termination != Termination::Converged).then(|| {
            format!(
                "the max-margin problem was not solved to the requested gap (relative gap {:.1e})",
                self.relative_gap
            )
        })
    }
}

/// A metric on the way to the solution.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Constraints in the working sets of all samples; `None` for methods without working sets.
    pub constraints: Option<usize>,
    /// F at this metric.
    pub objective: f64,
    /// The best lower bound so far.
    pub lower_bound: f64,
}

impl Round {
    /// A metric of this objective of F/C, without working sets.
    pub(super) fn at(problem: &Problem, objective: f64, incumbent: &Incumbent) -> Self {
        Self {
            constraints: None,
            objective: problem.c() * objective,
            lower_bound: problem.c() * incumbent.bound(),
        }
    }
}
