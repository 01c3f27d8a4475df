//! The problem with the constraints of the working sets only: a small semidefinite program.
//!
//! ```text
//! min  ε tr Q + Σ ξ_i/n   s.t.  s_k = ξ_i − a_k − ⟨Q, B_k⟩ ≥ 0,  Q ⪰ 0        k a constraint of sample i
//! max  Σ α_k a_k          s.t.  S = εI + Σ α_k B_k ⪰ 0,  Σ_k α_k = 1/n for each i,  α ≥ 0
//! ```
//!
//! One of the constraints of each sample is ξ ≥ 0, with a = 0 and B = 0. Solved by a primal-dual interior point
//! method with Newton steps on QS = μI, s_kα_k = μ ([`super::system`]).
//!
//! The weights α prove a bound: for t ≤ 1 the weights tα, with what is missing given to the constraint
//! ξ ≥ 0, are feasible if εI + tΣα_kB_k ⪰ 0.

use super::cuts::Cuts;
use super::system::{Direction, System};
use crate::Result;
use crate::code::max_margin::Problem;
use crate::code::max_margin::packed::{pack, unpack};
use crate::code::max_margin::scaling::Spectrum;
use crate::data::Matrix;
use crate::linalg::{Cholesky, add_scaled, dot, symmetric_eigen};

/// Steps before the master is given up; twenty or so are usual.
const MOST_STEPS: usize = 100;
/// Least and most that a step aims at, as a share of the present complementarity.
const CENTRING: (f64, f64) = (0.01, 0.9);

/// A solved master.
#[derive(Debug)]
pub(super) struct Master {
    /// Q.
    pub(super) metric: Matrix,
    /// ξ.
    pub(super) slacks: Vec<f64>,
    /// A certain lower bound of the least value of the whole problem, F/C.
    pub(super) bound: f64,
}

impl Master {
    /// Solves the master to a relative gap, or as far as floating-point numbers allow: the bound is certain
    /// in either case.
    pub(super) fn solve(problem: &Problem, cuts: &Cuts, gap: f64) -> Result<Self> {
        let mut point = Point::start(problem, cuts);
        let mut bound = 0.0;
        for _ in 0..MOST_STEPS {
            bound = point.bound(problem, cuts)?;
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
pub(super) struct Point {
    /// Q.
    pub(super) metric: Matrix,
    /// S.
    pub(super) dual: Matrix,
    /// ξ.
    pub(super) slacks: Vec<f64>,
    /// α.
    pub(super) weights: Vec<f64>,
}

impl Point {
    /// A multiple of the identity, slacks that satisfy all constraints, and equal weights.
    fn start(problem: &Problem, cuts: &Cuts) -> Self {
        let (labels, rows) = (problem.labels(), problem.rows());
        let scale = problem.gain_scale();
        let diagonal =
            |value| Matrix::from_fn(labels, labels, |j, k| if j == k { value } else { 0.0 });
        let counts = cuts.by_sample(rows, &vec![1.0; cuts.count()]);
        let weight = |&sample: &usize| 1.0 / (rows as f64 * counts[sample]);
        let mut point = Self {
            metric: diagonal(scale),
            dual: diagonal(problem.price() + 1.0),
            slacks: vec![0.0; rows],
            weights: cuts.samples().iter().map(weight).collect(),
        };
        for (demand, &sample) in point.demands(cuts).iter().zip(cuts.samples()) {
            point.slacks[sample] = point.slacks[sample].max(demand + scale);
        }
        point
    }

    /// a_k + ⟨Q, B_k⟩.
    fn demands(&self, cuts: &Cuts) -> Vec<f64> {
        let mut demands = cuts.products(&pack(&self.metric));
        add_scaled(&mut demands, 1.0, cuts.gains());
        demands
    }

    /// s.
    pub(super) fn rooms(&self, cuts: &Cuts) -> Vec<f64> {
        let demands = self.demands(cuts);
        let slacks = cuts.samples().iter().map(|&sample| self.slacks[sample]);
        slacks
            .zip(demands)
            .map(|(slack, demand)| slack - demand)
            .collect()
    }

    fn objective(&self, problem: &Problem) -> f64 {
        let mean = self.slacks.iter().sum::<f64>() / self.slacks.len() as f64;
        problem.objective(&self.metric, mean)
    }

    /// What the weights prove.
    fn bound(&self, problem: &Problem, cuts: &Cuts) -> Result<f64> {
        let combined = unpack(problem.labels(), &cuts.combination(&self.weights));
        let eigenvalues = symmetric_eigen(combined)?.values;
        let largest = eigenvalues
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let rounding = problem.labels() as f64 * f64::EPSILON * largest;
        let lowest = eigenvalues[problem.labels() - 1] - rounding;
        let scale = if lowest < -problem.price() {
            problem.price() / -lowest
        } else {
            1.0
        };
        Ok((scale * dot(&self.weights, cuts.gains())).max(0.0))
    }

    /// A Newton step towards the boundary, to see how far it leads, and then one towards a centre that is the
    /// closer to the boundary the farther it did. None if floating-point numbers do not allow a step.
    fn step(&self, problem: &Problem, cuts: &Cuts) -> Result<Option<Self>> {
        let Some(lower) = Cholesky::new(self.metric.view()).map(|factor| factor.lower()) else {
            return Ok(None);
        };
        let spectrum = Spectrum::new(&lower, &self.dual)?;
        if !spectrum.theta.iter().all(|theta| *theta > 0.0) {
            return Ok(None);
        }
        let scaling = spectrum.scaling(&spectrum.theta);
        let Some(system) = System::new(problem, cuts, self, scaling) else {
            return Ok(None);
        };
        let products = spectrum.theta.iter().sum::<f64>() + dot(system.rooms(), &self.weights);
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
