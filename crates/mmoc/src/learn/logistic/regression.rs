//! One penalised logistic regression: Newton's method with a line search.
//!
//! The regression knows its coefficients and nothing of the rows. It says what it needs of them next ([`Need`]), a sum
//! over rows or a product with the design Z, and is given that. So many regressions can share one matrix product, and
//! rows can be in memory (`on_rows`) or in partitions elsewhere (`crate::partitions`):
//!
//! ```text
//! point → intercept … → gradient → (head) → product … → along → (loss) → step … → point → …
//! ```

use super::conjugate::{Advance, Conjugate};
use super::intercept::InterceptSearch;
use super::point::SMALLEST_CURVATURE;
use super::preconditioner::{HeadSums, Preconditioner};
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
/// A derivative with respect to the intercept a hundred times below the tolerance is negligible.
const TOLERANCE_OF_INTERCEPT: f64 = 0.01;

/// Outcome of a regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FitStatus {
    /// The gradient is below the tolerance.
    Converged,
    /// The limit on Newton steps was reached.
    StepLimit,
    /// No step along the Newton direction lowers the objective beyond rounding error.
    Stalled,
}

/// What a regression needs of its rows next. r are the residuals c·(p − y) of the rows, k their curvatures c·p(1 − p), at
/// the current coefficients and intercept, and s = Σk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Σr and s at other coefficients: [`LogisticFit::take_totals`].
    Point,
    /// Σr and s at another intercept: [`LogisticFit::take_totals`].
    Intercept,
    /// Zᵀ(r − k·Σr/s): [`LogisticFit::take_gradient`].
    Gradient,
    /// The sums for the head: [`LogisticFit::take_head`].
    Head,
    /// Zᵀ(K − kkᵀ/s)Z·d for the direction d: [`LogisticFit::take_product`].
    Product,
    /// kᵀZ·t for the step t: [`LogisticFit::take_along`].
    Along,
    /// Σ c·(log loss): [`LogisticFit::take_loss`].
    Loss,
    /// The same after part of the step: [`LogisticFit::take_loss`].
    Step,
    /// Nothing: it has ended.
    Nothing(FitStatus),
}

/// The data and limits that all regressions of a training set share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FitSettings<'a> {
    /// The sum of squared deviations of each column of the design from its mean.
    pub(crate) scatters: &'a [f64],
    /// The total weight of all rows, which the scatters are sums over.
    pub(crate) total_weight: f64,
    /// Number of leading columns on which the preconditioner is exact; none if columns are not in descending order of
    /// scatter.
    pub(crate) head: usize,
    /// Gradient norm to reach, relative to that at zero coefficients.
    pub(crate) tolerance: f64,
    /// Limit on Newton steps for one penalty.
    pub(crate) max_steps: usize,
}

/// How much the rows of a regression count, and how much of that has the target 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mass {
    pub(crate) ones: f64,
    pub(crate) total: f64,
}

impl Mass {
    /// Whether the rows that count have targets of both kinds.
    pub(crate) fn varies(self) -> bool {
        self.ones > 0.0 && self.ones < self.total
    }
}

/// Work done by a regression over all penalties.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effort {
    pub(crate) steps: usize,
    pub(crate) products: usize,
}

/// A Newton step whose length is being searched.
#[derive(Debug, Clone)]
struct Search {
    coefficients: Vec<f64>,
    intercept: f64,
    /// The share of the step that was taken.
    length: f64,
    /// The change of the length since the rows were last asked.
    change: f64,
    /// The objective before the step.
    before: f64,
    /// The derivative of the objective along the step.
    slope: f64,
}

/// A regression in progress.
#[derive(Debug, Clone)]
pub(crate) struct LogisticFit<'a> {
    settings: FitSettings<'a>,
    penalty: f64,
    start: Option<(Vec<f64>, f64)>,
    coefficients: Vec<f64>,
    intercept: f64,
    /// The derivative with respect to the intercept that is small enough.
    flat: f64,
    intercept_search: InterceptSearch,
    /// Σr and Σk.
    slope: f64,
    total_curvature: f64,
    gradient: Vec<f64>,
    gradient_norm: f64,
    /// The objective at the point, once known; moving the intercept may have lowered it since.
    objective: Option<f64>,
    /// The gradient norm at zero coefficients, once known.
    null_gradient: Option<f64>,
    preconditioner: Option<Preconditioner>,
    /// The Newton step in progress.
    conjugate: Option<Conjugate>,
    search: Option<Search>,
    steps: usize,
    effort: Effort,
    need: Need,
}

