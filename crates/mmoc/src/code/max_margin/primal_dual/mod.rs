//! A primal-dual gradient method for hundreds of labels and more.
//!
//! Newton's method solves, for each sample, a system with one unknown for each coordinate of the most violated
//! point inside the cube: hundreds with a thousand labels and a metric of full rank. Here a step is a few products
//! of n×q matrices and one eigendecomposition ([`iterate`]). Every [`STEPS`] steps the means of the last iterates
//! serve as a candidate solution: the mean points prove a lower bound ([`lower_bound`]), and the mean metric,
//! truncated to its largest eigenvalues, gives an upper bound ([`upper_bound`]).
//!
//! The step length follows PDLP (Applegate and others, 2021): as long as the last step proves safe, less a margin
//! that shrinks with the number of steps.

mod iterate;
mod lower_bound;
mod rows;
mod upper_bound;
mod whitened;

use iterate::{Iterate, StepLength};
use lower_bound::FeasibleAnchor;
use rows::map_rows;
use upper_bound::LowRankMetric;
use whitened::Whitened;

use super::incumbent::Incumbent;
use super::solver::Goal;
use super::{Problem, Round, Termination};
use crate::data::Matrix;
use crate::linalg::{add_scaled, multiply, multiply_by_transposed, symmetric_eigen};
use crate::{Result, check_stop};

/// Steps between certificates.
const STEPS: usize = 20;
/// Number of last iterates that are averaged.
const MEAN_OF: usize = 10;
/// Initial rounds with larger steps of the multiplier.
const FIRST_ROUNDS: usize = 2;
/// ω in the initial and in the later rounds, in units of the mean gain. Chosen on bibtex and delicious.
const FIRST_WEIGHT: f64 = 0.2;
const WEIGHT: f64 = 0.07;
/// The shortest and the longest step length relative to the one that is safe everywhere. Close to convergence the
/// estimate of a safe step length is dominated by rounding error.
const SHORTEST_STEP: f64 = 0.1;
const LONGEST_STEP: f64 = 1e6;
/// Fraction of the trace of the metric that may be truncated, and relative error of the upper bound, both in units
/// of the requested gap.
const TRUNCATION: f64 = 0.2;
const UPPER_BOUND_ERROR: f64 = 0.3;

/// Takes steps until the gap is reached; returns the rounds of [`STEPS`] steps and the reason for stopping.
pub(super) fn descend(
    problem: &Problem,
    goal: Goal,
    incumbent: &mut Incumbent,
    rounds: &mut Vec<Round>,
) -> Result<(usize, Termination)> {
    let whitened = Whitened::new(problem)?;
    let anchor = FeasibleAnchor::new(problem, &whitened);
    let mut steps = GradientSteps::new(problem, &whitened)?;
    let mut round = 0;
    loop {
        let means = steps.round(round)?;
        round += 1;
        let before = incumbent.bound();
        incumbent.raise(anchor.bound(problem, &whitened, &means.points));
        let is_last = round == goal.max_iterations;
        // While the bound still rises by more than the gap, it is not within the gap of the objective.
        let is_settled = incumbent.bound() - before <= goal.gap * incumbent.bound();
        if is_settled || is_last {
            let root = means.root(&whitened, TRUNCATION * goal.gap)?;
            let metric = multiply_by_transposed(&root, &root);
            let objective = LowRankMetric::new(root).objective(
                problem,
                &whitened,
                &means.points,
                UPPER_BOUND_ERROR * goal.gap,
            );
            incumbent.offer(&metric, objective, 0.0);
            incumbent.count_calls(problem.rows());
            rounds.push(Round::at(problem, objective, incumbent));
            if incumbent.relative_gap() <= goal.gap {
                return Ok((round, Termination::Converged));
            }
        }
        if is_last {
            return Ok((round, Termination::IterationLimit));
        }
    }
}

/// ŷ clipped to the cube.
fn clipped_predictions(problem: &Problem) -> Matrix {
    let mut points = problem.predictions().clone();
    let clip = |value: &mut f64| *value = value.clamp(0.0, 1.0);
    points.values_mut().iter_mut().for_each(clip);
    points
}

/// The current iterate and step length.
struct GradientSteps<'a> {
    problem: &'a Problem,
    whitened: &'a Whitened,
    iterate: Iterate,
    /// The step length η.
    step: f64,
    /// A step length that is safe everywhere.
    safe: f64,
    /// Number of steps tried.
    tried: usize,
}

impl<'a> GradientSteps<'a> {
    fn new(problem: &'a Problem, whitened: &'a Whitened) -> Result<Self> {
        let safe = whitened.longest_step_squared()?.sqrt();
        Ok(Self {
            problem,
            whitened,
            iterate: Iterate::at_predictions(problem),
            step: safe,
            safe,
            tried: 0,
        })
    }

    /// Takes the steps of a round; returns the means of the last iterates.
    fn round(&mut self, round: usize) -> Result<Means> {
        let size = self.problem.labels();
        let mut means = Means {
            points: Matrix::zeros(self.problem.rows(), size),
            whitened_metric: Matrix::zeros(size, size),
        };
        let weight = if round < FIRST_ROUNDS {
            FIRST_WEIGHT
        } else {
            WEIGHT
        };
        for step in 0..STEPS {
            self.advance(weight * self.problem.gain_scale())?;
            if step + MEAN_OF >= STEPS {
                means.add(&self.iterate);
            }
        }
        Ok(means)
    }

    /// Tries steps until one is safe.
    fn advance(&mut self, weight: f64) -> Result<()> {
        loop {
            check_stop()?;
            let length = StepLength {
                step: self.step,
                weight,
            };
            let outcome = self.iterate.step(self.problem, self.whitened, length)?;
            self.tried += 1;
            let tried = self.tried as f64;
            let is_safe = self.step <= outcome.longest.max(self.safe);
            let shorter = (1.0 - (tried + 1.0).powf(-0.3)) * outcome.longest;
            let longer = (1.0 + tried.powf(-0.6)) * self.step;
            let bounds = (SHORTEST_STEP * self.safe, LONGEST_STEP * self.safe);
            self.step = shorter.min(longer).clamp(bounds.0, bounds.1);
            if is_safe {
                self.iterate = outcome.iterate;
                return Ok(());
            }
        }
    }
}

/// Means of the last iterates of a round.
struct Means {
    points: Matrix,
    whitened_metric: Matrix,
}

impl Means {
    fn add(&mut self, iterate: &Iterate) {
        let share = 1.0 / MEAN_OF as f64;
        map_rows(&mut self.points, |i, row| {
            add_scaled(row, share, iterate.points.row(i));
        });
        add_scaled(
            self.whitened_metric.values_mut(),
            share,
            iterate.whitened_metric().values(),
        );
    }

    /// B of the metric Q = BBᵀ, without the smallest eigenvalues whose sum in the coordinates of N is at most `cut`
    /// times the trace.
    fn root(&self, whitened: &Whitened, cut: f64) -> Result<Matrix> {
        let eigen = symmetric_eigen(self.whitened_metric.clone())?;
        let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0)).collect();
        let removable = cut * values.iter().sum::<f64>();
        let mut rest = 0.0;
        let tail = values.iter().rev().take_while(|&&value| {
            rest += value;
            rest <= removable
        });
        let rank = values.len() - tail.count();
        let scaled = Matrix::from_fn(values.len(), rank, |j, k| {
            eigen.vectors[(j, k)] * values[k].sqrt()
        });
        Ok(multiply(whitened.whitening.view(), scaled.view()))
    }
}
