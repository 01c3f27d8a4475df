//! The max-margin code of a training set.
//!
//! ŷ comes from ridge regressions (19) with the leave-one-out penalties times a factor: in-sample residuals are
//! smaller than those of new rows, and a stronger penalty partly compensates. The log-odds are out-of-fold, or
//! in-sample.
//!
//! A constant label would get a direction of its own with an eigenvalue far larger than all others. Constant labels
//! are left out of the problem: their rows of V are zero, and the classifiers predict them.

use serde::Serialize;

use super::projections::projections;
use super::solver::GAPS;
use super::{Problem, Solution, SolverParams};
use crate::Result;
use crate::code::{CanonicalRegression, Code, CodeReport, embed_rows, projections_of};
use crate::data::{Labels, Matrix};
use crate::decode::check_code_labels;
use crate::learn::Training;
use crate::linalg::symmetric_eigen;
use crate::settings::{Named, Setting, Settings};

/// Source of the log-odds of the training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogOdds {
    /// From classifiers fitted without the row's fold.
    #[default]
    OutOfFold,
    /// From the classifiers fitted to all training rows.
    InSample,
}

impl Named for LogOdds {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::OutOfFold, "out-of-fold"),
        (Self::InSample, "in-sample"),
    ];
}

/// How the labels ŷ of the problem, and the codewords, are regressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regression {
    /// Both ways for up to 24 labels, and the better one on the training rows; else label by
    /// label. A code by itself has labels regressed one by one.
    #[default]
    Auto,
    /// Each label and each projection separately: (19) and (4).
    Labels,
    /// Through the canonical directions ([`CanonicalRegression`]), with all error correlations.
    Canonical,
}

impl Named for Regression {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Labels, "labels"),
        (Self::Canonical, "canonical"),
    ];
}

/// Labels up to which canonical directions are tried: with more, what their errors have in common is hardly known.
const MOST_CANONICAL_LABELS: usize = 24;
/// The factor of the penalties of labels that are regressed one by one.
const LABELS_FACTOR: f64 = 5.0;
/// The factor of the penalties of canonical directions.
const CANONICAL_FACTOR: f64 = 30.0;

/// Parameters of the max-margin code.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `projections` | all | d from 1 to q; at most the rank of the metric |
/// | `c` | 10⁶ | C > 0, the weight of the slacks |
/// | `classifiers` | true | whether to include the classifiers: problem (31), else (25) |
/// | `separation` | relaxed | label vectors that have constraints |
/// | `penalty-factor` | auto | factor applied to the penalties of ŷ: 5, or 30 for canonical directions |
/// | `regression` | auto | how ŷ and codewords are regressed: separately, or through canonical directions |
/// | `log-odds` | out-of-fold | source of the log-odds of the training rows |
/// | `algorithm` | auto | algorithm of the solver |
/// | `gap` | auto | certified relative gap to stop at: 10⁻⁶, 10⁻⁴ above 24 labels, 10⁻² above 256 |
/// | `max-iterations` | 200 | limit on Newton steps, cutting-plane rounds, or rounds of 20 primal-dual steps |
/// | `rank-tolerance` | 10⁻³ | smallest eigenvalue kept, relative to the largest |
#[derive(Debug, Clone, PartialEq)]
pub struct MaxMarginParams {
    /// Number of projections; `None` for the rank of the metric.
    pub projections: Option<usize>,
    /// C.
    pub c: f64,
    /// Whether to include the classifiers.
    pub classifiers: bool,
    /// Factor applied to the penalties of ŷ.
    pub penalty_factor: Option<f64>,
    /// How ŷ and codewords are regressed.
    pub regression: Regression,
    /// Source of the log-odds of the training rows.
    pub log_odds: LogOdds,
    /// The solver.
    pub solver: SolverParams,
}

impl Default for MaxMarginParams {
    fn default() -> Self {
        Self {
            projections: None,
            c: 1e6,
            classifiers: true,
            penalty_factor: None,
            regression: Regression::Auto,
            log_odds: LogOdds::OutOfFold,
            solver: SolverParams::default(),
        }
    }
}

