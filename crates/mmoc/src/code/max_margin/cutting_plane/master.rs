//! The master problem, restricted to the constraints of the working sets: a small semidefinite program.
//!
//! ```text
//! min  ε tr Q + Σ p_i ξ_i   s.t.  s_k = ξ_i − a_k − ⟨Q, B_k⟩ ≥ 0,  Q ⪰ 0        k a constraint of sample i
//! max  Σ α_k a_k            s.t.  S = εI + Σ α_k B_k ⪰ 0,  Σ_k α_k = p_i for each i,  α ≥ 0
//! ```
//!
//! p_i is the share of sample i, 1/n if samples have no weights. One of the constraints of each sample is ξ ≥ 0, with a = 0 and B = 0. The solver is a primal-dual interior-point
//! method with Newton steps on QS = μI, s_kα_k = μ ([`super::system`]).
//!
//! The weights α prove a bound. The weights tα, with the remainder assigned to the constraint ξ ≥ 0, are feasible
//! if εI + tΣα_kB_k ⪰ 0 and no sum of tα over a sample exceeds its share. The latter holds for t ≤ 1 up to rounding
//! error.

use super::cuts::Cuts;
use super::system::{Direction, MasterSystem};
use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{pack, unpack};
use crate::code::max_margin::scaling::Spectrum;
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled, dot, symmetric_eigen};
use crate::{Result, check_stop};

/// Limit on steps; about twenty are usual.
const MOST_STEPS: usize = 100;
/// Smallest and largest centring parameter: the target complementarity relative to the current one.
const CENTRING: (f64, f64) = (0.01, 0.9);

/// A solution of the master problem.
#[derive(Debug)]
pub(super) struct Master {
    /// Q.
    pub(super) metric: Matrix,
    /// ξ.
    pub(super) slacks: Vec<f64>,
    /// A certified lower bound on the minimum of the full problem, F/C.
    pub(super) bound: f64,
}

impl Master {
    /// Solves the master to a relative gap, or as far as floating-point precision allows. The bound is certified in
    /// either case.
    pub(super) fn solve(problem: &Problem, cuts: &Cuts, gap: f64) -> Result<Self> {
        let mut point = InteriorPoint::start(problem, cuts);
        let mut bound = 0.0;
        for _ in 0..MOST_STEPS {
            check_stop()?;
            bound = f64::max(bound, point.bound(problem, cuts)?);
            let objective = point.objective(problem);
            if objective - bound <= gap * objective {
                break;
            }
            match point.step(problem, cuts)? {
                Some(next) => point = next,
                None => break,
            }
        }
        Ok(Self {
            metric: point.metric,
            slacks: point.slacks,
            bound,
        })
    }
}

/// An interior point.
#[derive(Debug, Clone)]
pub(super) struct InteriorPoint {
    /// Q.
    pub(super) metric: Matrix,
    /// S.
    pub(super) dual: Matrix,
    /// ξ.
    pub(super) slacks: Vec<f64>,
    /// α.
    pub(super) weights: Vec<f64>,
}

impl InteriorPoint {
    /// A multiple of the identity, slacks that satisfy all constraints, and equal weights of the constraints of a sample.
    fn start(problem: &Problem, cuts: &Cuts) -> Self {
        let (labels, rows) = (problem.labels(), problem.rows());
        let scale = problem.gain_scale();
        let diagonal =
            |value| Matrix::from_fn(labels, labels, |j, k| if j == k { value } else { 0.0 });
        let counts = cuts.by_sample(rows, &vec![1.0; cuts.count()]);
        let weight =
            |&sample: &usize| problem.sample_weight(sample) / (rows as f64 * counts[sample]);
        let mut point = Self {
            metric: diagonal(scale),
            dual: diagonal(problem.price() + 1.0),
            slacks: vec![0.0; rows],
            weights: cuts.samples().iter().map(weight).collect(),
        };
        for (required, &sample) in point.required_slacks(cuts).iter().zip(cuts.samples()) {
            // So all products s_kα_k of samples with as many constraints are about equal, as on the central path.
            let surplus = scale / problem.sample_weight(sample);
            point.slacks[sample] = point.slacks[sample].max(required + surplus);
        }
        point
    }

    /// The slack that each constraint requires, a_k + ⟨Q, B_k⟩.
    fn required_slacks(&self, cuts: &Cuts) -> Vec<f64> {
        let mut required_slacks = cuts.products(&pack(&self.metric));
        add_scaled(&mut required_slacks, 1.0, cuts.gains());
        required_slacks
    }

    /// The surplus s_k of each constraint.
    pub(super) fn surpluses(&self, cuts: &Cuts) -> Vec<f64> {
        let required_slacks = self.required_slacks(cuts);
        let slacks = cuts.samples().iter().map(|&sample| self.slacks[sample]);
        slacks
            .zip(required_slacks)
            .map(|(slack, required)| slack - required)
            .collect()
    }

