//! A certain upper bound of the objective at a metric of low rank.
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
//! Every w gives an upper bound, so none needs to be the best. ψ has kinks; the proximal method of multipliers rounds
//! them off around a point z of the cube, max(c_j, 0) becoming
//!
//! ```text
//! max over s in [0, 1] of  c_j·s − ½ρ_j(s − z_j)²
//! ```
//!
//! which Newton's method minimises in a few steps. The maximising s are the next z, and ρ falls.

use rayon::prelude::*;

use super::whitened::Whitened;
use crate::code::max_margin::Problem;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot, multiply, small};

/// Samples that one thread bounds at a time.
const CHUNK: usize = 32;
/// The first ρ_j as a share of the curvature 2|b_j|² of −|Bᵀ(ŷ − z)|² along z_j.
const ROUNDING: f64 = 0.3;
/// What ρ is multiplied by from one z to the next.
const FALL: f64 = 0.1;
/// The least ρ_j as a share of the largest: a label that the metric does not see has no curvature.
const LEAST: f64 = 1e-9;
/// Most points z, and most Newton steps around each.
const ROUNDS: usize = 8;
const STEPS: usize = 50;
/// Newton steps end when one promises less than this share of what the bound may lack.
const PRECISION: f64 = 1e-2;
/// Share of the promised decrease that a step must bring, and halvings before it is taken as it is.
const ARMIJO: f64 = 1e-4;
const HALVINGS: usize = 30;

/// A metric Q = BBᵀ.
#[derive(Debug)]
pub(super) struct LowRank {
    /// B, q×r.
    pub(super) root: Matrix,
    /// 2|b_j|² of each row of B.
    curvatures: Vec<f64>,
}

impl LowRank {
    pub(super) fn new(root: Matrix) -> Self {
        let curvatures = (0..root.rows())
            .map(|j| 2.0 * dot(root.row(j), root.row(j)))
            .collect();
        Self { root, curvatures }
    }

    /// An upper bound of f(Q) that lacks about `tolerance` of itself. `points` are where the search starts.
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
                let mut search = Search::new(self, tolerance);
                let bounds = chunk.iter().map(|&i| {
                    let (gains, predictions) =
                        (problem.gains().row(i), problem.predictions().row(i));
                    search.bound(gains, predictions, points.row(i))
                        - dot(gains, problem.truth().row(i))
                });
                bounds.collect::<Vec<f64>>()
            })
            .collect();
        let mean = largest.iter().sum::<f64>() / problem.rows() as f64;
        let priced = multiply(whitened.scatter.view(), self.root.view());
        dot(priced.values(), self.root.values()) + mean
    }
}

/// The search for w of one sample after another, in memory of its own.
struct Search<'a> {
    metric: &'a LowRank,
    tolerance: f64,
    /// Bᵀŷ.
    target: Vec<f64>,
    /// z, around which kinks are rounded off.
    centre: Vec<f64>,
    /// ρ.
    rounding: Vec<f64>,
    here: Place,
    next: Place,
    hessian: Vec<f64>,
    step: Vec<f64>,
}

/// A point of the search.
#[derive(Debug, Clone, Default)]
struct Place {
    /// w.
    w: Vec<f64>,
    /// c.
    costs: Vec<f64>,
    /// s.
    shares: Vec<f64>,
    /// ψ, rounded off.
    value: f64,
}

impl<'a> Search<'a> {
    fn new(metric: &'a LowRank, tolerance: f64) -> Self {
        let (labels, rank) = (metric.root.rows(), metric.root.columns());
        let place = Place {
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
            here: place.clone(),
            next: place,
            hessian: vec![0.0; rank * rank],
            step: vec![0.0; rank],
        }
    }