impl Settings for MaxMarginParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::limit(
                "projections",
                "number of directions, by largest eigenvalue",
                &mut self.projections,
                "all",
            ),
            Setting::number("c", "weight of the slacks, C", &mut self.c, 1e-12..=1e15),
            Setting::flag(
                "classifiers",
                "include the classifiers: problem (31), else (25)",
                &mut self.classifiers,
            ),
            Setting::choice(
                "separation",
                "constraints for the unit cube (31) or its corners (27)",
                &mut self.solver.separation,
            ),
            Setting::optional_number(
                "penalty-factor",
                "factor of the penalties of regressed labels; auto: 5, 30 if canonical",
                &mut self.penalty_factor,
                1e-9..=1e9,
                "auto",
            ),
            Setting::choice(
                "regression",
                "how labels and codewords are regressed",
                &mut self.regression,
            ),
            Setting::choice(
                "log-odds",
                "source of the log-odds of the training rows",
                &mut self.log_odds,
            ),
            Setting::choice(
                "algorithm",
                "algorithm of the solver",
                &mut self.solver.algorithm,
            ),
            Setting::optional_number(
                "gap",
                "relative gap; auto: 1e-6, 1e-4 above 24 labels, 1e-2 above 256",
                &mut self.solver.gap,
                GAPS,
                "auto",
            ),
            Setting::count(
                "max-iterations",
                "limit on Newton steps, or on rounds of the other algorithms",
                &mut self.solver.max_iterations,
                1..=100_000,
            ),
            Setting::number(
                "rank-tolerance",
                "smallest eigenvalue kept, relative to the largest",
                &mut self.solver.rank_tolerance,
                0.0..=1.0,
            ),
        ]
    }
}

impl MaxMarginParams {
    /// Finds the code of a training set.
    pub fn fit(&self, training: &Training<'_>) -> Result<Code> {
        let canonical = self.canonical_regression(training)?;
        self.fit_with(training, canonical.as_ref())
    }

    /// Whether labels may be regressed one by one.
    pub(crate) fn regresses_labels(&self) -> bool {
        self.regression != Regression::Canonical
    }

    /// Whether labels may be regressed through canonical directions.
    pub(crate) fn regresses_canonical(&self, labels: &Labels) -> bool {
        let wanted = match self.regression {
            Regression::Auto => labels.count() <= MOST_CANONICAL_LABELS,
            Regression::Labels => false,
            Regression::Canonical => true,
        };
        wanted && !varying(labels).is_empty()
    }

    /// The regression of canonical directions, if labels are regressed through these and some label varies.
    pub fn canonical_regression(
        &self,
        training: &Training<'_>,
    ) -> Result<Option<CanonicalRegression>> {
        let needed = self.regression == Regression::Canonical;
        let needed = needed && !varying(training.labels()).is_empty();
        needed
            .then(|| CanonicalRegression::fit(training))
            .transpose()
    }

    /// Finds the code of a training set, given its [`Self::canonical_regression`].
    pub fn fit_with(
        &self,
        training: &Training<'_>,
        canonical: Option<&CanonicalRegression>,
    ) -> Result<Code> {
        self.validate()?;
        let labels = training.labels();
        check_code_labels(labels.count())?;
        let requested = projections_of(self.projections, labels.count())?;
        let varying = varying(labels);
        let solution = if varying.is_empty() {
            Solution::without_labels()
        } else {
            let problem = self.problem_with(training, canonical)?;
            training.stage("solving the max-margin problem");
            self.solver.solve(&problem)?
        };
        let eigen = symmetric_eigen(solution.metric.clone())?;
        let directions = projections(&eigen, requested.min(solution.report.rank));
        let mut eigenvalues: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0)).collect();
        eigenvalues.resize(labels.count(), 0.0);
        Ok(Code {
            projections: embed_rows(&directions, &varying, labels.count()),
            origin: vec![0.0; labels.count()],
            report: CodeReport::MaxMargin {
                metric: embed_metric(&solution.metric, &varying, labels.count()),
                eigenvalues,
                solver: solution.report,
            },
        })
    }

    /// The problem of a training set, restricted to the labels that vary; an error if none does.
    pub fn problem(&self, training: &Training<'_>) -> Result<Problem> {
        let canonical = self.canonical_regression(training)?;
        self.problem_with(training, canonical.as_ref())
    }

    fn problem_with(
        &self,
        training: &Training<'_>,
        canonical: Option<&CanonicalRegression>,
    ) -> Result<Problem> {
        let labels = &varying(training.labels());
        let usual = if canonical.is_some() {
            CANONICAL_FACTOR
        } else {
            LABELS_FACTOR
        };
        let factor = self.penalty_factor.unwrap_or(usual);
        let fitted = match canonical {
            Some(regression) => regression.fitted_labels(training, factor)?,
            None => training.fitted_labels(factor)?,
        };
        let predictions = columns(&fitted, labels);
        let log_odds = match (self.classifiers, self.log_odds) {
            (false, _) => None,
            (true, LogOdds::OutOfFold) => Some(columns(training.out_of_fold()?.log_odds(), labels)),
            (true, LogOdds::InSample) => Some(columns(&training.in_sample_log_odds()?, labels)),
        };
        let truth = training.labels().select_labels(labels);
        let problem = Problem::new(predictions, &truth, log_odds.as_ref(), self.c)?;
        match training.weights() {
            None => Ok(problem),
            Some(weights) => problem.with_weights(weights),
        }
    }
}

