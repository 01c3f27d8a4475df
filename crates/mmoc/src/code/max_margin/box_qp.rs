//! Concave quadratic maximisation over the unit cube.
//!
//! For a positive semidefinite Q, given at construction, and any b, finds
//!
//! ```text
//! argmax bᵀz − zᵀQz,   0 ≤ z ≤ 1
//! ```
//!
//! by block principal pivoting (Júdice & Pires 1994): guess which coordinates are at zero, at one and free, solve
//! for the free ones, and change the state of every coordinate that violates its optimality condition. All are
//! changed at once while their number decreases, and one at a time otherwise, which terminates. A good initial
//! guess, such as the solution of a nearby problem, costs one small linear system.
//!
//! Where Q is singular on the free coordinates, or pivoting does not terminate within its limit, the problem is
//! solved by the proximal point method: −τ‖z − z̄‖² is added, with z̄ the last solution and τ decreasing, so that
//! every step is better conditioned. If pivoting fails there too, an active-set method takes the step. It stays in
//! the cube and moves from the maximiser of one face to that of the next.
//!
//! The gradient r = b − 2Qz bounds the error of a solution: no point of the cube has a value larger by more than
//! Σ_j max(r_j(1 − z_j), −r_j·z_j). This bound is the *excess*; every solution comes with it.

use crate::data::Matrix;
use crate::linalg::{add_scaled, small};

/// Excess at which a solution counts as exact, relative to Σ|b_j|.
const TOLERANCE: f64 = 1e-12;
/// How far outside the cube a free coordinate may lie before its state counts as wrong.
const BOUND_SLACK: f64 = 1e-11;
/// Rounding error of a gradient, relative to its largest term.
const GRADIENT_ROUNDING: f64 = 1e-14;
/// Block pivots without a new minimum of violations before pivots become single.
const BLOCK_PIVOTS: usize = 3;
/// Limit on proximal steps; each reduces the error by orders of magnitude.
const PROXIMAL_STEPS: usize = 60;
/// First and smallest weight of the proximal term relative to the largest diagonal entry of Q. Where Q has no
/// curvature, a step is at most the gain of a direction divided by this weight.
const PROXIMAL_WEIGHT: (f64, f64) = (1e-6, 1e-11);
/// Factor by which the proximal weight is reduced at each step.
const PROXIMAL_FACTOR: f64 = 0.1;
/// Smallest pivot of Q on the free coordinates relative to its diagonal entry.
const SMALLEST_PIVOT: f64 = 1e-13;

/// Solves problems that share Q without allocating for each.
#[derive(Debug)]
pub(super) struct BoxQp<'a> {
    metric: &'a Matrix,
    largest: f64,
    gradient: Vec<f64>,
    free: Vec<usize>,
    factor: Vec<f64>,
    solution: Vec<f64>,
    states: Vec<CoordinateState>,
}

/// Whether a coordinate of the solution is fixed at a bound or free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoordinateState {
    Zero,
    One,
    Free,
}

impl CoordinateState {
    fn of(value: f64) -> Self {
        if value <= 0.0 {
            Self::Zero
        } else if value >= 1.0 {
            Self::One
        } else {
            Self::Free
        }
    }
}

impl<'a> BoxQp<'a> {
    /// A solver for problems with the given Q.
    pub(super) fn new(metric: &'a Matrix) -> Self {
        let size = metric.rows();
        let largest = (0..size).map(|j| metric[(j, j)]).fold(0.0, f64::max);
        Self {
            metric,
            largest,
            gradient: vec![0.0; size],
            free: Vec::with_capacity(size),
            factor: Vec::new(),
            solution: Vec::with_capacity(size),
            states: vec![CoordinateState::Zero; size],
        }
    }

