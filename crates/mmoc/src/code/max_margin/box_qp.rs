//! Concave quadratic functions over the unit cube.
//!
//! For a positive semidefinite Q, given at construction, and any b, finds
//!
//! ```text
//! argmax bᵀz − zᵀQz,   0 ≤ z ≤ 1
//! ```
//!
//! by block principal pivoting (Júdice & Pires 1994): guess which coordinates lie at zero, at one and in
//! between, solve for those in between, and move every coordinate that contradicts its guess, all at once
//! while that helps, one by one when it does not, which must end. A good guess, as that of a nearby problem,
//! costs one small linear system.
//!
//! Where Q is singular among the free coordinates, or rounding leads the guesses in circles, the problem
//! is solved again with −τ‖z − z̄‖² added, z̄ being the last solution, over and over: the proximal point
//! method, each step of which is well conditioned.
//!
//! How good a solution is can be told from the gradient r = b − 2Qz there: no point of the cube is better
//! by more than Σ_j max(r_j(1 − z_j), −r_j·z_j). This is the *excess*, and it is returned with every solution.

use crate::data::Matrix;
use crate::linalg::small;

/// The excess at which a solution is taken for exact, relative to Σ|b_j|.
const TOLERANCE: f64 = 1e-12;
/// How far outside of the cube a free coordinate may lie before its guess counts as wrong.
const BOUND_SLACK: f64 = 1e-11;
/// Rounding of a gradient, relative to the numbers that it is made of.
const GRADIENT_ROUNDING: f64 = 1e-14;
/// Times that all contradicting coordinates are moved without getting fewer.
const PATIENCE: usize = 3;
/// Proximal steps; each shrinks the error by orders of magnitude.
const PROXIMAL_STEPS: usize = 60;
/// Weight of the proximal term relative to the largest diagonal entry of Q.
const PROXIMAL_WEIGHT: f64 = 1e-6;
/// Smallest pivot of Q among free coordinates relative to its diagonal entry.
const LEAST_PIVOT: f64 = 1e-13;

/// Solves problems that share Q, without allocating for each.
#[derive(Debug)]
pub(super) struct BoxQp<'a> {
    metric: &'a Matrix,
    largest: f64,
    gradient: Vec<f64>,
    free: Vec<usize>,
    factor: Vec<f64>,
    solution: Vec<f64>,
    places: Vec<Place>,
}

/// Where a coordinate of the solution is taken to lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Zero,
    One,
    Inside,
}

impl Place {
    fn of(value: f64) -> Self {
        if value <= 0.0 {
            Self::Zero
        } else if value >= 1.0 {
            Self::One
        } else {
            Self::Inside
        }
    }
}

impl<'a> BoxQp<'a> {
    /// Prepares problems with the given Q.
    pub(super) fn new(metric: &'a Matrix) -> Self {
        let size = metric.rows();
        let largest = (0..size).map(|j| metric[(j, j)]).fold(0.0, f64::max);
        Self {
            metric,
            largest,
            gradient: vec![0.0; size],
            free: Vec::with_capacity(size),
            factor: vec![0.0; size * size],
            solution: Vec::with_capacity(size),
            places: vec![Place::Zero; size],
        }
    }

    /// r at the last solution.
    pub(super) fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Finds the maximiser from a first guess, in place; returns its excess.
    pub(super) fn maximise(&mut self, b: &[f64], z: &mut [f64]) -> f64 {
        if self.pivot(b, z, 0.0) {
            let excess = self.excess(b, z);
            if excess <= tolerated(b) {
                return excess;
            }
        }
        self.proximal_steps(b, z)
    }

    fn proximal_steps(&mut self, b: &[f64], z: &mut [f64]) -> f64 {
        let weight = (PROXIMAL_WEIGHT * self.largest).max(f64::MIN_POSITIVE.sqrt());
        z.iter_mut()
            .for_each(|value| *value = value.clamp(0.0, 1.0));
        let mut shifted = b.to_vec();
        let mut candidate = z.to_vec();
        let mut least = self.excess(b, z);
        for _ in 0..PROXIMAL_STEPS {
            if least <= tolerated(b) {
                break;
            }
            for (shifted, (b, z)) in shifted.iter_mut().zip(b.iter().zip(&candidate)) {
                *shifted = b + 2.0 * weight * z;
            }
            self.pivot(&shifted, &mut candidate, weight);
            let excess = self.excess(b, &candidate);
            if excess < least {
                least = excess;
                z.copy_from_slice(&candidate);
            }
        }
        self.excess(b, z)
    }

