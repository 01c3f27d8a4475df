//! A certified upper bound on the objective at a low-rank metric.
//!
//! With Q = BBᵀ, B being q×r, f(Q) = ⟨Q, M⟩ − mean gᵀy + mean m(ŷ, g), where
//!
//! ```text
//! m(ŷ, g) = max over z in the cube of  gᵀz − |Bᵀ(ŷ − z)|²
//! ```
//!
//! As −|a|² = min over w of |w|² − 2wᵀa, exchanging the two leaves a problem without constraints in r dimensions:
//!
//! ```text
//! m(ŷ, g) = min over w of ψ(w) = |w|² − 2wᵀBᵀŷ + Σ_j max(c_j, 0)      c = g + 2Bw
//! ```
//!
//! Every w gives an upper bound, so an approximate minimiser suffices. ψ has kinks. The proximal method of
//! multipliers smooths them around a point z of the cube by replacing max(c_j, 0) with
//!
//! ```text
//! max over s in [0, 1] of  c_j·s − ½ρ_j(s − z_j)²
//! ```
//!
//! which Newton's method minimises in a few steps. The maximising s become the next z, and ρ decreases.

use rayon::prelude::*;

use super::whitened::Whitened;
use crate::code::max_margin::Problem;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot, multiply, small};

/// Samples per parallel task.
const CHUNK: usize = 32;
/// The first ρ_j as a fraction of the curvature 2|b_j|² of −|Bᵀ(ŷ − z)|² along z_j.
const FIRST_SMOOTHING: f64 = 0.3;
/// Factor by which ρ is reduced from one z to the next.
const SMOOTHING_FACTOR: f64 = 0.1;
/// The smallest ρ_j relative to the largest: a label with a zero row in B has no curvature.
const SMALLEST_SMOOTHING: f64 = 1e-9;
/// Limits on points z and on Newton steps for each.
const ROUNDS: usize = 8;
const STEPS: usize = 50;
/// Newton steps end when the predicted decrease is below this fraction of the tolerance.
const PRECISION: f64 = 1e-2;
/// Fraction of the predicted decrease that a step must achieve, and halvings before the line search gives up.
const ARMIJO: f64 = 1e-4;
const HALVINGS: usize = 30;

/// A metric Q = BBᵀ.
#[derive(Debug)]
pub(super) struct LowRankMetric {
    /// B, q×r.
    pub(super) root: Matrix,
    /// 2|b_j|² of each row of B.
    curvatures: Vec<f64>,
}

impl LowRankMetric {
    pub(super) fn new(root: Matrix) -> Self {
        let curvatures = (0..root.rows())
            .map(|j| 2.0 * dot(root.row(j), root.row(j)))
            .collect();
        Self { root, curvatures }
    }

    /// An upper bound on f(Q) with a relative error of about `tolerance`. The search starts from `points`.
    pub(super) fn objective(
        &self,
        problem: &Problem,
        whitened: &Whitened,
        points: &Matrix,
        tolerance: f64,
    ) -> f64 {
        let rows: Vec<usize> = (0..problem.rows()).collect();
        let largest: Vec<f64> = rows
            .par_chunks(CHUNK)
            .flat_map_iter(|chunk| {
                let mut search = SmoothedDual::new(self, tolerance);
                let bounds = chunk.iter().map(|&i| {
                    let (gains, predictions) =
                        (problem.gains().row(i), problem.predictions().row(i));
                    search.bound(gains, predictions, points.row(i))
                        - dot(gains, problem.truth().row(i))
                });
                bounds.collect::<Vec<f64>>()
            })
            .collect();
        let priced = multiply(whitened.scatter.view(), self.root.view());
        dot(priced.values(), self.root.values()) + problem.mean(&largest)
    }
}

/// Minimises over w for one sample after another, reusing its memory.
struct SmoothedDual<'a> {
    metric: &'a LowRankMetric,
    tolerance: f64,
    /// Bᵀŷ.
    target: Vec<f64>,
    /// z, the centre of the smoothing.
    centre: Vec<f64>,
    /// ρ.
    rounding: Vec<f64>,
    here: DualPoint,
    next: DualPoint,
    hessian: Vec<f64>,
    step: Vec<f64>,
}

/// A point w with the quantities that depend on it.
#[derive(Debug, Clone, Default)]
struct DualPoint {
    /// w.
    w: Vec<f64>,
    /// c.
    costs: Vec<f64>,
    /// s.
    shares: Vec<f64>,
    /// ψ, smoothed.
    value: f64,
}

