//! The max-margin solver through its public interface: its reports are correct, its algorithms agree with each
//! other and with CVXPY, and degenerate problems are solved.

mod agreement;
mod code;
mod odd_problems;
mod primal_dual;

use mmoc::Seed;
use mmoc::code::max_margin::{Algorithm, Problem, Separation, Solution, SolverParams};
use mmoc::data::{Labels, Matrix};

pub(crate) fn solve(
    problem: &Problem,
    algorithm: Algorithm,
    separation: Separation,
    gap: f64,
) -> Solution {
    let params = SolverParams {
        algorithm,
        separation,
        gap: Some(gap),
        ..SolverParams::default()
    };
    params.solve(problem).unwrap()
}

/// The algorithms that solve a problem with this separation to any gap.
pub(crate) fn algorithms(separation: Separation) -> &'static [Algorithm] {
    match separation {
        Separation::Relaxed => &[
            Algorithm::Newton,
            Algorithm::NewtonCg,
            Algorithm::CuttingPlane,
        ],
        Separation::Exact => &[Algorithm::CuttingPlane],
    }
}

pub(crate) struct Instance {
    pub(crate) predictions: Matrix,
    pub(crate) labels: Labels,
    pub(crate) log_odds: Option<Matrix>,
    pub(crate) c: f64,
}

impl Instance {
    /// Dependent labels, informative predictions and weakly informative classifiers.
    pub(crate) fn random(rows: usize, count: usize, c: f64, seed: u64) -> Self {
        let mut stream = Seed::new(seed).stream();
        let hidden = Matrix::new(
            rows,
            count + 1,
            (0..rows * (count + 1)).map(|_| stream.gaussian()).collect(),
        )
        .unwrap();
        let strength = |i: usize, j: usize| hidden[(i, count)] + hidden[(i, j)];
        let labels = Labels::from_fn(rows, count, |i, j| strength(i, j) > 0.6);
        let noise = Matrix::new(
            rows,
            count,
            (0..rows * count).map(|_| stream.gaussian()).collect(),
        )
        .unwrap();
        let predictions = Matrix::from_fn(rows, count, |i, j| {
            0.3 + 0.25 * strength(i, j) + 0.1 * noise[(i, j)]
        });
        let log_odds = Matrix::from_fn(rows, count, |i, j| {
            1.5 * strength(i, j) - 1.0 + noise[(i, j)]
        });
        Self {
            predictions,
            labels,
            log_odds: Some(log_odds),
            c,
        }
    }

    pub(crate) fn problem(&self) -> Problem {
        Problem::new(
            self.predictions.clone(),
            &self.labels,
            self.log_odds.as_ref(),
            self.c,
        )
        .unwrap()
    }
}
