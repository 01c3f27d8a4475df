//! One interface to the algorithms: a problem in, a metric with a certified gap out.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::barrier::{NewtonSystem, follow};
use super::cutting_plane::cut;
use super::incumbent::Incumbent;
use super::newton::Assembled;
use super::newton_cg::ConjugateGradients;
use super::primal_dual::descend;
use super::violated::Violated;
use super::{Problem, SolverReport, Termination};
use crate::data::Matrix;
use crate::decode::MOST_EXACT_LABELS;
use crate::linalg::symmetric_eigen;
use crate::settings::Named;
use crate::{Error, Result, check_stop};

/// Gaps that can be asked for.
pub(super) const GAPS: RangeInclusive<f64> = 1e-12..=0.5;
/// Labels up to which the Newton system is assembled. On problems cut from bibtex, timed by hand, conjugate
/// gradients took half the time with 20 labels and a tenth with 30; with 14 or fewer they take a little longer.
const MOST_ASSEMBLED_LABELS: usize = 16;
/// Labels up to which the Newton system can be assembled and cutting planes be kept: matrices of q(q+1)/2 rows and
/// columns, or of as many columns as that, must fit into memory.
const MOST_PACKED_LABELS: usize = 64;
/// Labels up to which problems are solved to [`TIGHT_GAP`] unless another gap is asked for.
const FEW_LABELS: usize = 24;
/// The gap for few labels, which cost milliseconds.
const TIGHT_GAP: f64 = 1e-6;
/// Labels up to which problems are solved to [`USUAL_GAP`] unless another gap is asked for, and by Newton's method
/// unless another algorithm is.
const MANY_LABELS: usize = 256;
/// Rows for each label from which on very many labels are for gradient steps: with fewer the scatter of the residuals
/// is nearly singular, which makes these steps short, and Newton's systems are few.
const ROWS_PER_LABEL: usize = 4;
/// The least gap that gradient steps are for: each digit more takes several times as many.
const GAP_OF_GRADIENTS: f64 = 1e-3;
/// The gap for many labels, where a digit costs two or three steps. At 10⁻³ the rank of the metric of bibtex, and some label
/// sets with it, still depend on where the solver stopped; from 10⁻⁴ on next to none do.
const USUAL_GAP: f64 = 1e-4;
/// The gap for very many labels.
const LOOSE_GAP: f64 = 1e-2;

/// Which label vectors a constraint is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Separation {
    /// All of the unit cube, problem (31): overgenerating.
    #[default]
    Relaxed,
    /// Zeros and ones only, problem (27): for few labels.
    Exact,
}

/// How the problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Newton for few labels, Newton with conjugate gradients for many, the primal-dual method for very many;
    /// cutting planes for exact separation.
    #[default]
    Auto,
    /// Newton's method on the log-determinant barrier, with the system assembled.
    Newton,
    /// The same with the system solved by conjugate gradients.
    NewtonCg,
    /// A primal-dual gradient method on the dual problem.
    PrimalDual,
    /// The paper's n-slack cutting-plane method (3.4).
    CuttingPlane,
}

impl Named for Separation {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Relaxed, "relaxed"), (Self::Exact, "exact")];
}

impl Named for Algorithm {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Newton, "newton"),
        (Self::NewtonCg, "newton-cg"),
        (Self::PrimalDual, "primal-dual"),
        (Self::CuttingPlane, "cutting-plane"),
    ];
}

/// Parameters of the solver.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `algorithm` | auto | how the problem is solved |
/// | `separation` | relaxed | which label vectors constraints are made for |
/// | `gap` | none | certified relative gap to stop at; none for 10⁻⁶, 10⁻⁴ for more than 24 labels, or 10⁻² for more than 256 |
/// | `max_iterations` | 200 | Newton steps, rounds of cutting planes, or rounds of 20 primal-dual steps |
/// | `rank_tolerance` | 10⁻³ | the least eigenvalue that counts, relative to the largest |
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SolverParams {
    /// How the problem is solved.
    pub algorithm: Algorithm,
    /// Which label vectors constraints are made for.
    pub separation: Separation,
    /// The certified relative gap to stop at.
    pub gap: Option<f64>,
    /// Newton steps, rounds of cutting planes, or rounds of 20 primal-dual steps.
    pub max_iterations: usize,
    /// The least eigenvalue that counts, relative to the largest.
    pub rank_tolerance: f64,
}