    fn objective(&self, problem: &Problem) -> f64 {
        problem.objective(&self.metric, problem.mean(&self.slacks))
    }

    /// The lower bound that the weights prove.
    fn bound(&self, problem: &Problem, cuts: &Cuts) -> Result<f64> {
        let combined = unpack(problem.labels(), &cuts.combination(&self.weights));
        let eigenvalues = symmetric_eigen(combined)?.values;
        let largest = eigenvalues
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let rounding = problem.labels() as f64 * f64::EPSILON * largest;
        let lowest = eigenvalues[problem.labels() - 1] - rounding;
        let sums = cuts.by_sample(problem.rows(), &self.weights);
        let relative = |(row, sum)| sum * problem.rows() as f64 / problem.sample_weight(row);
        let most = sums
            .into_iter()
            .enumerate()
            .map(relative)
            .fold(0.0, f64::max);
        let scale = if -lowest > problem.price() * most {
            problem.price() / -lowest
        } else {
            1.0 / most
        };
        Ok((scale.min(1.0) * dot(&self.weights, cuts.gains())).max(0.0))
    }

    /// A predictor step towards the boundary, then a step whose centring parameter decreases with the length of the
    /// predictor. `None` if no step is possible in floating-point arithmetic.
    fn step(&self, problem: &Problem, cuts: &Cuts) -> Result<Option<Self>> {
        let Some(lower) = Cholesky::new(self.metric.view()).map(|factor| factor.lower()) else {
            return Ok(None);
        };
        let spectrum = Spectrum::new(&lower, &self.dual)?;
        if !spectrum.theta.iter().all(|theta| *theta > 0.0) {
            return Ok(None);
        }
        let scaling = spectrum.scaling(&spectrum.theta);
        let Some(system) = MasterSystem::new(problem, cuts, self, scaling) else {
            return Ok(None);
        };
        let products = spectrum.theta.iter().sum::<f64>() + dot(system.surpluses(), &self.weights);
        let mu = products / (problem.labels() + cuts.count()) as f64;
        let ahead = system.direction(self, 0.0)?;
        let left = 1.0 - ahead.primal_length.min(ahead.dual_length);
        let centring = (left * left).clamp(CENTRING.0, CENTRING.1);
        let direction = system.direction(self, centring * mu)?;
        Ok(Some(self.moved(&direction)))
    }