impl<'a> LogisticFit<'a> {
    /// A regression on rows with targets of both kinds.
    pub(crate) fn new(settings: FitSettings<'a>, mass: Mass, penalty: f64) -> Self {
        let columns = settings.scatters.len();
        let flat = TOLERANCE_OF_INTERCEPT * settings.tolerance * mass.total;
        Self {
            settings,
            penalty,
            start: None,
            coefficients: vec![0.0; columns],
            intercept: (mass.ones / (mass.total - mass.ones)).ln(),
            flat,
            intercept_search: InterceptSearch::new(flat),
            slope: 0.0,
            total_curvature: 0.0,
            gradient: vec![0.0; columns],
            gradient_norm: f64::INFINITY,
            objective: None,
            null_gradient: None,
            preconditioner: None,
            conjugate: None,
            search: None,
            steps: 0,
            effort: Effort::default(),
            need: Need::Point,
        }
    }

    /// Continues from these coefficients as soon as the gradient at zero, the reference for convergence, is known.
    pub(crate) fn starting_from(mut self, coefficients: Vec<f64>, intercept: f64) -> Self {
        self.start = Some((coefficients, intercept));
        self
    }

    /// What it needs of the rows.
    pub(crate) fn need(&self) -> Need {
        self.need
    }

    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    pub(crate) fn intercept(&self) -> f64 {
        self.intercept
    }

    /// Σk at the point, as it was last told.
    pub(crate) fn total_curvature(&self) -> f64 {
        self.total_curvature
    }

    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// The gradient norm relative to that at zero coefficients.
    pub(crate) fn relative_gradient(&self) -> f64 {
        match self.null_gradient {
            Some(scale) if scale > 0.0 => self.gradient_norm / scale,
            _ => 0.0,
        }
    }

    /// The direction d of the product that is needed.
    pub(crate) fn direction(&self) -> &[f64] {
        self.conjugate.as_ref().map_or(&[], Conjugate::direction)
    }

    /// Whether the product that is needed is the first of a Newton step.
    pub(crate) fn begins_step(&self) -> bool {
        self.conjugate.as_ref().is_some_and(Conjugate::is_new)
    }

    /// The step t along which the curvature is needed.
    pub(crate) fn step(&self) -> &[f64] {
        self.conjugate.as_ref().map_or(&[], |own| &own.step)
    }

    /// The change of the intercept with the whole step, once its length is searched.
    pub(crate) fn step_of_intercept(&self) -> f64 {
        self.search.as_ref().map_or(0.0, |search| search.intercept)
    }

    /// How much more of the step the point has moved since this was last asked.
    pub(crate) fn take_change(&mut self) -> f64 {
        let search = self.search.as_mut();
        search.map_or(0.0, |search| std::mem::take(&mut search.change))
    }

    /// Continues with another penalty from the given coefficients.
    pub(crate) fn restart(&mut self, penalty: f64, coefficients: Vec<f64>, intercept: f64) {
        self.penalty = penalty;
        self.coefficients = coefficients;
        self.intercept = intercept;
        self.objective = None;
        self.search = None;
        self.steps = 0;
        self.begin_point();
    }

    fn begin_point(&mut self) {
        self.intercept_search = InterceptSearch::new(self.flat);
        self.need = Need::Point;
    }

    /// Takes Σr and Σk.
    pub(crate) fn take_totals(&mut self, slope: f64, total_curvature: f64) {
        let total_curvature = total_curvature.max(SMALLEST_CURVATURE);
        (self.slope, self.total_curvature) = (slope, total_curvature);
        let search = &mut self.intercept_search;
        self.need = match search.next(self.intercept, slope, total_curvature) {
            Some(next) => {
                self.intercept = next;
                Need::Intercept
            }
            None => Need::Gradient,
        };
    }

    /// Takes Zᵀ(r − k·Σr/s).
    pub(crate) fn take_gradient(&mut self, product: &[f64]) {
        self.effort.products += 1;
        self.gradient.copy_from_slice(product);
        add_scaled(&mut self.gradient, self.penalty, &self.coefficients);
        if self.null_gradient.is_none() {
            self.null_gradient = Some(dot(&self.gradient, &self.gradient).sqrt());
            if let Some((coefficients, intercept)) = self.start.take() {
                self.restart(self.penalty, coefficients, intercept);
                return;
            }
        }
        self.begin_step();
    }