impl Default for SolverParams {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Auto,
            separation: Separation::Relaxed,
            gap: None,
            max_iterations: 200,
            rank_tolerance: 1e-3,
        }
    }
}

/// When an algorithm may stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) gap: f64,
    pub(super) max_iterations: usize,
}

/// A solved problem.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Q, q×q, positive semidefinite.
    pub metric: Matrix,
    /// How it was found and what is certain about it.
    pub report: SolverReport,
}

impl Solution {
    /// No label varies: there is nothing to separate.
    pub(super) fn of_nothing() -> Self {
        Self {
            metric: Matrix::zeros(0, 0),
            report: SolverReport::nothing_to_solve(),
        }
    }
}

impl SolverParams {
    /// Solves a problem.
    ///
    /// ```
    /// use mmoc::code::max_margin::{Problem, SolverParams};
    /// use mmoc::data::{Labels, Matrix};
    ///
    /// let labels = Labels::from_fn(4, 2, |i, j| i >> j & 1 == 1);
    /// let predictions = Matrix::from_fn(4, 2, |i, j| 0.2 + 0.6 * (i >> j & 1) as f64);
    /// let problem = Problem::new(predictions, &labels, None, 100.0)?;
    /// let solution = SolverParams::default().solve(&problem)?;
    /// assert!(solution.report.relative_gap <= 1e-6);
    /// # Ok::<(), mmoc::Error>(())
    /// ```
    pub fn solve(&self, problem: &Problem) -> Result<Solution> {
        // Within the pool from the start: to enter it for each of many short pieces of work costs more than
        // the work.
        let solution = rayon::scope(|_| self.solve_in_pool(problem))?;
        // Work that was told to stop leaves points and slacks out, which may look like convergence.
        check_stop()?;
        Ok(solution)
    }

    fn solve_in_pool(&self, problem: &Problem) -> Result<Solution> {
        let algorithm = self.resolve(problem.rows(), problem.labels())?;
        let zero = Matrix::zeros(problem.labels(), problem.labels());
        let violated = Violated::at(problem, self.separation, &zero, problem.truth())?;
        let mut incumbent = Incumbent::at_zero(problem, self.separation, &violated);
        let mut rounds = Vec::new();
        let goal = self.goal(problem.labels());
        let (iterations, termination) = if incumbent.relative_gap() <= goal.gap {
            (0, Termination::Converged)
        } else if algorithm == Algorithm::CuttingPlane {
            let separation = self.separation;
            cut(
                problem,
                separation,
                goal,
                violated,
                &mut incumbent,
                &mut rounds,
            )?
        } else if algorithm == Algorithm::PrimalDual {
            descend(problem, goal, &mut incumbent, &mut rounds)?
        } else {
            let system: &dyn NewtonSystem = match algorithm {
                Algorithm::NewtonCg => &ConjugateGradients,
                _ => &Assembled,
            };
            follow(problem, goal, system, &mut incumbent, &mut rounds)?
        };
        let report = SolverReport {
            algorithm,
            objective: problem.c() * incumbent.objective(),
            lower_bound: problem.c() * incumbent.bound(),
            relative_gap: incumbent.relative_gap(),
            iterations,
            oracle_calls: incumbent.oracle_calls(),
            rank: self.rank(problem, algorithm, &incumbent)?,
            termination,
            rounds,
        };
        Ok(Solution {
            metric: incumbent.into_metric(),
            report,
        })
    }

    fn goal(&self, labels: usize) -> Goal {
        let default = if labels <= FEW_LABELS {
            TIGHT_GAP
        } else if labels <= MANY_LABELS {
            USUAL_GAP
        } else {
            LOOSE_GAP
        };
        Goal {
            gap: self.gap.unwrap_or(default),
            max_iterations: self.max_iterations,
        }
    }

