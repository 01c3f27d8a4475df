//! The best metric and the best bound found so far.

use super::certificate::Certificate;
use super::violated::Violated;
use super::{Problem, Separation};
use crate::data::Matrix;

/// What is certain about a problem after some work. Objectives and bounds are those of F/C.
#[derive(Debug, Clone)]
pub(super) struct Incumbent {
    metric: Matrix,
    objective: f64,
    bound: f64,
    oracle_calls: usize,
}

impl Incumbent {
    /// What the zero metric tells. It is the best there is if no constraint needs the metric.
    pub(super) fn at_zero(problem: &Problem, separation: Separation, violated: &Violated) -> Self {
        let certificate = Certificate::new(problem, separation, &violated.points);
        Self {
            metric: Matrix::zeros(problem.labels(), problem.labels()),
            objective: violated.mean_slack(),
            bound: certificate.bound,
            oracle_calls: problem.rows(),
        }
    }

    /// Takes in a metric with its objective and a bound, whether they belong together or not.
    pub(super) fn offer(&mut self, metric: &Matrix, objective: f64, bound: f64) {
        if objective < self.objective {
            self.objective = objective;
            self.metric = metric.clone();
        }
        self.bound = self.bound.max(bound);
    }

    /// Counts separation problems.
    pub(super) fn count_calls(&mut self, calls: usize) {
        self.oracle_calls += calls;
    }

    /// The best metric.
    pub(super) fn metric(&self) -> &Matrix {
        &self.metric
    }

    /// The best metric.
    pub(super) fn into_metric(self) -> Matrix {
        self.metric
    }

    /// F/C at the best metric.
    pub(super) fn objective(&self) -> f64 {
        self.objective
    }

    /// The best lower bound of F/C, never above the objective.
    pub(super) fn bound(&self) -> f64 {
        self.bound.min(self.objective)
    }

    /// Separation problems solved.
    pub(super) fn oracle_calls(&self) -> usize {
        self.oracle_calls
    }

    /// (objective − bound)/objective, zero if the objective is.
    pub(super) fn relative_gap(&self) -> f64 {
        if self.objective > 0.0 {
            (self.objective - self.bound()) / self.objective
        } else {
            0.0
        }
    }
}
