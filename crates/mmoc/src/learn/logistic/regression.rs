//! One penalised logistic regression: Newton's method with a line search.
//!
//! The regression never multiplies by the design Z itself. It provides the vector to multiply and takes the
//! product, so that many regressions can share one matrix product:
//!
//! ```text
//! input → Z·input → take_forward → Zᵀ·weights → take_backward → input → …
//! ```

use super::conjugate::Conjugate;
use super::point::{LogisticPoint, RegressionRows};
use super::preconditioner::Preconditioner;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};

/// Newton steps that share a preconditioner: curvatures change little between them.
const STEPS_PER_PRECONDITIONER: usize = 4;
/// Largest residual of a Newton step relative to the gradient: far from the solution an exact step is not worth its
/// cost.
const LARGEST_RESIDUAL: f64 = 0.3;
/// Fraction of the predicted decrease that a step must achieve (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// A step shorter than this cannot change the objective in double precision.
const SHORTEST_STEP: f64 = 1e-10;
/// Relative change of the objective that may be rounding error.
const ROUNDING: f64 = 1e-13;

/// Outcome of a regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FitStatus {
    /// The gradient is below the tolerance.
    Converged,
    /// The limit on Newton steps was reached.
    StepLimit,
    /// No step along the Newton direction lowers the objective beyond rounding error.
    Stalled,
}

/// The data and limits that all regressions of a training set share.
#[derive(Debug, Clone, Copy)]
pub(super) struct FitSettings<'a> {
    /// The sum of squared deviations of each column of the design from its mean.
    pub(super) scatters: &'a [f64],
    /// The total weight of all rows, which the scatters are sums over.
    pub(super) total_weight: f64,
    /// The leading columns of the design, h×n; empty if columns are not in descending order of scatter.
    pub(super) head: &'a Matrix,
    /// Gradient norm to reach, relative to that at zero coefficients.
    pub(super) tolerance: f64,
    /// Limit on Newton steps for one penalty.
    pub(super) max_steps: usize,
}

/// A regression in progress.
#[derive(Debug, Clone)]
pub(super) struct LogisticFit<'a> {
    settings: FitSettings<'a>,
    rows: RegressionRows<'a>,
    penalty: f64,
    start: Option<(Vec<f64>, f64)>,
    point: LogisticPoint,
    gradient: Vec<f64>,
    gradient_norm: f64,
    /// The objective at the point, once known; moving the intercept may have lowered it since.
    objective: Option<f64>,
    /// The gradient norm at zero coefficients, once known.
    null_gradient: Option<f64>,
    preconditioner: Option<Preconditioner>,
    /// The Newton step in progress.
    conjugate: Option<Conjugate>,
    steps: usize,
    effort: Effort,
}

/// Work done by a regression over all penalties.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effort {
    pub(super) steps: usize,
    pub(super) products: usize,
}

impl<'a> LogisticFit<'a> {
    /// A regression on rows with targets of both kinds.
    pub(super) fn new(settings: FitSettings<'a>, rows: RegressionRows<'a>, penalty: f64) -> Self {
        let columns = settings.scatters.len();
        Self {
            settings,
            rows,
            penalty,
            start: None,
            point: LogisticPoint::null(rows, columns),
            gradient: vec![0.0; columns],
            gradient_norm: f64::INFINITY,
            objective: None,
            null_gradient: None,
            preconditioner: None,
            conjugate: None,
            steps: 0,
            effort: Effort::default(),
        }
    }

    /// Continues from these coefficients as soon as the gradient at zero, the reference for convergence, is known.
    pub(super) fn starting_from(mut self, coefficients: Vec<f64>, intercept: f64) -> Self {
        self.start = Some((coefficients, intercept));
        self
    }

    pub(super) fn point(&self) -> &LogisticPoint {
        &self.point
    }

    pub(super) fn effort(&self) -> Effort {
        self.effort
    }

    /// The gradient norm relative to that at zero coefficients.
    pub(super) fn relative_gradient(&self) -> f64 {
        match self.null_gradient {
            Some(scale) if scale > 0.0 => self.gradient_norm / scale,
            _ => 0.0,
        }
    }