    fn begin_step(&mut self) {
        self.gradient_norm = dot(&self.gradient, &self.gradient).sqrt();
        if self.gradient_norm <= self.goal() {
            self.need = Need::Nothing(FitStatus::Converged);
            return;
        }
        if self.steps == self.settings.max_steps {
            self.need = Need::Nothing(FitStatus::StepLimit);
            return;
        }
        if self.steps.is_multiple_of(STEPS_PER_PRECONDITIONER) {
            self.preconditioner = None;
        }
        if self.preconditioner.is_some() {
            self.begin_products();
        } else if self.settings.head > 0 {
            self.need = Need::Head;
        } else {
            self.take_head(HeadSums::default());
        }
    }

    fn goal(&self) -> f64 {
        self.settings.tolerance * self.null_gradient.unwrap_or(0.0)
    }

    /// Takes the sums over rows for the columns of the head.
    pub(crate) fn take_head(&mut self, head: HeadSums) {
        let (curvature, penalty) = (self.total_curvature, self.penalty);
        let preconditioner = Preconditioner::new(curvature, head, self.settings, penalty);
        self.preconditioner = Some(preconditioner);
        self.begin_products();
    }

    fn begin_products(&mut self) {
        let Some(preconditioner) = &self.preconditioner else {
            return;
        };
        // The residual decreases faster than the gradient, so convergence is superlinear, but it need not be
        // smaller than the last step requires.
        let scale = self.null_gradient.unwrap_or(0.0);
        let relative_residual = (self.gradient_norm / scale).sqrt().min(LARGEST_RESIDUAL);
        let remainder =
            (relative_residual * self.gradient_norm).max(LARGEST_RESIDUAL * self.goal());
        self.conjugate = Some(Conjugate::new(&self.gradient, preconditioner, remainder));
        self.need = Need::Product;
    }

    /// Takes Zᵀ(K − kkᵀ/s)Z·d. Returns the multiple of d that was added to the step.
    pub(crate) fn take_product(&mut self, product: &[f64]) -> f64 {
        self.effort.products += 1;
        let (Some(conjugate), Some(preconditioner)) = (&mut self.conjugate, &self.preconditioner)
        else {
            return 0.0;
        };
        let Advance { length, is_enough } =
            conjugate.take_product(product, self.penalty, preconditioner);
        if is_enough {
            self.need = Need::Along;
        }
        length
    }

    /// Takes kᵀZ·t.
    pub(crate) fn take_along(&mut self, along: f64) {
        let Some(conjugate) = self.conjugate.take() else {
            return;
        };
        self.steps += 1;
        self.effort.steps += 1;
        self.search = Some(Search {
            intercept: -(self.slope + along) / self.total_curvature,
            slope: dot(&self.gradient, &conjugate.step),
            coefficients: conjugate.step,
            length: 0.0,
            change: 0.0,
            before: f64::NAN,
        });
        match self.objective {
            Some(objective) => self.begin_search(objective),
            None => self.need = Need::Loss,
        }
    }

    fn begin_search(&mut self, before: f64) {
        if let Some(search) = &mut self.search {
            search.before = before;
        }
        self.advance(1.0);
        self.need = Need::Step;
    }

    /// Takes Σ c·(log loss).
    pub(crate) fn take_loss(&mut self, loss: f64) {
        let square = dot(&self.coefficients, &self.coefficients);
        let objective = loss + 0.5 * self.penalty * square;
        match self.need {
            Need::Loss => self.begin_search(objective),
            _ => self.judge(objective),
        }
    }

    /// Backtracks along the Newton step to a sufficient decrease.
    fn judge(&mut self, after: f64) {
        let Some(search) = &self.search else { return };
        let (before, length) = (search.before, search.length);
        let enough = before + SUFFICIENT_DECREASE * length * search.slope + ROUNDING * before.abs();
        if after <= enough {
            self.objective = Some(after);
            self.begin_point();
            return;
        }
        self.advance(-0.5 * length);
        if 0.5 * length <= SHORTEST_STEP {
            self.advance(-0.5 * length);
            self.need = Need::Nothing(FitStatus::Stalled);
        }
    }

    /// Moves the point along the step.
    fn advance(&mut self, change: f64) {
        if let Some(search) = &mut self.search {
            add_scaled(&mut self.coefficients, change, &search.coefficients);
            self.intercept += change * search.intercept;
            search.length += change;
            search.change += change;
        }
    }
}
