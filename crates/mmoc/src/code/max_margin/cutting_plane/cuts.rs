//! The working sets of all samples.
//!
//! A constraint says ξ_i ≥ a + ⟨Q, B⟩ with a = gᵀδ and B = eδᵀ + δeᵀ − δδᵀ. Every sample has ξ_i ≥ 0 from the start,
//! the constraint of δ = 0.

use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{pack, packed_size};
use crate::code::max_margin::violated::Violated;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};

/// Constraints, in the order in which they were added.
#[derive(Debug)]
pub(super) struct Cuts {
    size: usize,
    samples: Vec<usize>,
    gains: Vec<f64>,
    /// B of each constraint, packed.
    matrices: Vec<f64>,
}

impl Cuts {
    /// The constraints ξ ≥ 0.
    pub(super) fn new(problem: &Problem) -> Self {
        let size = packed_size(problem.labels());
        Self {
            size,
            samples: (0..problem.rows()).collect(),
            gains: vec![0.0; problem.rows()],
            matrices: vec![0.0; problem.rows() * size],
        }
    }

    /// Adds the constraints that ask for more slack than there is, by more than `worthwhile`; returns how
    /// many.
    pub(super) fn add_violated(
        &mut self,
        problem: &Problem,
        violated: &Violated,
        slacks: &[f64],
        worthwhile: f64,
    ) -> usize {
        let before = self.count();
        for (sample, slack) in slacks.iter().enumerate() {
            if violated.slacks[sample] > slack + worthwhile {
                self.add(problem, sample, violated.points.row(sample));
            }
        }
        self.count() - before
    }

    fn add(&mut self, problem: &Problem, sample: usize, point: &[f64]) {
        let residual = problem.residuals().row(sample);
        let truth = problem.truth().row(sample);
        let delta: Vec<f64> = point.iter().zip(truth).map(|(z, y)| z - y).collect();
        let matrix = Matrix::from_fn(delta.len(), delta.len(), |j, k| {
            residual[j] * delta[k] + delta[j] * residual[k] - delta[j] * delta[k]
        });
        self.samples.push(sample);
        self.gains.push(dot(problem.gains().row(sample), &delta));
        self.matrices.extend(pack(&matrix));
    }

    /// Number of constraints.
    pub(super) fn count(&self) -> usize {
        self.samples.len()
    }

    /// Numbers of a packed matrix.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The sample of each constraint.
    pub(super) fn samples(&self) -> &[usize] {
        &self.samples
    }

    /// a of each constraint.
    pub(super) fn gains(&self) -> &[f64] {
        &self.gains
    }

    /// B of each constraint, packed.
    pub(super) fn matrices(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.matrices.chunks_exact(self.size)
    }

    /// ⟨P, B⟩ of each constraint for a packed P.
    pub(super) fn products(&self, packed: &[f64]) -> Vec<f64> {
        self.matrices().map(|matrix| dot(matrix, packed)).collect()
    }

    /// Σ of B times a weight each, packed.
    pub(super) fn combination(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.size];
        for (matrix, weight) in self.matrices().zip(weights) {
            add_scaled(&mut sum, *weight, matrix);
        }
        sum
    }

    /// Σ of a number of each constraint, for each sample.
    pub(super) fn by_sample(&self, rows: usize, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; rows];
        for (value, &sample) in values.iter().zip(&self.samples) {
            sums[sample] += value;
        }
        sums
    }
}