    /// An upper bound of m(ŷ, g).
    fn bound(&mut self, gains: &[f64], predictions: &[f64], start: &[f64]) -> f64 {
        project(&self.metric.root, predictions, &mut self.target);
        self.centre.copy_from_slice(start);
        self.set_w_of(start);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut share = ROUNDING;
        for _ in 0..ROUNDS {
            self.round_off(share);
            self.minimise(gains);
            least = least.min(self.bound_here());
            // The w of the maximising points has a bound of its own, mostly the better one.
            let points = self.here.shares.clone();
            self.set_w_of(&points);
            self.evaluate_here(gains);
            least = least.min(self.bound_here());
            most = most.max(dot(gains, &points) - dot(&self.here.w, &self.here.w));
            if least - most <= self.tolerance * (1.0 + most.abs()) {
                break;
            }
            self.centre.copy_from_slice(&points);
            share *= FALL;
        }
        least
    }

    /// w = Bᵀ(ŷ − z), the best one if z is the maximiser.
    fn set_w_of(&mut self, points: &[f64]) {
        residual(&self.metric.root, &self.target, points, &mut self.here.w);
    }

    fn round_off(&mut self, share: f64) {
        let curvatures = &self.metric.curvatures;
        let largest = curvatures.iter().copied().fold(0.0, f64::max);
        for (rounding, curvature) in self.rounding.iter_mut().zip(curvatures) {
            *rounding = (share * curvature)
                .max(LEAST * largest)
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

    /// Fills in all that follows from w.
    fn evaluate(&self, gains: &[f64], place: &mut Place) {
        let mut value = self.smooth_part(&place.w);
        for (j, gain) in gains.iter().enumerate() {
            let cost = gain + 2.0 * dot(self.metric.root.row(j), &place.w);
            let (centre, rounding) = (self.centre[j], self.rounding[j]);
            let share = (centre + cost / rounding).clamp(0.0, 1.0);
            place.costs[j] = cost;
            place.shares[j] = share;
            value += cost * share - 0.5 * rounding * (share - centre) * (share - centre);
        }
        place.value = value;
    }

    fn evaluate_here(&mut self, gains: &[f64]) {
        let mut here = std::mem::take(&mut self.here);
        self.evaluate(gains, &mut here);
        self.here = here;
    }

    /// Minimises what is rounded off, from the present w.
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

    /// Finds the Newton step; returns the derivative along it, or none where numbers do not allow a step.
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

    /// Goes along the step until the value falls as it should.
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
        cube_points, gaussian, largest_quadratic, problem, stream,
    };
    use crate::code::max_margin::violated::Violated;
    use crate::linalg::multiply_by_transposed;

    proptest! {
        #[test]
        fn the_bound_of_a_sample_is_above_the_largest_value_by_little(
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
            let low_rank = LowRank::new(root);
            for tolerance in [1e-2, 1e-4] {
                let bound = Search::new(&low_rank, tolerance).bound(g, h, start.row(0));
                let rounding = 1e-9 * (1.0 + constant.abs());
                prop_assert!(bound >= largest - rounding, "{bound} of {largest}");
                prop_assert!(bound - largest <= tolerance * (1.0 + largest.abs()) + rounding);
            }
        }

        #[test]
        fn the_objective_is_that_of_the_most_violated_points(
            (rows, labels, rank) in (1usize..8, 1usize..6, 1usize..4), seed: u64
        ) {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, rows, labels, 100.0);
            let whitened = Whitened::new(&problem).unwrap();
            let root = gaussian(&mut stream, labels, rank);
            let metric = multiply_by_transposed(&root, &root);
            let violated = Violated::in_cube(&problem, &metric, problem.truth());
            let expected = problem.objective(&metric, violated.mean_slack());
            let start = cube_points(&mut stream, rows, labels);
            let found = LowRank::new(root).objective(&problem, &whitened, &start, 1e-5);
            let rounding = 1e-9 * (1.0 + expected);
            prop_assert!(found >= expected - rounding, "{found} of {expected}");
            prop_assert!(found <= expected + 1e-3 * (1.0 + expected), "{found} of {expected}");
        }
    }
}
