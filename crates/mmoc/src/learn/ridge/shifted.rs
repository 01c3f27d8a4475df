//! Conjugate gradients for one right-hand side and all penalties at once.
//!
//! The systems (A + α_j·I)·w_j = b of different penalties have the same Krylov spaces, so one product with A per
//! step serves all of them (Frommer & Maass 1999; Jegerlehner 1996). Conjugate gradients run for the weakest
//! penalty α. With its step length a and its direction factor β, and σ_j = α_j − α ≥ 0, the residual of penalty j
//! is ζ_j·r, where
//!
//! ```text
//! ρ_j ← 1 / (1 + σ_j·a + (a·β/a')·(1 − ρ_j))       ζ_j ← ρ_j·ζ_j
//! w_j ← w_j + a·ρ_j·p_j                             p_j ← ζ_j·r + β'·ρ_j²·p_j
//! ```
//!
//! with a' the previous step length and β' the next direction factor. All ρ are in (0, 1]: nothing cancels,
//! stronger penalties converge first, and a converged system is no longer updated.
//!
//! A step costs a product and, for each penalty that has not converged, two passes over its vectors. Following the
//! grid from strong to weak with warm starts would need the vectors of one penalty only, but the products of all
//! penalties: on a grid of half decades, where the number of steps is proportional to 1/√α, 2.3 times as many.

use crate::linalg::{add_scaled, dot, vectorised};

/// Stopping criteria of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    /// Residual relative to the right-hand side.
    pub(super) tolerance: f64,
    /// Limit on steps.
    pub(super) most_steps: usize,
}

/// The systems of one right-hand side.
#[derive(Debug)]
pub(super) struct Shifted {
    limits: Limits,
    weakest: f64,
    residual: Vec<f64>,
    /// ‖r‖².
    square: f64,
    /// ‖b‖.
    size: f64,
    /// a and β of the previous step.
    last: (f64, f64),
    steps: usize,
    /// One system for each penalty, the weakest last.
    systems: Vec<PenaltySystem>,
}

/// The system of one penalty.
#[derive(Debug)]
struct PenaltySystem {
    /// σ.
    shift: f64,
    /// ζ.
    scale: f64,
    /// ρ.
    ratio: f64,
    /// w.
    solution: Vec<f64>,
    /// p; empty once the system is solved.
    direction: Vec<f64>,
}

impl PenaltySystem {
    fn is_solved(&self) -> bool {
        self.direction.is_empty()
    }
}

impl Shifted {
    /// Systems with the given right-hand side, starting from zero, at penalties from the strongest to the weakest.
    pub(super) fn new(right: &[f64], penalties: &[f64], limits: Limits) -> Self {
        let square = dot(right, right);
        let weakest = penalties.last().copied().unwrap_or(1.0);
        let system = |&penalty: &f64| PenaltySystem {
            shift: penalty - weakest,
            scale: 1.0,
            ratio: 1.0,
            solution: vec![0.0; right.len()],
            direction: if square > 0.0 { right.to_vec() } else { vec![] },
        };
        Self {
            limits,
            weakest,
            residual: right.to_vec(),
            square,
            size: square.sqrt(),
            last: (1.0, 0.0),
            steps: 0,
            systems: penalties.iter().map(system).collect(),
        }
    }

    /// Whether all systems are solved or the step limit is reached.
    pub(super) fn is_over(&self) -> bool {
        self.steps >= self.limits.most_steps || self.solved() == self.systems.len()
    }

    /// Number of solved systems.
    pub(super) fn solved(&self) -> usize {
        self.systems.iter().filter(|s| s.is_solved()).count()
    }

    /// Steps taken.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// The solutions in the order of the penalties.
    pub(super) fn solutions(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.systems.iter().map(|system| system.solution.as_slice())
    }

    /// The vector that the next step multiplies by A.
    pub(super) fn direction(&self) -> &[f64] {
        self.systems
            .last()
            .map_or(&[], |weakest| &weakest.direction)
    }

    /// Takes a step, given the product of A and the direction.
    pub(super) fn take(&mut self, product: &[f64]) {
        self.steps += 1;
        let direction = self.direction();
        let curvature = dot(direction, product) + self.weakest * dot(direction, direction);
        let step = self.square / curvature;
        if !(step.is_finite() && step > 0.0) {
            // Overflow or underflow: no further step is meaningful.
            self.steps = self.limits.most_steps;
            return;
        }
        let (step_before, growth_before) = self.last;
        let carried = step * growth_before / step_before;
        for system in self.systems.iter_mut().filter(|s| !s.is_solved()) {
            system.ratio = (1.0 + system.shift * step + carried * (1.0 - system.ratio)).recip();
            add_scaled(&mut system.solution, step * system.ratio, &system.direction);
        }
        self.reduce_residual(step, product);
        let square = dot(&self.residual, &self.residual);
        let direction_factor = square / self.square;
        (self.square, self.last) = (square, (step, direction_factor));
        self.update_directions(direction_factor);
    }

