//! The common interface of the algorithms, from a problem to a metric with a certified gap.

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

/// Gaps that can be requested.
pub(super) const GAPS: RangeInclusive<f64> = 1e-12..=0.5;
/// Labels up to which the Newton system is assembled. On problems cut from bibtex, conjugate gradients took half
/// the time with 20 labels and a tenth with 30; with 14 or fewer they take slightly longer.
const MOST_ASSEMBLED_LABELS: usize = 16;
/// Labels up to which the Newton system can be assembled and cutting planes can be stored: matrices with q(q+1)/2
/// columns must fit into memory.
const MOST_PACKED_LABELS: usize = 64;
/// Labels up to which [`TIGHT_GAP`] is the default gap.
const FEW_LABELS: usize = 24;
/// The default gap for few labels, which takes milliseconds.
const TIGHT_GAP: f64 = 1e-6;
/// Labels up to which [`USUAL_GAP`] is the default gap and Newton's method the default algorithm.
const MANY_LABELS: usize = 256;
/// Rows per label from which on `Auto` uses gradient steps above [`MANY_LABELS`] labels. With fewer rows the scatter
/// of the residuals is nearly singular, which makes these steps short, and there are few Newton systems.
const ROWS_PER_LABEL: usize = 4;
/// The smallest gap for which `Auto` uses gradient steps: each further digit takes several times as many.
const GAP_OF_GRADIENTS: f64 = 1e-3;
/// The default gap for many labels, where a digit costs two or three steps. At 10⁻³ the rank of the metric of
/// bibtex, and some label sets with it, still depend on where the solver stops; at 10⁻⁴ almost none do.
const USUAL_GAP: f64 = 1e-4;
/// The default gap for more labels than that.
const LOOSE_GAP: f64 = 1e-2;

/// Label vectors that have constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Separation {
    /// All of the unit cube, problem (31), "overgenerating" in the paper.
    #[default]
    Relaxed,
    /// Zeros and ones only, problem (27), for few labels.
    Exact,
}

/// Algorithm of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Newton for few labels, Newton with conjugate gradients for more, the primal-dual method above 256; cutting
    /// planes for exact separation.
    #[default]
    Auto,
    /// Newton's method on the log-determinant barrier with an assembled system.
    Newton,
    /// Newton's method with conjugate gradients.
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
/// | `algorithm` | auto | algorithm of the solver |
/// | `separation` | relaxed | label vectors that have constraints |
/// | `gap` | none | certified relative gap to stop at; by default 10⁻⁶, 10⁻⁴ above 24 labels, 10⁻² above 256 |
/// | `max_iterations` | 200 | limit on Newton steps, cutting-plane rounds, or rounds of 20 primal-dual steps |
/// | `rank_tolerance` | 10⁻³ | smallest eigenvalue kept, relative to the largest |
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SolverParams {
    /// Algorithm of the solver.
    pub algorithm: Algorithm,
    /// Label vectors that have constraints.
    pub separation: Separation,
    /// The certified relative gap to stop at; `None` for the default.
    pub gap: Option<f64>,
    /// Limit on Newton steps, cutting-plane rounds, or rounds of 20 primal-dual steps.
    pub max_iterations: usize,
    /// The smallest eigenvalue kept, relative to the largest.
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

/// The stopping criteria.
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
    /// How it was found, with certified bounds.
    pub report: SolverReport,
}

