//! A primal-dual gradient method for very many labels.
//!
//! Newton's method needs, for each sample, a system of as many unknowns as the most violated point has coordinates
//! inside the cube: with a thousand labels and a metric of full rank these are hundreds. Here a step is a few products
//! of n×q matrices and one eigen-decomposition ([`iterate`]). Every so often the means of the last iterates are taken
//! for a solution: those of the points prove a lower bound ([`lower_bound`]), those of the metrics, cut to the
//! eigenvalues that matter, have an objective ([`upper_bound`]).
//!
//! The step length is chosen as in PDLP (Applegate and others, 2021): as long as the last step proves safe, with room
//! that shrinks as steps go by.

mod iterate;
mod lower_bound;
mod rows;
mod upper_bound;
mod whitened;

use iterate::{Iterate, StepLength};
use lower_bound::Anchor;
use rows::map_rows;
use upper_bound::LowRank;
use whitened::Whitened;

use super::incumbent::Incumbent;
use super::solver::Goal;
use super::{Problem, Round, Termination};
use crate::data::Matrix;
use crate::linalg::{add_scaled, multiply, multiply_by_transposed, symmetric_eigen};
use crate::{Result, check_stop};

/// Steps between certificates.
const STEPS: usize = 20;
/// Steps of which the means are taken.
const MEAN_OF: usize = 10;
/// Rounds of steps in which the multiplier moves quickly, to get somewhere near.
const FIRST_ROUNDS: usize = 2;
/// ω in these rounds and later, in units of the mean gain. Chosen on bibtex and delicious.
const FIRST_WEIGHT: f64 = 0.2;
const WEIGHT: f64 = 0.07;
/// The shortest and the longest step in terms of the one that is safe everywhere. Where next to nothing moves any more, what
/// a step shows about the next is rounding.
const SHORTEST_STEP: f64 = 0.1;
const LONGEST_STEP: f64 = 1e6;
/// Share of the trace of the metric that may be cut, and of the objective that its bound may lack, in terms of
/// the gap asked for.
const CUT: f64 = 0.2;
const LACK: f64 = 0.3;

/// Takes steps until the gap is reached; returns the rounds of [`STEPS`] steps taken and why they ended.
pub(super) fn descend(
    problem: &Problem,
    goal: Goal,
    incumbent: &mut Incumbent,
    rounds: &mut Vec<Round>,
) -> Result<(usize, Termination)> {
    let whitened = Whitened::new(problem)?;
    let anchor = Anchor::new(problem, &whitened);
    let mut path = Path::new(problem, &whitened)?;
    let mut round = 0;
    loop {
        let means = path.round(round)?;
        round += 1;
        let before = incumbent.bound();
        incumbent.raise(anchor.bound(problem, &whitened, &means.points));
        let is_last = round == goal.max_iterations;
        // A bound that still rises by more than the gap is not within the gap of the objective.
        let is_settled = incumbent.bound() - before <= goal.gap * incumbent.bound();
        if is_settled || is_last {
            let root = means.root(&whitened, CUT * goal.gap)?;
            let metric = multiply_by_transposed(&root, &root);
            let objective =
                LowRank::new(root).objective(problem, &whitened, &means.points, LACK * goal.gap);
            incumbent.offer(&metric, objective, 0.0);
            incumbent.count_calls(problem.rows());
            rounds.push(Round {
                constraints: None,
                objective: problem.c() * objective,
                lower_bound: problem.c() * incumbent.bound(),
            });
            if incumbent.relative_gap() <= goal.gap {
                return Ok((round, Termination::Converged));
            }
        }
        if is_last {
            return Ok((round, Termination::IterationLimit));
        }
    }
}

/// ŷ, as far as the cube reaches.
fn clipped_predictions(problem: &Problem) -> Matrix {
    let mut points = problem.predictions().clone();
    let clip = |value: &mut f64| *value = value.clamp(0.0, 1.0);
    points.values_mut().iter_mut().for_each(clip);
    points
}

/// The steps taken so far.
struct Path<'a> {
    problem: &'a Problem,
    whitened: &'a Whitened,
    iterate: Iterate,
    /// η.
    step: f64,
    /// An η that is safe everywhere.
    safe: f64,
    /// Steps tried.
    tried: usize,
}

impl<'a> Path<'a> {
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

    /// Takes the steps of a round; returns the means of the last of them.
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
            let stepped = self.iterate.step(self.problem, self.whitened, length)?;
            self.tried += 1;
            let tried = self.tried as f64;
            let is_safe = self.step <= stepped.longest.max(self.safe);
            let shorter = (1.0 - (tried + 1.0).powf(-0.3)) * stepped.longest;
            let longer = (1.0 + tried.powf(-0.6)) * self.step;
            let bounds = (SHORTEST_STEP * self.safe, LONGEST_STEP * self.safe);
            self.step = shorter.min(longer).clamp(bounds.0, bounds.1);
            if is_safe {
                self.iterate = stepped.iterate;
                return Ok(());
            }
        }
    }
}

/// Means of some iterates.
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

    /// B of the metric Q = BBᵀ without its smallest eigenvalues, in the coordinates of N, up to a share of their sum.
    fn root(&self, whitened: &Whitened, cut: f64) -> Result<Matrix> {
        let eigen = symmetric_eigen(self.whitened_metric.clone())?;
        let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0)).collect();
        let dispensable = cut * values.iter().sum::<f64>();
        let mut rest = 0.0;
        let tail = values.iter().rev().take_while(|&&value| {
            rest += value;
            rest <= dispensable
        });
        let rank = values.len() - tail.count();
        let scaled = Matrix::from_fn(values.len(), rank, |j, k| {
            eigen.vectors[(j, k)] * values[k].sqrt()
        });
        Ok(multiply(whitened.whitening.view(), scaled.view()))
    }
}