    /// The gradient r at the last solution.
    pub(super) fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Replaces the initial guess z by the maximiser; returns its excess.
    pub(super) fn maximise(&mut self, b: &[f64], z: &mut [f64]) -> f64 {
        if self.pivot(b, z, 0.0) {
            let excess = self.excess(b, z);
            if excess <= tolerance(b) {
                return excess;
            }
        }
        self.proximal_steps(b, z)
    }

    fn proximal_steps(&mut self, b: &[f64], z: &mut [f64]) -> f64 {
        let scale = self.largest.max(f64::MIN_POSITIVE.sqrt());
        let mut weight = PROXIMAL_WEIGHT.0 * scale;
        clamp(z);
        let mut shifted = b.to_vec();
        let mut candidate = z.to_vec();
        let mut least = self.excess(b, z);
        for _ in 0..PROXIMAL_STEPS {
            if least <= tolerance(b) {
                break;
            }
            for (shifted, (b, z)) in shifted.iter_mut().zip(b.iter().zip(&candidate)) {
                *shifted = b + 2.0 * weight * z;
            }
            let centre = candidate.clone();
            if !self.pivot(&shifted, &mut candidate, weight) {
                candidate = centre;
                self.active_set(&shifted, &mut candidate, weight);
            }
            let excess = self.excess(b, &candidate);
            if excess < least {
                least = excess;
                z.copy_from_slice(&candidate);
            }
            weight = (PROXIMAL_FACTOR * weight).max(PROXIMAL_WEIGHT.1 * scale);
        }
        self.excess(b, z)
    }

    /// Pivots on Q + τI until every state is consistent; returns false if the limit is reached or Q + τI is
    /// singular.
    fn pivot(&mut self, b: &[f64], z: &mut [f64], tau: f64) -> bool {
        let size = b.len();
        for (state, value) in self.states.iter_mut().zip(z.iter()) {
            *state = CoordinateState::of(*value);
        }
        let (mut fewest, mut block_pivots) = (size + 1, BLOCK_PIVOTS);
        let limit = 20 + 10 * size;
        for _ in 0..limit {
            if !self.solve_free(b, z, tau) {
                return false;
            }
            let rounding = GRADIENT_ROUNDING * self.magnitude(b);
            let (count, last) = self.inconsistent_states(z, rounding);
            if count == 0 {
                clamp(z);
                return true;
            }
            if count < fewest {
                (fewest, block_pivots) = (count, BLOCK_PIVOTS);
            } else {
                block_pivots = block_pivots.saturating_sub(1);
            }
            let from = if block_pivots > 0 { 0 } else { last };
            self.fix_inconsistent(z, rounding, from);
        }
        clamp(z);
        false
    }

    /// Active-set ascent on Q + τI from a point of the cube: moves towards the maximiser of its face up to the
    /// first bound, and from the maximiser of a face into the adjacent face with the largest gradient.
    fn active_set(&mut self, b: &[f64], z: &mut [f64], tau: f64) {
        let rounding = GRADIENT_ROUNDING * self.magnitude(b);
        for (state, value) in self.states.iter_mut().zip(z.iter()) {
            *state = CoordinateState::of(*value);
        }
        let mut best = z.to_vec();
        let limit = 20 + 10 * b.len();
        for _ in 0..limit {
            if !self.solve_free(b, &mut best, tau) {
                return;
            }
            let (length, blocking) = self.first_bound(z, &best);
            for (z, best) in z.iter_mut().zip(&best) {
                *z = (*z + length * (best - *z)).clamp(0.0, 1.0);
            }
            let next = blocking.or_else(|| self.steepest_bound(&best, rounding));
            let Some((j, state)) = next else { return };
            self.states[j] = state;
        }
    }

