//! The working sets of all samples.
//!
//! A constraint is ξ_i ≥ a + ⟨Q, B⟩ with a = gᵀδ and B = eδᵀ + δeᵀ − δδᵀ. Every sample starts with ξ_i ≥ 0, the
//! constraint of δ = 0.

use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{pack, packed_size};
use crate::code::max_margin::violated::Violated;
use crate::data::Matrix;
use crate::linalg::{add_scaled, dot};

/// Constraints in the order in which they were added.
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

    /// Adds the constraints that are violated by more than `tolerance`; returns their number.
    pub(super) fn add_violated(
        &mut self,
        problem: &Problem,
        violated: &Violated,
        slacks: &[f64],
        tolerance: f64,
    ) -> usize {
        let before = self.count();
        for (sample, slack) in slacks.iter().enumerate() {
            if violated.slacks[sample] > slack + tolerance {
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

    /// Length of a packed matrix.
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

    /// Σ_k weight_k·B_k, packed.
    pub(super) fn combination(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.size];
        for (matrix, weight) in self.matrices().zip(weights) {
            add_scaled(&mut sum, *weight, matrix);
        }
        sum
    }

    /// For each sample, the sum of the values of its constraints.
    pub(super) fn by_sample(&self, rows: usize, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; rows];
        for (value, &sample) in values.iter().zip(&self.samples) {
            sums[sample] += value;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::code::max_margin::packed::unpack;
    use crate::code::max_margin::testing::{
        cube_points, inner, problem, required_slack, semidefinite, stream, symmetric,
    };

    /// Two constraints for each sample besides the first.
    fn working_sets(seed: u64, rows: usize, labels: usize) -> (Problem, Cuts, Vec<Matrix>) {
        let mut stream = stream(seed);
        let problem = problem(&mut stream, rows, labels, 10.0);
        let mut cuts = Cuts::new(&problem);
        let mut all = vec![problem.truth().clone()];
        for _ in 0..2 {
            let points = cube_points(&mut stream, rows, labels);
            for sample in 0..rows {
                cuts.add(&problem, sample, points.row(sample));
            }
            all.push(points);
        }
        (problem, cuts, all)
    }

    proptest! {
        #[test]
        fn a_constraint_requires_the_slack_of_its_point(
            (rows, labels) in (1usize..5, 1usize..5),
            seed: u64,
        ) {
            let (problem, cuts, points) = working_sets(seed, rows, labels);
            let metric = semidefinite(&mut stream(seed ^ 1), labels, labels);
            let products = cuts.products(&pack(&metric));
            prop_assert_eq!(cuts.count(), 3 * rows);
            for k in 0..cuts.count() {
                let sample = cuts.samples()[k];
                prop_assert_eq!(sample, k % rows);
                let expected = required_slack(&problem, &metric, sample, points[k / rows].row(sample));
                let found = cuts.gains()[k] + products[k];
                prop_assert!((found - expected).abs() <= 1e-11 * (1.0 + expected.abs()));
            }
        }

        #[test]
        fn combinations_are_adjoint_to_products(
            (rows, labels) in (1usize..5, 1usize..5),
            seed: u64,
        ) {
            let (_, cuts, _) = working_sets(seed, rows, labels);
            let mut stream = stream(seed ^ 1);
            let along = symmetric(&mut stream, labels);
            let weights: Vec<f64> = (0..cuts.count()).map(|_| stream.gaussian()).collect();
            let left = dot(&weights, &cuts.products(&pack(&along)));
            let right = inner(&unpack(labels, &cuts.combination(&weights)), &along);
            prop_assert!((left - right).abs() <= 1e-10 * (1.0 + left.abs()), "{left} {right}");
        }
    }

    #[test]
    fn values_are_summed_by_sample() {
        let (_, cuts, _) = working_sets(1, 2, 3);
        let sums = cuts.by_sample(2, &[1.0, 2.0, 10.0, 20.0, 100.0, 200.0]);
        assert_eq!(sums, [111.0, 222.0]);
    }

    #[test]
    fn only_constraints_violated_by_more_than_the_tolerance_are_added() {
        let problem = problem(&mut stream(2), 3, 2, 10.0);
        let mut cuts = Cuts::new(&problem);
        let violated = Violated {
            points: problem.truth().clone(),
            slacks: vec![1.0, 1.0, 1.0],
        };
        let added = cuts.add_violated(&problem, &violated, &[0.0, 0.95, 0.8], 0.1);
        assert_eq!((added, cuts.samples()), (2, &[0, 1, 2, 0, 2][..]));
        assert_eq!(cuts.add_violated(&problem, &violated, &[1.0; 3], 0.0), 0);
    }
}
