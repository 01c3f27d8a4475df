//! One regression along the penalty grid, from the strongest to the weakest.

use super::regression::{Effort, FitStatus, LogisticFit, Need};
use crate::linalg::add_scaled;

/// The minimum for one penalty.
#[derive(Debug, Clone)]
pub(crate) struct PathSolution {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) intercept: f64,
    pub(crate) relative_gradient: f64,
    pub(crate) termination: FitStatus,
}

/// A regression, its penalty grid, and the solutions so far.
#[derive(Debug, Clone)]
pub(crate) struct PenaltyPath<'a> {
    pub(crate) regression: LogisticFit<'a>,
    penalties: &'a [f64],
    solutions: Vec<PathSolution>,
}

impl<'a> PenaltyPath<'a> {
    /// A path whose regression starts at the first penalty.
    pub(crate) fn new(regression: LogisticFit<'a>, penalties: &'a [f64]) -> Self {
        Self {
            regression,
            penalties,
            solutions: Vec::with_capacity(penalties.len()),
        }
    }

    /// A solution for each penalty.
    pub(crate) fn solutions(&self) -> &[PathSolution] {
        &self.solutions
    }

    pub(crate) fn effort(&self) -> Effort {
        self.regression.effort()
    }

    /// If a solution was reached, stores it and continues with the next penalty. Returns whether there is more to do.
    pub(crate) fn go_on(&mut self) -> bool {
        let Need::Nothing(termination) = self.regression.need() else {
            return true;
        };
        self.keep(termination);
        let Some(&penalty) = self.penalties.get(self.solutions.len()) else {
            return false;
        };
        let (coefficients, intercept) = self.extrapolate(penalty);
        self.regression.restart(penalty, coefficients, intercept);
        true
    }

    /// A prediction of the next solution: solutions move about evenly with the logarithm of the penalty. Compared
    /// with starting from the last solution this saves 7 (emotions) to 16 (scene) per cent of all products.
    fn extrapolate(&self, penalty: f64) -> (Vec<f64>, f64) {
        let reached = self.solutions.len();
        let last = &self.solutions[reached - 1];
        let (mut coefficients, mut intercept) = (last.coefficients.clone(), last.intercept);
        if reached > 1 {
            let before = &self.solutions[reached - 2];
            let [earlier, current] = [self.penalties[reached - 2], self.penalties[reached - 1]];
            let factor = ((current / penalty).ln() / (earlier / current).ln()).clamp(0.0, 1.0);
            add_scaled(&mut coefficients, factor, &last.coefficients);
            add_scaled(&mut coefficients, -factor, &before.coefficients);
            intercept += factor * (last.intercept - before.intercept);
        }
        (coefficients, intercept)
    }

    fn keep(&mut self, termination: FitStatus) {
        self.solutions.push(PathSolution {
            coefficients: self.regression.coefficients().to_vec(),
            intercept: self.regression.intercept(),
            relative_gradient: self.regression.relative_gradient(),
            termination,
        });
    }
}