    /// The fraction of the segment between two points that lies in the cube, and the coordinate that leaves it
    /// first.
    fn first_bound(&self, from: &[f64], to: &[f64]) -> (f64, Option<(usize, CoordinateState)>) {
        let mut first = (1.0, None);
        for &j in &self.free {
            let (state, bound) = if to[j] < -BOUND_SLACK {
                (CoordinateState::Zero, 0.0)
            } else if to[j] > 1.0 + BOUND_SLACK {
                (CoordinateState::One, 1.0)
            } else {
                continue;
            };
            let length = (bound - from[j]) / (to[j] - from[j]);
            if length < first.0 {
                first = (length, Some((j, state)));
            }
        }
        first
    }

    /// The coordinate at a bound with the largest gradient away from it.
    fn steepest_bound(&self, z: &[f64], rounding: f64) -> Option<(usize, CoordinateState)> {
        let size = |j: &usize| self.gradient[*j].abs();
        (0..z.len())
            .filter(|&j| self.states[j] != CoordinateState::Free)
            .filter(|&j| self.consistent_state(j, z[j], rounding).is_some())
            .max_by(|j, k| size(j).total_cmp(&size(k)))
            .map(|j| (j, CoordinateState::Free))
    }

    /// The largest term of a gradient.
    fn magnitude(&self, b: &[f64]) -> f64 {
        b.iter().fold(self.largest, |most, b| most.max(b.abs()))
    }

    /// The number of coordinates with an inconsistent state, and the last of them.
    fn inconsistent_states(&self, z: &[f64], rounding: f64) -> (usize, usize) {
        let wrong = (0..z.len()).filter(|&j| self.consistent_state(j, z[j], rounding).is_some());
        wrong.fold((0, 0), |(count, _), j| (count + 1, j))
    }

    fn fix_inconsistent(&mut self, z: &[f64], rounding: f64, from: usize) {
        for (j, value) in z.iter().enumerate().skip(from) {
            if let Some(state) = self.consistent_state(j, *value, rounding) {
                self.states[j] = state;
            }
        }
    }

    /// The state that a coordinate should have, if its own is inconsistent.
    fn consistent_state(&self, j: usize, value: f64, rounding: f64) -> Option<CoordinateState> {
        match self.states[j] {
            CoordinateState::Free if value < -BOUND_SLACK => Some(CoordinateState::Zero),
            CoordinateState::Free if value > 1.0 + BOUND_SLACK => Some(CoordinateState::One),
            CoordinateState::Zero if self.gradient[j] > rounding => Some(CoordinateState::Free),
            CoordinateState::One if self.gradient[j] < -rounding => Some(CoordinateState::Free),
            _ => None,
        }
    }

    /// Maximises over the free coordinates with the others fixed and updates the gradient; returns false if Q + τI
    /// is singular on them.
    fn solve_free(&mut self, b: &[f64], z: &mut [f64], tau: f64) -> bool {
        self.gradient.copy_from_slice(b);
        self.free.clear();
        for (j, state) in self.states.iter().enumerate() {
            match state {
                CoordinateState::Zero => z[j] = 0.0,
                CoordinateState::One => {
                    z[j] = 1.0;
                    add_scaled(&mut self.gradient, -2.0, self.metric.row(j));
                    self.gradient[j] -= 2.0 * tau;
                }
                CoordinateState::Free => self.free.push(j),
            }
        }
        if !self.factorise_free(tau) {
            return false;
        }
        self.solution.clear();
        let halves = self.free.iter().map(|&j| 0.5 * self.gradient[j]);
        self.solution.extend(halves);
        small::substitute(&self.factor, &mut self.solution);
        for (&j, &value) in self.free.iter().zip(&self.solution) {
            z[j] = value;
            add_scaled(&mut self.gradient, -2.0 * value, self.metric.row(j));
            self.gradient[j] -= 2.0 * tau * value;
        }
        true
    }

    /// The Cholesky factor of Q + τI on the free coordinates.
    fn factorise_free(&mut self, tau: f64) -> bool {
        let count = self.free.len();
        self.factor.resize(count * count, 0.0);
        for (row, &j) in self.free.iter().enumerate() {
            let entries = self.metric.row(j);
            for (column, &k) in self.free[..=row].iter().enumerate() {
                self.factor[row * count + column] = entries[k];
            }
            self.factor[row * count + row] += tau;
        }
        small::factorise(&mut self.factor, count, SMALLEST_PIVOT)
    }