/// The labels that some rows have and others do not.
fn varying(labels: &Labels) -> Vec<usize> {
    let counts = labels.frequencies().into_iter().enumerate();
    counts
        .filter(|(_, count)| (1..labels.rows()).contains(count))
        .map(|(label, _)| label)
        .collect()
}

/// Embeds a metric of some labels among all `count` labels; the others are zero.
fn embed_metric(metric: &Matrix, labels: &[usize], count: usize) -> Matrix {
    let mut all = Matrix::zeros(count, count);
    for (j, &row) in labels.iter().enumerate() {
        for (k, &column) in labels.iter().enumerate() {
            all[(row, column)] = metric[(j, k)];
        }
    }
    all
}

fn columns(matrix: &Matrix, columns: &[usize]) -> Matrix {
    Matrix::from_fn(matrix.rows(), columns.len(), |i, j| matrix[(i, columns[j])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::data::{Features, Targets};
    use crate::learn::BaseParams;

    fn with_training<T>(check: impl FnOnce(&Training<'_>) -> T) -> T {
        with_weighted_training(None, check)
    }

    /// Thirty rows of three labels; every row has the second.
    fn with_weighted_training<T>(
        weights: Option<&[f64]>,
        check: impl FnOnce(&Training<'_>) -> T,
    ) -> T {
        let mut stream = Seed::new(4).stream();
        let mut x = Matrix::zeros(30, 3);
        x.values_mut()
            .iter_mut()
            .for_each(|value| *value = stream.gaussian());
        let labels = Labels::from_fn(30, 3, |i, j| j == 1 || x[(i, j)] + 0.5 * x[(i, 1)] > 0.0);
        let x = Features::Dense(x);
        let targets = Targets::new(&labels).with_weights(weights).unwrap();
        let training = Training::new(x.view(), targets, BaseParams::default(), Seed::new(1));
        check(&training.unwrap())
    }

    #[test]
    fn the_problem_has_only_the_labels_that_vary() {
        with_training(|training| {
            let problem = MaxMarginParams::default().problem(training).unwrap();
            assert_eq!((problem.rows(), problem.labels()), (30, 2));
        });
    }

    #[test]
    fn samples_have_the_weights_of_the_training_rows() {
        let weights: Vec<f64> = (0..30).map(|row| 1.0 + f64::from(row % 3)).collect();
        with_weighted_training(Some(&weights), |training| {
            let problem = MaxMarginParams::default().problem(training).unwrap();
            for (row, weight) in weights.iter().enumerate() {
                assert!((problem.share(row) - weight / 60.0).abs() < 1e-15);
            }
        });
    }

    #[test]
    fn gains_use_the_requested_log_odds() {
        with_training(|training| {
            let out_of_fold = training.out_of_fold().unwrap().log_odds();
            let classifiers = training.classifiers().unwrap();
            let in_sample = classifiers.model().predict(training.features()).unwrap();
            for (log_odds, expected) in [
                (LogOdds::OutOfFold, out_of_fold),
                (LogOdds::InSample, &in_sample),
            ] {
                let params = MaxMarginParams {
                    log_odds,
                    ..MaxMarginParams::default()
                };
                let problem = params.problem(training).unwrap();
                for i in 0..30 {
                    let distance = if training.labels().contains(i, 2) {
                        -1.0
                    } else {
                        1.0
                    };
                    assert_eq!(problem.gains()[(i, 1)], distance + expected[(i, 2)]);
                }
            }
        });
    }

    #[test]
    fn regressed_labels_use_the_requested_penalty_factor() {
        with_training(|training| {
            let params = MaxMarginParams {
                penalty_factor: Some(70.0),
                ..MaxMarginParams::default()
            };
            let problem = params.problem(training).unwrap();
            let expected = columns(&training.fitted_labels(70.0).unwrap(), &[0, 2]);
            assert_eq!(problem.predictions(), &expected);
        });
    }
}