    /// The vector to be multiplied by Z.
    pub(super) fn input(&self) -> &[f64] {
        self.conjugate
            .as_ref()
            .map_or(&self.point.coefficients, Conjugate::direction)
    }

    /// Takes Z·input and writes the vector to be multiplied by Zᵀ.
    pub(super) fn take_forward(&mut self, product: &[f64], weights: &mut [f64]) {
        self.effort.products += 1;
        if self.conjugate.is_some() {
            self.point.apply_curvature(product, weights);
            return;
        }
        // A derivative with respect to the intercept a hundred times below the tolerance is negligible.
        self.point
            .evaluate(self.rows, product, 0.01 * self.settings.tolerance);
        self.point.eliminated_residuals(weights);
    }

    /// Takes Z·input again and Zᵀ·weights. Returns the outcome if the regression has ended.
    pub(super) fn take_backward(&mut self, margins: &[f64], product: &[f64]) -> Option<FitStatus> {
        let (Some(mut conjugate), Some(preconditioner)) =
            (self.conjugate.take(), &self.preconditioner)
        else {
            return self.take_gradient(product);
        };
        if conjugate.take_products(margins, product, self.penalty, preconditioner) {
            return self.take_step(conjugate);
        }
        self.conjugate = Some(conjugate);
        None
    }

    /// Continues with another penalty from the given coefficients.
    pub(super) fn restart(&mut self, penalty: f64, coefficients: Vec<f64>, intercept: f64) {
        self.penalty = penalty;
        self.point.coefficients = coefficients;
        self.point.intercept = intercept;
        self.objective = None;
        self.steps = 0;
    }

    fn take_gradient(&mut self, product: &[f64]) -> Option<FitStatus> {
        self.gradient.copy_from_slice(product);
        add_scaled(&mut self.gradient, self.penalty, &self.point.coefficients);
        if self.null_gradient.is_none() {
            self.null_gradient = Some(dot(&self.gradient, &self.gradient).sqrt());
            if let Some((coefficients, intercept)) = self.start.take() {
                self.restart(self.penalty, coefficients, intercept);
                return None;
            }
        }
        self.begin_step()
    }

    fn begin_step(&mut self) -> Option<FitStatus> {
        self.gradient_norm = dot(&self.gradient, &self.gradient).sqrt();
        let scale = self.null_gradient.unwrap_or(0.0);
        let goal = self.settings.tolerance * scale;
        if self.gradient_norm <= goal {
            return Some(FitStatus::Converged);
        }
        if self.steps == self.settings.max_steps {
            return Some(FitStatus::StepLimit);
        }
        // The residual decreases faster than the gradient, so convergence is superlinear, but it need not be
        // smaller than the last step requires.
        let relative_residual = (self.gradient_norm / scale).sqrt().min(LARGEST_RESIDUAL);
        let remainder = (relative_residual * self.gradient_norm).max(LARGEST_RESIDUAL * goal);
        if self.steps.is_multiple_of(STEPS_PER_PRECONDITIONER) {
            self.preconditioner = None;
        }
        let preconditioner = self
            .preconditioner
            .get_or_insert_with(|| Preconditioner::new(&self.point, self.settings, self.penalty));
        let rows = self.point.margins.len();
        self.conjugate = Some(Conjugate::new(
            rows,
            &self.gradient,
            preconditioner,
            remainder,
        ));
        None
    }

    /// Backtracks along the Newton step to a sufficient decrease.
    fn take_step(&mut self, conjugate: Conjugate) -> Option<FitStatus> {
        let step = conjugate.finish(&self.point);
        self.steps += 1;
        self.effort.steps += 1;
        let before = self
            .objective
            .unwrap_or_else(|| self.point.objective(self.rows, self.penalty));
        let slope = dot(&self.gradient, &step.coefficients);
        let mut length = 1.0;
        self.point.advance(length, &step);
        while length > SHORTEST_STEP {
            let after = self.point.objective(self.rows, self.penalty);
            if after <= before + SUFFICIENT_DECREASE * length * slope + ROUNDING * before.abs() {
                self.objective = Some(after);
                return None;
            }
            length *= 0.5;
            self.point.advance(-length, &step);
        }
        self.point.advance(-length, &step);
        Some(FitStatus::Stalled)
    }
}
