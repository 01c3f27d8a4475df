//! The best metric and the best bound found so far.

use super::certificate::Certificate;
use super::violated::Violated;
use super::{Problem, Separation};
use crate::data::Matrix;

/// The best metric, its objective and the best bound. Objectives and bounds are those of F/C.
#[derive(Debug, Clone)]
pub(super) struct Incumbent {
    metric: Matrix,
    objective: f64,
    bound: f64,
    oracle_calls: usize,
}

impl Incumbent {
    /// The zero metric, which is optimal if no constraint needs a metric.
    pub(super) fn at_zero(problem: &Problem, separation: Separation, violated: &Violated) -> Self {
        let certificate = Certificate::new(problem, separation, &violated.points);
        Self {
            metric: Matrix::zeros(problem.labels(), problem.labels()),
            objective: violated.mean_slack(problem),
            bound: certificate.bound,
            oracle_calls: problem.rows(),
        }
    }

    /// Accepts a metric with its objective and a bound if they improve on the present ones, each by itself.
    pub(super) fn offer(&mut self, metric: &Matrix, objective: f64, bound: f64) {
        if objective < self.objective {
            self.objective = objective;
            self.metric = metric.clone();
        }
        self.raise(bound);
    }

    /// Accepts a metric that is within a relative gap, even if its objective is not the lowest one.
    pub(super) fn settle(&mut self, metric: Matrix, objective: f64, bound: f64, gap: f64) {
        self.raise(bound);
        if objective - self.bound <= gap * objective {
            self.objective = objective;
            self.metric = metric;
        }
    }

    /// Accepts a bound if it is larger.
    pub(super) fn raise(&mut self, bound: f64) {
        self.bound = self.bound.max(bound);
    }

    /// Adds to the number of separation problems solved.
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

    /// The best lower bound on F/C, never above the objective.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::max_margin::testing::{diagonal, problem, stream};

    fn incumbent() -> (Problem, Incumbent) {
        let problem = problem(&mut stream(1), 7, 3, 10.0);
        let zero = Matrix::zeros(3, 3);
        let violated = Violated::in_cube(&problem, &zero, problem.truth());
        let incumbent = Incumbent::at_zero(&problem, Separation::Relaxed, &violated);
        (problem, incumbent)
    }

    #[test]
    fn the_first_incumbent_is_the_zero_metric() {
        let (problem, incumbent) = incumbent();
        assert_eq!(incumbent.metric(), &Matrix::zeros(3, 3));
        assert_eq!(incumbent.oracle_calls(), problem.rows());
        // With the zero metric every positive gain is taken in full.
        let (gains, truth) = (problem.gains().values(), problem.truth().values());
        let ways = gains.iter().zip(truth);
        let sum: f64 = ways.map(|(g, y)| (g * (1.0 - y)).max(-g * y)).sum();
        assert!((incumbent.objective() - sum / 7.0).abs() < 1e-14);
        assert!(incumbent.bound() <= incumbent.objective());
    }

    #[test]
    fn metric_and_bound_improve_independently() {
        let (_, mut incumbent) = incumbent();
        let (first, bound) = (incumbent.objective(), incumbent.bound());
        let (worse, better) = (diagonal(&[1.0; 3]), diagonal(&[2.0; 3]));
        let higher = bound + 0.25 * (first - bound);
        incumbent.offer(&worse, 2.0 * first, higher);
        assert_eq!((incumbent.objective(), incumbent.bound()), (first, higher));
        assert_eq!(incumbent.metric(), &Matrix::zeros(3, 3));
        let lower = bound + 0.5 * (first - bound);
        incumbent.offer(&better, lower, 0.5 * bound);
        assert_eq!((incumbent.objective(), incumbent.bound()), (lower, higher));
        assert_eq!(incumbent.relative_gap(), (lower - higher) / lower);
        assert_eq!(incumbent.into_metric(), better);
    }

    #[test]
    fn a_bound_above_the_objective_leaves_no_gap() {
        let (_, mut incumbent) = incumbent();
        incumbent.offer(&diagonal(&[1.0; 3]), 0.5, 0.5 + 1e-16);
        incumbent.offer(&diagonal(&[1.0; 3]), 0.25, 0.0);
        assert_eq!((incumbent.bound(), incumbent.relative_gap()), (0.25, 0.0));
        incumbent.offer(&diagonal(&[1.0; 3]), 0.0, 0.0);
        assert_eq!(incumbent.relative_gap(), 0.0);
        incumbent.count_calls(5);
        assert_eq!(incumbent.oracle_calls(), 12);
    }
}