    /// The excess of a point; updates the gradient.
    fn excess(&mut self, b: &[f64], z: &[f64]) -> f64 {
        self.gradient.copy_from_slice(b);
        for (j, &value) in z.iter().enumerate() {
            if value != 0.0 {
                add_scaled(&mut self.gradient, -2.0 * value, self.metric.row(j));
            }
        }
        let terms = self.gradient.iter().zip(z);
        terms.map(|(r, z)| (r * (1.0 - z)).max(-r * z)).sum()
    }
}

fn clamp(z: &mut [f64]) {
    z.iter_mut()
        .for_each(|value| *value = value.clamp(0.0, 1.0));
}

fn tolerance(b: &[f64]) -> f64 {
    TOLERANCE * b.iter().map(|b| b.abs()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::testing::{
        cube_points, definite, gaussian, largest_quadratic, quadratic, semidefinite, stream,
    };
    use crate::seed::Stream;

    /// A point, its value and its excess.
    fn solve(metric: &Matrix, b: &[f64], start: &[f64]) -> (Vec<f64>, f64, f64) {
        let mut z = start.to_vec();
        let excess = BoxQp::new(metric).maximise(b, &mut z);
        assert!(z.iter().all(|z| (0.0..=1.0).contains(z)), "{z:?}");
        let value = quadratic(metric, b, &z);
        (z, value, excess)
    }

    fn size_of(b: &[f64]) -> f64 {
        b.iter().map(|b| b.abs()).sum()
    }

    /// Tolerance for comparing values: the largest terms times a multiple of their rounding error.
    fn rounding(metric: &Matrix, b: &[f64]) -> f64 {
        let trace: f64 = (0..b.len()).map(|j| metric[(j, j)]).sum();
        1e-11 * (size_of(b) + trace)
    }

    /// Normally distributed numbers, or small integers, which produce ties.
    fn linear(stream: &mut Stream, size: usize, scale: f64, ties: bool) -> Vec<f64> {
        let draw = |_| {
            if ties {
                scale * (stream.below(5) as f64 - 2.0)
            } else {
                scale * stream.gaussian()
            }
        };
        (0..size).map(draw).collect()
    }

    /// Metrics of several kinds: definite, of low rank, with equal rows, zero.
    fn metric(stream: &mut Stream, size: usize, kind: usize) -> Matrix {
        match kind {
            0 => definite(stream, size),
            1 => semidefinite(stream, size, 1),
            2 => semidefinite(stream, size, size.div_ceil(2)),
            3 => {
                let rows = gaussian(stream, size.div_ceil(2), 3);
                Matrix::from_fn(size, size, |j, k| {
                    (0..3).map(|m| rows[(j / 2, m)] * rows[(k / 2, m)]).sum()
                })
            }
            _ => Matrix::zeros(size, size),
        }
    }

    /// Eigenvalues from 1 down to 10⁻¹², in random directions.
    fn badly_scaled(stream: &mut Stream, size: usize) -> Matrix {
        let schema = crate::linalg::symmetric_eigen(definite(stream, size)).unwrap();
        let value = |m: usize| 10f64.powf(-12.0 * m as f64 / (size - 1) as f64);
        let vectors = &schema.vectors;
        Matrix::from_fn(size, size, |j, k| {
            (0..size)
                .map(|m| value(m) * vectors[(j, m)] * vectors[(k, m)])
                .sum()
        })
    }

    proptest! {
        #[test]
        fn no_face_of_the_cube_has_a_larger_value(
            (size, seed) in (1usize..6, any::<u64>()),
            (kind, ties) in (0usize..5, any::<bool>()),
            scale in prop::sample::select(vec![0.1, 1.0, 700.0, 1e4]),
        ) {
            let mut stream = stream(seed);
            let metric = metric(&mut stream, size, kind);
            let b = linear(&mut stream, size, scale, ties);
            let start = cube_points(&mut stream, 1, size);
            let (_, value, excess) = solve(&metric, &b, start.values());
            let best = largest_quadratic(&metric, &b);
            prop_assert!(excess >= 0.0);
            prop_assert!((value - best).abs() <= rounding(&metric, &b), "{value} {best}");
        }

        #[test]
        fn the_initial_guess_does_not_change_the_value(
            (size, seed) in (1usize..13, any::<u64>()),
            (kind, ties) in (0usize..5, any::<bool>()),
        ) {
            let mut stream = stream(seed);
            let metric = metric(&mut stream, size, kind);
            let b = linear(&mut stream, size, 2.0, ties);
            let (_, value, _) = solve(&metric, &b, &vec![0.0; size]);
            for _ in 0..5 {
                let start = cube_points(&mut stream, 1, size);
                let (_, other, _) = solve(&metric, &b, start.values());
                prop_assert!((value - other).abs() <= rounding(&metric, &b), "{value} {other}");
            }
        }

        #[test]
        fn the_gradient_vanishes_inside_and_points_outwards_at_the_faces(
            (size, seed) in (1usize..13, any::<u64>()),
            scale in prop::sample::select(vec![0.1, 1.0, 700.0]),
        ) {
            let mut stream = stream(seed);
            let metric = definite(&mut stream, size);
            let b = linear(&mut stream, size, scale, false);
            let mut z = vec![0.5; size];
            let mut box_qp = BoxQp::new(&metric);
            let excess = box_qp.maximise(&b, &mut z);
            let tolerance = 1e-11 * size_of(&b);
            prop_assert!(excess <= tolerance);
            for (j, &z_j) in z.iter().enumerate() {
                let r = b[j] - 2.0 * crate::linalg::dot(metric.row(j), &z);
                prop_assert!((r - box_qp.gradient()[j]).abs() <= tolerance);
                prop_assert!(z_j >= 1.0 || r <= tolerance, "{z_j} could increase: {r}");
                prop_assert!(z_j <= 0.0 || r >= -tolerance, "{z_j} could decrease: {r}");
            }
        }

        #[test]
        fn the_excess_bounds_the_error_of_any_point(
            (size, seed) in (1usize..9, any::<u64>()),
            kind in 0usize..5,
        ) {
            let mut stream = stream(seed);
            let metric = metric(&mut stream, size, kind);
            let b = linear(&mut stream, size, 2.0, false);
            // This holds for any point, not only for solutions.
            let points = cube_points(&mut stream, 12, size);
            let mut box_qp = BoxQp::new(&metric);
            for z in (0..12).map(|row| points.row(row)) {
                let bound = quadratic(&metric, &b, z) + box_qp.excess(&b, z);
                for other in (0..12).map(|row| points.row(row)) {
                    let value = quadratic(&metric, &b, other);
                    prop_assert!(value <= bound + rounding(&metric, &b));
                }
            }
        }

        #[test]
        fn badly_scaled_metrics_are_solved_exactly(
            (size, seed) in (2usize..6, any::<u64>()),
            scale in prop::sample::select(vec![1e-6, 1e-2, 1.0, 700.0]),
        ) {
            let mut stream = stream(seed);
            let metric = badly_scaled(&mut stream, size);
            let b = linear(&mut stream, size, scale, false);
            let start = cube_points(&mut stream, 1, size);
            let (_, value, excess) = solve(&metric, &b, start.values());
            let best = largest_quadratic(&metric, &b);
            let rounding = rounding(&metric, &b);
            prop_assert!(value <= best + rounding, "{value} {best}");
            prop_assert!(best <= value + excess + rounding, "{value} {best} {excess}");
            prop_assert!(excess <= rounding, "{excess:e}");
        }
    }

    /// A low-rank metric plus a small multiple of the identity, and gains of ordinary size, as the solver meets
    /// them.
    fn nearly_singular(seed: u64) -> (Matrix, Vec<f64>, Vec<f64>) {
        let mut stream = stream(seed);
        let size = 2 + stream.below(11);
        let rank = 1 + stream.below(size);
        let mut metric = semidefinite(&mut stream, size, rank);
        let scale = 10f64.powf(stream.below(13) as f64 - 4.0);
        let ridge = 10f64.powf(-(stream.below(16) as f64));
        metric.values_mut().iter_mut().for_each(|v| *v *= scale);
        (0..size).for_each(|j| metric[(j, j)] += ridge * scale);
        let prediction = gaussian(&mut stream, 1, size);
        let pull = |j: usize| 2.0 * crate::linalg::dot(metric.row(j), prediction.row(0));
        let b = (0..size).map(|j| stream.gaussian() + pull(j)).collect();
        let start = cube_points(&mut stream, 1, size).values().to_vec();
        (metric, b, start)
    }

    #[test]
    fn nearly_singular_metrics_are_solved_exactly() {
        // In the two listed cases pivoting does not terminate within any reasonable limit, or a direction with a
        // small gain has no curvature.
        for seed in (0..2000).chain([10_852, 30_108]) {
            let (metric, b, start) = nearly_singular(seed);
            let (_, _, excess) = solve(&metric, &b, &start);
            assert!(excess <= 1e-12 * size_of(&b), "{seed}: {excess:e}");
        }
    }

    #[test]
    fn the_active_set_method_alone_finds_the_maximum() {
        let mut stream = stream(3);
        for _ in 0..200 {
            let metric = definite(&mut stream, 5);
            let b = linear(&mut stream, 5, 3.0, false);
            let mut z = cube_points(&mut stream, 1, 5).values().to_vec();
            BoxQp::new(&metric).active_set(&b, &mut z, 0.0);
            let (value, best) = (quadratic(&metric, &b, &z), largest_quadratic(&metric, &b));
            assert!(
                (value - best).abs() <= 1e-11 * size_of(&b),
                "{value} {best}"
            );
        }
    }

    #[test]
    fn no_grid_point_has_a_larger_value() {
        let mut stream = stream(1);
        for _ in 0..20 {
            let metric = definite(&mut stream, 2);
            let b = linear(&mut stream, 2, 2.0, false);
            let (_, value, _) = solve(&metric, &b, &[0.5, 0.5]);
            let mut best = f64::NEG_INFINITY;
            for code in 0..101 * 101 {
                let z = [f64::from(code % 101) / 100.0, f64::from(code / 101) / 100.0];
                best = best.max(quadratic(&metric, &b, &z));
            }
            // Half a grid step away, the value decreases by at most a quarter of the curvature times the squared
            // grid step.
            assert!(
                best <= value + 1e-12 && value <= best + 1e-3,
                "{value} {best}"
            );
        }
    }

    #[test]
    fn with_a_zero_metric_every_positive_gain_is_taken() {
        let metric = Matrix::zeros(3, 3);
        let (z, value, excess) = solve(&metric, &[2.0, -1.0, 0.0], &[0.3, 0.3, 0.3]);
        assert_eq!((z[0], z[1], value, excess), (1.0, 0.0, 2.0, 0.0));
    }

    #[test]
    fn a_reused_solver_gives_the_same_solutions() {
        let mut stream = stream(2);
        let metric = definite(&mut stream, 6);
        let mut shared = BoxQp::new(&metric);
        for _ in 0..50 {
            let b = linear(&mut stream, 6, 3.0, false);
            let mut z = vec![0.0; 6];
            shared.maximise(&b, &mut z);
            assert_eq!(z, solve(&metric, &b, &[0.0; 6]).0);
        }
    }
}