impl Solution {
    /// The solution of a problem without varying labels.
    pub(super) fn without_labels() -> Self {
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
        // Enter the thread pool once: entering it for each of many short tasks costs more than the tasks.
        let solution = rayon::scope(|_| self.solve_in_pool(problem))?;
        // A stopped operation omits points and slacks, which may look like convergence.
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

    /// The number of eigenvalues of the metric above the solver's tolerance.
    fn rank(
        &self,
        problem: &Problem,
        algorithm: Algorithm,
        incumbent: &Incumbent,
    ) -> Result<usize> {
        let eigenvalues = symmetric_eigen(incumbent.metric().clone())?.values;
        let largest = eigenvalues.first().copied().unwrap_or(0.0);
        let vanishing = match algorithm {
            // This algorithm truncates the metric itself.
            Algorithm::PrimalDual => 0.0,
            _ => vanishing_eigenvalue(problem, incumbent, largest),
        };
        let least = vanishing.max(self.rank_tolerance * largest);
        let counts = |value: &f64| *value > 0.0 && *value >= least;
        Ok(eigenvalues.into_iter().filter(counts).count())
    }

    /// Whether `Auto` uses gradient steps.
    fn suits_gradients(&self, rows: usize, labels: usize) -> bool {
        labels > MANY_LABELS
            && rows >= ROWS_PER_LABEL * labels
            && self.goal(labels).gap >= GAP_OF_GRADIENTS
    }

    /// The algorithm that `Auto` stands for, or an error if the parameters are inconsistent.
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

/// The eigenvalue below which a metric near the central path has an eigenvalue that converges to zero.
///
/// On the path an eigenvalue λ and its dual s have the product μ = gap/q: one of them converges to zero. It is λ if
/// λ is the smaller of the two, each relative to its scale: the largest eigenvalue and the residual variance.
fn vanishing_eigenvalue(problem: &Problem, incumbent: &Incumbent, largest: f64) -> f64 {
    let weight = (incumbent.objective() - incumbent.bound()) / problem.labels() as f64;
    weight.sqrt() * (largest / problem.residual_variance()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        assert_close, problem, semidefinite, stream, weighted_and_repeated,
    };
    use super::*;
    use crate::stop::Stop;
    use crate::threads::pool;

    /// Every algorithm with the separations that it supports and a gap that it reaches.
    const CASES: [(Algorithm, Separation, f64); 5] = [
        (Algorithm::CuttingPlane, Separation::Relaxed, 1e-8),
        (Algorithm::CuttingPlane, Separation::Exact, 1e-8),
        (Algorithm::Newton, Separation::Relaxed, 1e-8),
        (Algorithm::NewtonCg, Separation::Relaxed, 1e-8),
        (Algorithm::PrimalDual, Separation::Relaxed, 1e-3),
    ];

    fn solved(
        problem: &Problem,
        (algorithm, separation, gap): (Algorithm, Separation, f64),
    ) -> Solution {
        let params = SolverParams {
            algorithm,
            separation,
            gap: Some(gap),
            ..SolverParams::default()
        };
        params.solve(problem).unwrap()
    }

    /// F.
    fn objective(problem: &Problem, separation: Separation, metric: &Matrix) -> f64 {
        let violated = Violated::at(problem, separation, metric, problem.truth()).unwrap();
        problem.c() * problem.objective(metric, violated.mean_slack(problem))
    }

    #[test]
    fn a_weight_of_two_has_the_optimum_of_two_samples() {
        for (seed, c) in (0..).zip([1.0, 100.0, 1e4]) {
            let [weighted, repeated] = weighted_and_repeated(&mut stream(seed), 40, 4, c);
            for case @ (algorithm, separation, gap) in CASES {
                let (found, expected) = (solved(&weighted, case), solved(&repeated, case));
                let about = format!("{algorithm:?} {separation:?}, C = {c}: {:?}", found.report);
                assert_eq!(found.report.termination, Termination::Converged, "{about}");
                assert!(found.report.iterations > 0, "{about}");
                let (ours, theirs) = (&found.report, &expected.report);
                assert!(
                    ours.lower_bound <= theirs.objective * (1.0 + 1e-12),
                    "{about}"
                );
                assert!(
                    theirs.lower_bound <= ours.objective * (1.0 + 1e-12),
                    "{about}"
                );
                // The same metric has the same objective in both problems.
                let there = objective(&repeated, separation, &found.metric);
                let here = objective(&weighted, separation, &found.metric);
                assert!(
                    (here - there).abs() <= 1e-12 * there,
                    "{about}: {here} {there}"
                );
                assert!(here <= theirs.objective * (1.0 + gap), "{about}: {here}");
                // The steps of the cutting-plane method depend on the number of constraints, those of the others do not.
                if algorithm != Algorithm::CuttingPlane {
                    assert_eq!(ours.iterations, theirs.iterations, "{about}");
                    assert_close(&found.metric, &expected.metric, 1e-6);
                }
            }
        }
    }

    #[test]
    fn no_metric_has_an_objective_below_the_bound_of_a_weighted_problem() {
        for seed in 0..4 {
            let mut stream = stream(seed);
            let problem = problem(&mut stream, 30, 3, 100.0);
            let weights: Vec<f64> = (0..30).map(|_| (2.0 * stream.gaussian()).exp()).collect();
            let problem = problem.with_weights(&weights).unwrap();
            for case @ (algorithm, separation, gap) in CASES {
                let Solution { metric, report } = solved(&problem, case);
                let about = format!("{seed}: {algorithm:?} {separation:?}: {report:?}");
                assert!(report.relative_gap <= gap, "{about}");
                let at_metric = objective(&problem, separation, &metric);
                assert!(at_metric <= report.objective * (1.0 + 1e-9), "{about}");
                for scale in -3..4 {
                    for rank in 1..=3 {
                        let mut other = semidefinite(&mut stream, 3, rank);
                        let factor = 10f64.powi(scale);
                        other.values_mut().iter_mut().for_each(|v| *v *= factor);
                        let value = objective(&problem, separation, &other);
                        assert!(report.lower_bound <= value, "{about}: {value}");
                    }
                }
            }
        }
    }

    #[test]
    fn weights_of_very_different_sizes_are_solved() {
        for spread in [4, 12, 100] {
            let problem = problem(&mut stream(5), 40, 3, 100.0);
            let weights: Vec<f64> = (0..40).map(|row| 10f64.powi(row % 3 * spread)).collect();
            let problem = problem.with_weights(&weights).unwrap();
            for case @ (algorithm, separation, gap) in CASES {
                let report = solved(&problem, case).report;
                assert!(
                    report.relative_gap <= gap,
                    "{spread}: {algorithm:?} {separation:?}: {report:?}"
                );
            }
        }
    }

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