impl<'a> SmoothedDual<'a> {
    fn new(metric: &'a LowRankMetric, tolerance: f64) -> Self {
        let (labels, rank) = (metric.root.rows(), metric.root.columns());
        let point = DualPoint {
            w: vec![0.0; rank],
            costs: vec![0.0; labels],
            shares: vec![0.0; labels],
            value: 0.0,
        };
        Self {
            metric,
            tolerance,
            target: vec![0.0; rank],
            centre: vec![0.0; labels],
            rounding: vec![0.0; labels],
            here: point.clone(),
            next: point,
            hessian: vec![0.0; rank * rank],
            step: vec![0.0; rank],
        }
    }

    /// An upper bound on m(ŷ, g).
    fn bound(&mut self, gains: &[f64], predictions: &[f64], start: &[f64]) -> f64 {
        project(&self.metric.root, predictions, &mut self.target);
        self.centre.copy_from_slice(start);
        self.set_w_of(start);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut share = FIRST_SMOOTHING;
        for _ in 0..ROUNDS {
            self.set_smoothing(share);
            self.minimise(gains);
            least = least.min(self.bound_here());
            // The w of the maximising points gives another bound, usually a tighter one.
            let points = self.here.shares.clone();
            self.set_w_of(&points);
            self.evaluate_here(gains);
            least = least.min(self.bound_here());
            most = most.max(dot(gains, &points) - dot(&self.here.w, &self.here.w));
            if least - most <= self.tolerance * (1.0 + most.abs()) {
                break;
            }
            self.centre.copy_from_slice(&points);
            share *= SMOOTHING_FACTOR;
        }
        least
    }

    /// w = Bᵀ(ŷ − z), the minimiser if z is the maximiser.
    fn set_w_of(&mut self, points: &[f64]) {
        residual(&self.metric.root, &self.target, points, &mut self.here.w);
    }

    fn set_smoothing(&mut self, share: f64) {
        let curvatures = &self.metric.curvatures;
        let largest = curvatures.iter().copied().fold(0.0, f64::max);
        for (rounding, curvature) in self.rounding.iter_mut().zip(curvatures) {
            *rounding = (share * curvature)
                .max(SMALLEST_SMOOTHING * largest)
                .max(f64::MIN_POSITIVE);
        }
    }

    /// ψ(w).
    fn bound_here(&self) -> f64 {
        let positive: f64 = self.here.costs.iter().map(|cost| cost.max(0.0)).sum();
        self.smooth_part(&self.here.w) + positive
    }

    /// |w|² − 2wᵀBᵀŷ.
    fn smooth_part(&self, w: &[f64]) -> f64 {
        dot(w, w) - 2.0 * dot(w, &self.target)
    }

    /// Computes the quantities that depend on w.
    fn evaluate(&self, gains: &[f64], point: &mut DualPoint) {
        let mut value = self.smooth_part(&point.w);
        for (j, gain) in gains.iter().enumerate() {
            let cost = gain + 2.0 * dot(self.metric.root.row(j), &point.w);
            let (centre, rounding) = (self.centre[j], self.rounding[j]);
            let share = (centre + cost / rounding).clamp(0.0, 1.0);
            point.costs[j] = cost;
            point.shares[j] = share;
            value += cost * share - 0.5 * rounding * (share - centre) * (share - centre);
        }
        point.value = value;
    }

    fn evaluate_here(&mut self, gains: &[f64]) {
        let mut here = std::mem::take(&mut self.here);
        self.evaluate(gains, &mut here);
        self.here = here;
    }

    /// Minimises the smoothed ψ from the current w.
    fn minimise(&mut self, gains: &[f64]) {
        self.evaluate_here(gains);
        for _ in 0..STEPS {
            let Some(slope) = self.newton_step() else {
                return;
            };
            self.search_along(gains, slope);
            if -slope <= PRECISION * self.tolerance * (1.0 + self.here.value.abs()) {
                return;
            }
        }
    }