    fn moved(&self, direction: &Direction) -> Self {
        let (primal, dual) = (direction.primal_length, direction.dual_length);
        let mut next = self.clone();
        add_scaled(next.metric.values_mut(), primal, direction.metric.values());
        add_scaled(&mut next.slacks, primal, &direction.slacks);
        add_scaled(next.dual.values_mut(), dual, direction.dual.values());
        add_scaled(&mut next.weights, dual, &direction.weights);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::max_margin::testing::{any_problem, inner, semidefinite, stream};
    use crate::code::max_margin::violated::Violated;
    use crate::data::Labels;

    /// The constraints most violated at a few random metrics.
    fn working_sets(problem: &Problem, seed: u64) -> Cuts {
        let mut stream = stream(seed);
        let mut cuts = Cuts::new(problem);
        for rank in 0..3 {
            let metric = semidefinite(&mut stream, problem.labels(), rank);
            let violated = Violated::in_cube(problem, &metric, problem.truth());
            cuts.add_violated(problem, &violated, &vec![0.0; problem.rows()], 1e-6);
        }
        cuts
    }

    /// Steps until the gap is closed.
    fn solved(problem: &Problem, cuts: &Cuts, gap: f64) -> InteriorPoint {
        let mut point = InteriorPoint::start(problem, cuts);
        for _ in 0..MOST_STEPS {
            let objective = point.objective(problem);
            if objective - point.bound(problem, cuts).unwrap() <= gap * objective {
                break;
            }
            match point.step(problem, cuts).unwrap() {
                Some(next) => point = next,
                None => break,
            }
        }
        point
    }

    /// The smallest value of ε tr Q + mean slack at a metric.
    fn value(problem: &Problem, cuts: &Cuts, metric: &Matrix) -> f64 {
        let mut slacks = vec![0.0f64; problem.rows()];
        let products = cuts.products(&pack(metric));
        for (k, &sample) in cuts.samples().iter().enumerate() {
            slacks[sample] = slacks[sample].max(cuts.gains()[k] + products[k]);
        }
        problem.objective(metric, problem.mean(&slacks))
    }

    /// A problem with working sets in which the zero metric needs slack.
    fn example(seed: u64) -> (Problem, Cuts) {
        let mut stream = stream(seed);
        let (rows, labels) = (2 + stream.below(7), 1 + stream.below(4));
        let c = [1.0, 100.0, 1e6][stream.below(3)];
        let problem = any_problem(&mut stream, rows, labels, c);
        let cuts = working_sets(&problem, seed ^ 1);
        if cuts.gains().iter().any(|gain| *gain > 0.0) {
            (problem, cuts)
        } else {
            example(seed + 1_000_000)
        }
    }

    #[test]
    fn a_solved_master_is_optimal() {
        for seed in 0..150 {
            let (problem, cuts) = example(seed);
            let point = solved(&problem, &cuts, 1e-6);
            let objective = point.objective(&problem);
            let bound = point.bound(&problem, &cuts).unwrap();
            assert!(bound <= objective, "{seed}: {bound} {objective}");
            assert!(
                objective - bound <= 1e-6 * objective,
                "{seed}: {bound} {objective}"
            );
            // Both sides are feasible and complementary.
            let surpluses = point.surpluses(&cuts);
            assert!(
                surpluses
                    .iter()
                    .chain(&point.weights)
                    .all(|value| *value > 0.0)
            );
            let sums = cuts.by_sample(problem.rows(), &point.weights);
            for (row, sum) in sums.into_iter().enumerate() {
                let share = problem.share(row);
                assert!(
                    (sum / share - 1.0).abs() <= 1e-9,
                    "{seed}: {sum} of {share}"
                );
            }
            let products = inner(&point.metric, &point.dual) + dot(&surpluses, &point.weights);
            assert!(products <= 1e-5 * objective, "{seed}: {products:e}");
            // The slacks are no larger than the metric requires.
            let needed = value(&problem, &cuts, &point.metric);
            assert!(
                (needed - objective).abs() <= 1e-5 * objective,
                "{seed}: {needed}"
            );
        }
    }

    #[test]
    fn no_metric_has_an_objective_below_the_bound() {
        for seed in 0..100 {
            let (problem, cuts) = example(seed);
            for gap in [0.3, 1e-3, 1e-13] {
                let master = Master::solve(&problem, &cuts, gap).unwrap();
                assert!(master.bound >= 0.0);
                let own = value(&problem, &cuts, &master.metric);
                assert!(
                    master.bound <= own * (1.0 + 1e-13),
                    "{seed}: {} {own}",
                    master.bound
                );
                let mut stream = stream(seed);
                for scale in -2..5 {
                    let mut metric = semidefinite(&mut stream, problem.labels(), 2);
                    let factor = 10f64.powi(scale);
                    metric.values_mut().iter_mut().for_each(|v| *v *= factor);
                    let value = value(&problem, &cuts, &metric);
                    assert!(
                        master.bound <= value * (1.0 + 1e-13),
                        "{seed}: {} {value}",
                        master.bound
                    );
                }
            }
        }
    }

    #[test]
    fn weights_with_too_large_sums_prove_no_larger_bound() {
        for seed in 0..20 {
            let (problem, cuts) = example(seed);
            let mut point = solved(&problem, &cuts, 1e-6);
            let bound = point.bound(&problem, &cuts).unwrap();
            point.weights.iter_mut().for_each(|weight| *weight *= 3.0);
            let with_more = point.bound(&problem, &cuts).unwrap();
            assert!(
                with_more <= bound * (1.0 + 1e-9),
                "{seed}: {with_more} {bound}"
            );
        }
    }

    /// One sample with one absent label, ŷ = −0.1 and g = 1, and the constraint of z = 1: ξ ≥ 1 − 1.2·Q.
    fn smallest(c: f64) -> Master {
        let predictions = Matrix::new(1, 1, vec![-0.1]).unwrap();
        let labels = Labels::from_fn(1, 1, |_, _| false);
        let problem = Problem::new(predictions, &labels, None, c).unwrap();
        let mut cuts = Cuts::new(&problem);
        let violated = Violated {
            points: Matrix::new(1, 1, vec![1.0]).unwrap(),
            slacks: vec![1.0],
        };
        cuts.add_violated(&problem, &violated, &[0.0], 0.0);
        Master::solve(&problem, &cuts, 1e-10).unwrap()
    }

    #[test]
    fn the_smallest_master_agrees_with_its_closed_form() {
        // ε = 0.05 is less than 1.2: Q = 1/1.2 reduces the slack to zero.
        let cheap = smallest(10.0);
        assert!((cheap.metric[(0, 0)] - 1.0 / 1.2).abs() < 1e-8);
        assert!(cheap.slacks[0].abs() < 1e-8);
        assert!((cheap.bound - 0.05 / 1.2).abs() < 1e-9);
        // ε = 5 is more: the zero metric is optimal.
        let dear = smallest(0.1);
        assert!(dear.metric[(0, 0)].abs() < 1e-8);
        assert!((dear.slacks[0] - 1.0).abs() < 1e-8);
        assert!((dear.bound - 1.0).abs() < 1e-9);
    }
}