    fn reduce_residual(&mut self, step: f64, product: &[f64]) {
        let Some(PenaltySystem { direction, .. }) = self.systems.last() else {
            return;
        };
        add_scaled(&mut self.residual, -step, product);
        add_scaled(&mut self.residual, -step * self.weakest, direction);
    }

    fn update_directions(&mut self, direction_factor: f64) {
        let (enough, length) = (self.limits.tolerance * self.size, self.square.sqrt());
        for system in self.systems.iter_mut().filter(|s| !s.is_solved()) {
            system.scale *= system.ratio;
            if system.scale * length <= enough {
                system.direction = Vec::new();
                continue;
            }
            let (scale, keep) = (system.scale, direction_factor * system.ratio * system.ratio);
            vectorised(|| {
                for (p, r) in system.direction.iter_mut().zip(&self.residual) {
                    *p = scale * r + keep * *p;
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Seed;
    use crate::data::Matrix;
    use crate::linalg::{Cholesky, multiply, multiply_transposed};

    const TIGHT: Limits = Limits {
        tolerance: 1e-12,
        most_steps: 500,
    };

    fn gram(size: usize, seed: u64) -> Matrix {
        let mut stream = Seed::new(seed).stream();
        let mut x = Matrix::zeros(size + 3, size);
        let values = x.values_mut().iter_mut();
        values.for_each(|value| *value = stream.gaussian());
        multiply_transposed(x.view(), x.view())
    }

    fn solve(a: &Matrix, right: &[f64], penalties: &[f64], limits: Limits) -> Shifted {
        let mut systems = Shifted::new(right, penalties, limits);
        while !systems.is_over() {
            let direction = Matrix::new(a.rows(), 1, systems.direction().to_vec()).unwrap();
            systems.take(multiply(a.view(), direction.view()).values());
        }
        systems
    }

    proptest! {
        #[test]
        fn every_solution_solves_the_system_of_its_penalty(
            size in 1usize..30, seed in 0..1000u64, weakest in -4i32..2, count in 1i32..6
        ) {
            let a = gram(size, seed);
            let right: Vec<f64> = (0..size).map(|k| (k as f64).sin() + 0.1).collect();
            let penalties: Vec<f64> = (0..count)
                .rev()
                .map(|k| 10f64.powi(weakest + k))
                .collect();
            let found = solve(&a, &right, &penalties, TIGHT);
            prop_assert_eq!(found.solved(), penalties.len());
            for (&penalty, solution) in penalties.iter().zip(found.solutions()) {
                let system = Matrix::from_fn(size, size, |i, j| {
                    a[(i, j)] + if i == j { penalty } else { 0.0 }
                });
                let inverse = Cholesky::new(system.view()).unwrap().inverse();
                let right = Matrix::new(size, 1, right.clone()).unwrap();
                let expected = multiply(inverse.view(), right.view());
                let largest = expected.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                for (a, b) in solution.iter().zip(expected.values()) {
                    prop_assert!((a - b).abs() < 1e-6 * largest, "{penalty}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_zero_right_hand_side_is_solved_immediately() {
        let systems = Shifted::new(&[0.0; 4], &[2.0, 1.0], TIGHT);
        assert!(systems.is_over());
        assert_eq!(systems.solved(), 2);
        assert!(systems.solutions().flatten().all(|&value| value == 0.0));
    }

    #[test]
    fn stronger_penalties_converge_first_and_the_limit_stops_the_rest() {
        let a = gram(40, 7);
        let limits = Limits {
            most_steps: 4,
            ..TIGHT
        };
        let found = solve(&a, &[1.0; 40], &[1e6, 1e-6], limits);
        assert_eq!((found.steps(), found.solved()), (4, 1));
    }

    #[test]
    fn overflow_leaves_the_system_unsolved() {
        let mut systems = Shifted::new(&[1.0, 2.0], &[1.0], TIGHT);
        systems.take(&[f64::INFINITY, 0.0]);
        assert!(systems.is_over());
        assert_eq!(systems.solved(), 0);
    }
}