    /// Computes the Newton step; returns the derivative along it, or `None` if the Hessian is numerically singular.
    fn newton_step(&mut self) -> Option<f64> {
        let rank = self.step.len();
        self.hessian.fill(0.0);
        (0..rank).for_each(|k| self.hessian[k * rank + k] = 2.0);
        let free = |share: f64| share > 0.0 && share < 1.0;
        for (j, _) in self
            .here
            .shares
            .iter()
            .enumerate()
            .filter(|(_, share)| free(**share))
        {
            let (row, weight) = (self.metric.root.row(j), 4.0 / self.rounding[j]);
            for (k, &entry) in row.iter().enumerate() {
                add_scaled(
                    &mut self.hessian[k * rank..][..=k],
                    weight * entry,
                    &row[..=k],
                );
            }
        }
        // The gradient is 2(w − Bᵀ(ŷ − s)).
        residual(
            &self.metric.root,
            &self.target,
            &self.here.shares,
            &mut self.step,
        );
        for (step, w) in self.step.iter_mut().zip(&self.here.w) {
            *step = 2.0 * (*step - w);
        }
        let descent = self.step.clone();
        if !small::factorise(&mut self.hessian, rank, 0.0) {
            return None;
        }
        small::substitute(&self.hessian, &mut self.step);
        Some(-dot(&descent, &self.step))
    }

    /// Backtracks along the step to a sufficient decrease.
    fn search_along(&mut self, gains: &[f64], slope: f64) {
        let mut next = std::mem::take(&mut self.next);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            next.w.copy_from_slice(&self.here.w);
            add_scaled(&mut next.w, length, &self.step);
            self.evaluate(gains, &mut next);
            if next.value <= self.here.value + ARMIJO * length * slope {
                std::mem::swap(&mut self.here, &mut next);
                break;
            }
            length *= 0.5;
        }
        self.next = next;
    }
}

/// Bᵀa.
fn project(root: &Matrix, a: &[f64], projection: &mut [f64]) {
    projection.fill(0.0);
    for (j, &value) in a.iter().enumerate() {
        if value != 0.0 {
            add_scaled(projection, value, root.row(j));
        }
    }
}

/// Bᵀŷ − Bᵀz.
fn residual(root: &Matrix, target: &[f64], points: &[f64], residual: &mut [f64]) {
    project(root, points, residual);
    for (value, target) in residual.iter_mut().zip(target) {
        *value = target - *value;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        any_problem, cube_points, gaussian, largest_quadratic, stream,
    };
    use crate::code::max_margin::violated::Violated;
    use crate::linalg::multiply_by_transposed;

    proptest! {
        #[test]
        fn the_bound_of_a_sample_is_tight(
            labels in 1usize..6, rank in 0usize..4, seed: u64
        ) {
            let mut stream = stream(seed);
            let root = gaussian(&mut stream, labels, rank);
            let metric = multiply_by_transposed(&root, &root);
            let (gains, predictions) = (gaussian(&mut stream, 1, labels), gaussian(&mut stream, 1, labels));
            let (g, h) = (gains.row(0), predictions.row(0));
            // gᵀz − |Bᵀ(ŷ − z)|² = (g + 2Qŷ)ᵀz − zᵀQz − ŷᵀQŷ.
            let linear: Vec<f64> = (0..labels).map(|j| g[j] + 2.0 * dot(metric.row(j), h)).collect();
            let constant: f64 = (0..labels).map(|j| h[j] * dot(metric.row(j), h)).sum();
            let largest = largest_quadratic(&metric, &linear) - constant;
            let start = cube_points(&mut stream, 1, labels);
            let low_rank = LowRankMetric::new(root);
            for tolerance in [1e-2, 1e-4] {
                let bound = SmoothedDual::new(&low_rank, tolerance).bound(g, h, start.row(0));
                let rounding = 1e-9 * (1.0 + constant.abs());
                prop_assert!(bound >= largest - rounding, "{bound} of {largest}");
                prop_assert!(bound - largest <= tolerance * (1.0 + largest.abs()) + rounding);
            }
        }

        #[test]
        fn the_objective_agrees_with_the_most_violated_points(
            (rows, labels, rank) in (1usize..8, 1usize..6, 1usize..4), seed: u64
        ) {
            let mut stream = stream(seed);
            let problem = any_problem(&mut stream, rows, labels, 100.0);
            let whitened = Whitened::new(&problem).unwrap();
            let root = gaussian(&mut stream, labels, rank);
            let metric = multiply_by_transposed(&root, &root);
            let violated = Violated::in_cube(&problem, &metric, problem.truth());
            let expected = problem.objective(&metric, violated.mean_slack(&problem));
            let start = cube_points(&mut stream, rows, labels);
            let found = LowRankMetric::new(root).objective(&problem, &whitened, &start, 1e-5);
            let rounding = 1e-9 * (1.0 + expected);
            prop_assert!(found >= expected - rounding, "{found} of {expected}");
            prop_assert!(found <= expected + 1e-3 * (1.0 + expected), "{found} of {expected}");
        }
    }
}
