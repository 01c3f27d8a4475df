//! The paper's n-slack cutting-plane method with overgenerating (3.4).
//!
//! Each sample has a working set of constraints. A round solves the problem with these constraints only, the
//! *master* ([`master`]). Then it finds the most violated constraint of every sample at the master's metric (32)
//! and adds those that the master does not satisfy. The minimum of the master is a lower bound on the full problem,
//! certified by its weights; F at its metric is an upper bound.

mod cuts;
mod master;
mod system;

use self::cuts::Cuts;
use self::master::Master;
use super::incumbent::Incumbent;
use super::solver::Goal;
use super::violated::Violated;
use super::{Problem, Round, Separation, Termination};
use crate::Result;

/// The tolerance of the master, and the violation from which on a constraint is added, as a fraction of the
/// requested gap.
const GAP_FRACTION: f64 = 0.1;

/// Adds constraints until the gap is reached; returns the number of rounds and the reason for stopping.
///
/// `violated` holds the first constraints, those most violated at the zero metric.
pub(super) fn cut(
    problem: &Problem,
    separation: Separation,
    goal: Goal,
    violated: Violated,
    incumbent: &mut Incumbent,
    rounds: &mut Vec<Round>,
) -> Result<(usize, Termination)> {
    let mut cuts = Cuts::new(problem);
    let mut violated = violated;
    let mut slacks = vec![0.0; problem.rows()];
    for round in 0..goal.max_iterations {
        let tolerance = GAP_FRACTION * goal.gap * incumbent.objective();
        let added = cuts.add_violated(problem, &violated, &slacks, tolerance);
        if added == 0 {
            return Ok((round, Termination::Stalled));
        }
        let master = Master::solve(problem, &cuts, GAP_FRACTION * goal.gap)?;
        violated = Violated::at(problem, separation, &master.metric, &violated.points)?;
        let objective = problem.objective(&master.metric, violated.mean_slack(problem));
        incumbent.count_calls(problem.rows());
        incumbent.offer(&master.metric, objective, master.bound);
        slacks = master.slacks;
        rounds.push(Round {
            constraints: Some(cuts.count() - problem.rows()),
            objective: problem.c() * objective,
            lower_bound: problem.c() * incumbent.bound(),
        });
        if incumbent.relative_gap() <= goal.gap {
            return Ok((round + 1, Termination::Converged));
        }
    }
    Ok((goal.max_iterations, Termination::IterationLimit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Labels, Matrix};

    /// With one absent label, ŷ = 0 and g = 1, h = max z − Qz² is 1/4Q for Q ≥ 1/2. F/C has its minimum √ε at Q =
    /// 1/2√ε.
    #[test]
    fn the_smallest_problem_agrees_with_its_closed_form() {
        let labels = Labels::from_fn(1, 1, |_, _| false);
        let problem = Problem::new(Matrix::zeros(1, 1), &labels, None, 50.0).unwrap();
        let zero = Matrix::zeros(1, 1);
        let violated = Violated::in_cube(&problem, &zero, problem.truth());
        let mut incumbent = Incumbent::at_zero(&problem, Separation::Relaxed, &violated);
        let goal = Goal {
            gap: 1e-8,
            max_iterations: 100,
        };
        let mut rounds = Vec::new();
        let relaxed = Separation::Relaxed;
        let (count, termination) = cut(
            &problem,
            relaxed,
            goal,
            violated,
            &mut incumbent,
            &mut rounds,
        )
        .unwrap();
        assert_eq!((count, termination), (rounds.len(), Termination::Converged));
        assert!((incumbent.metric()[(0, 0)] - 5.0).abs() < 1e-3);
        assert!((incumbent.objective() - 0.1).abs() < 1e-9);
        assert!((incumbent.bound() - 0.1).abs() < 1e-9);
        assert!(rounds.is_sorted_by(|a, b| a.lower_bound <= b.lower_bound));
        assert!(rounds.is_sorted_by(|a, b| a.constraints < b.constraints));
    }
}