    /// Pivots on Q + τI until no coordinate contradicts its place; false if that does not happen.
    fn pivot(&mut self, b: &[f64], z: &mut [f64], tau: f64) -> bool {
        let size = b.len();
        for (place, value) in self.places.iter_mut().zip(z.iter()) {
            *place = Place::of(*value);
        }
        let (mut fewest, mut patience) = (size + 1, PATIENCE);
        let limit = 20 + 10 * size;
        for _ in 0..limit {
            if !self.solve_free(b, z, tau) {
                return false;
            }
            let rounding = GRADIENT_ROUNDING * self.magnitude(b);
            let (count, last) = self.contradictions(z, rounding);
            if count == 0 {
                z.iter_mut()
                    .for_each(|value| *value = value.clamp(0.0, 1.0));
                return true;
            }
            if count < fewest {
                (fewest, patience) = (count, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let from = if patience > 0 { 0 } else { last };
            self.move_contradicting(z, rounding, from);
        }
        z.iter_mut()
            .for_each(|value| *value = value.clamp(0.0, 1.0));
        false
    }

    /// Largest number that a gradient is made of.
    fn magnitude(&self, b: &[f64]) -> f64 {
        b.iter().fold(self.largest, |most, b| most.max(b.abs()))
    }

    /// How many coordinates contradict their place, and the last of them.
    fn contradictions(&self, z: &[f64], rounding: f64) -> (usize, usize) {
        let wrong = (0..z.len()).filter(|&j| self.better_place(j, z[j], rounding).is_some());
        wrong.fold((0, 0), |(count, _), j| (count + 1, j))
    }

    fn move_contradicting(&mut self, z: &[f64], rounding: f64, from: usize) {
        for (j, value) in z.iter().enumerate().skip(from) {
            if let Some(place) = self.better_place(j, *value, rounding) {
                self.places[j] = place;
            }
        }
    }

    /// Where a coordinate should go if it contradicts its place.
    fn better_place(&self, j: usize, value: f64, rounding: f64) -> Option<Place> {
        match self.places[j] {
            Place::Inside if value < -BOUND_SLACK => Some(Place::Zero),
            Place::Inside if value > 1.0 + BOUND_SLACK => Some(Place::One),
            Place::Zero if self.gradient[j] > rounding => Some(Place::Inside),
            Place::One if self.gradient[j] < -rounding => Some(Place::Inside),
            _ => None,
        }
    }

    /// Maximises over the free coordinates with the others in their places, and leaves the gradient; false
    /// if Q + τI is singular among them.
    fn solve_free(&mut self, b: &[f64], z: &mut [f64], tau: f64) -> bool {
        self.gradient.copy_from_slice(b);
        self.free.clear();
        for (j, place) in self.places.iter().enumerate() {
            match place {
                Place::Zero => z[j] = 0.0,
                Place::One => {
                    z[j] = 1.0;
                    subtract_twice(&mut self.gradient, 1.0, self.metric.row(j));
                    self.gradient[j] -= 2.0 * tau;
                }
                Place::Inside => self.free.push(j),
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
            subtract_twice(&mut self.gradient, value, self.metric.row(j));
            self.gradient[j] -= 2.0 * tau * value;
        }
        true
    }

    /// The Cholesky factor of Q + τI among the free coordinates.
    fn factorise_free(&mut self, tau: f64) -> bool {
        let count = self.free.len();
        for (row, &j) in self.free.iter().enumerate() {
            let entries = self.metric.row(j);
            for (column, &k) in self.free[..=row].iter().enumerate() {
                self.factor[row * count + column] = entries[k];
            }
            self.factor[row * count + row] += tau;
        }
        small::factorise(&mut self.factor, count, LEAST_PIVOT)
    }

    /// The excess of a point, and the gradient there.
    fn excess(&mut self, b: &[f64], z: &[f64]) -> f64 {
        self.gradient.copy_from_slice(b);
        for (j, &value) in z.iter().enumerate() {
            if value != 0.0 {
                subtract_twice(&mut self.gradient, value, self.metric.row(j));
            }
        }
        let terms = self.gradient.iter().zip(z);
        terms.map(|(r, z)| (r * (1.0 - z)).max(-r * z)).sum()
    }
}

fn tolerated(b: &[f64]) -> f64 {
    TOLERANCE * b.iter().map(|b| b.abs()).sum::<f64>()
}

/// Subtracts `2·scale·row`.
fn subtract_twice(sum: &mut [f64], scale: f64, row: &[f64]) {
    for (sum, entry) in sum.iter_mut().zip(row) {
        *sum -= 2.0 * scale * entry;
    }
}