    /// How many eigenvalues of the metric are more than what the solver stopped at.
    fn rank(
        &self,
        problem: &Problem,
        algorithm: Algorithm,
        incumbent: &Incumbent,
    ) -> Result<usize> {
        let eigenvalues = symmetric_eigen(incumbent.metric().clone())?.values;
        let largest = eigenvalues.first().copied().unwrap_or(0.0);
        let vanishing = match algorithm {
            // It has set to zero what vanishes.
            Algorithm::PrimalDual => 0.0,
            _ => vanishing_eigenvalue(problem, incumbent, largest),
        };
        let least = vanishing.max(self.rank_tolerance * largest);
        let counts = |value: &f64| *value > 0.0 && *value >= least;
        Ok(eigenvalues.into_iter().filter(counts).count())
    }

    /// Whether very many labels are better solved by gradient steps.
    fn suits_gradients(&self, rows: usize, labels: usize) -> bool {
        labels > MANY_LABELS
            && rows >= ROWS_PER_LABEL * labels
            && self.goal(labels).gap >= GAP_OF_GRADIENTS
    }

    /// The algorithm that `Auto` stands for, or an error if the parameters do not fit together.
    fn resolve(&self, rows: usize, labels: usize) -> Result<Algorithm> {
        if let Some(gap) = self.gap.filter(|gap| !GAPS.contains(gap)) {
            return Err(Error::Parameter {
                parameter: "gap",
                expected: format!("from {:e} to {}", GAPS.start(), GAPS.end()),
                found: gap.to_string(),
            });
        }
        match (self.separation, self.algorithm) {
            (Separation::Exact, _) if labels > MOST_EXACT_LABELS => Err(Error::Parameter {
                parameter: "separation",
                expected: format!("relaxed for more than {MOST_EXACT_LABELS} labels"),
                found: format!("exact for {labels}"),
            }),
            (Separation::Exact, Algorithm::Auto | Algorithm::CuttingPlane) => {
                Ok(Algorithm::CuttingPlane)
            }
            (Separation::Exact, _) => Err(Error::Parameter {
                parameter: "algorithm",
                expected: "cutting-plane or auto for exact separation".into(),
                found: self.algorithm.name().into(),
            }),
            (_, Algorithm::Newton | Algorithm::CuttingPlane) if labels > MOST_PACKED_LABELS => {
                Err(Error::Parameter {
                    parameter: "algorithm",
                    expected: format!(
                        "newton-cg, primal-dual or auto for more than {MOST_PACKED_LABELS} labels"
                    ),
                    found: format!("{} for {labels}", self.algorithm.name()),
                })
            }
            (Separation::Relaxed, Algorithm::Auto) if labels <= MOST_ASSEMBLED_LABELS => {
                Ok(Algorithm::Newton)
            }
            (Separation::Relaxed, Algorithm::Auto) if self.suits_gradients(rows, labels) => {
                Ok(Algorithm::PrimalDual)
            }
            (Separation::Relaxed, Algorithm::Auto) => Ok(Algorithm::NewtonCg),
            (Separation::Relaxed, algorithm) => Ok(algorithm),
        }
    }
}

/// Below what an eigenvalue of a metric near the central path is on its way to zero.
///
/// On the path an eigenvalue λ and its dual s have the product μ = gap/q: one of them is on its way to zero. It is λ
/// if λ is the smaller of the two, each relative to its natural size, the largest eigenvalue and the residual
/// variance.
fn vanishing_eigenvalue(problem: &Problem, incumbent: &Incumbent, largest: f64) -> f64 {
    let weight = (incumbent.objective() - incumbent.bound()) / problem.labels() as f64;
    weight.sqrt() * (largest / problem.residual_variance()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{problem, stream};
    use super::*;
    use crate::stop::Stop;
    use crate::threads::pool;

    #[test]
    fn work_that_was_told_to_stop_never_reports_convergence() {
        let problem = problem(&mut stream(3), 40, 4, 100.0);
        for (algorithm, name) in Algorithm::NAMES {
            let params = SolverParams {
                algorithm: *algorithm,
                ..SolverParams::default()
            };
            let stop = Stop::default();
            stop.raise();
            let solved = pool(2, Some(stop))
                .unwrap()
                .install(|| params.solve(&problem));
            assert!(matches!(solved, Err(Error::Stopped)), "{name}: {solved:?}");
        }
    }
}
