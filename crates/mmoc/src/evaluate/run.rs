//! One run: split, preprocess, fit, predict, score.

use std::time::Instant;

use super::Protocol;
use super::workers::run_jobs;
use crate::code::max_margin::SolverReport;
use crate::data::{Dataset, Preprocessing, Scaling, Split};
use crate::learn::logistic::LogisticRecord;
use crate::learn::{BaseParams, Training};
use crate::method::Method;
use crate::metrics::Evaluation;
use crate::{Progress, Result, Seed};

/// How to evaluate a method.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateParams {
    /// Which rows are trained on and which are tested.
    pub protocol: Protocol,
    /// How features are scaled, learnt from the training rows of each run.
    pub scaling: Scaling,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// Where all random choices come from.
    pub seed: Seed,
    /// Threads to use. The results do not depend on it.
    pub threads: usize,
}

/// What one run found.
#[derive(Debug, Clone)]
pub struct Run {
    /// Scores on the test rows.
    pub scores: Evaluation,
    /// Seconds from raw training rows to a model.
    pub fit_seconds: f64,
    /// Seconds from raw test rows to predictions.
    pub predict_seconds: f64,
    /// How the logistic regressions were solved, if the method has any.
    pub logistic: Option<LogisticRecord>,
    /// How the max-margin problem was solved, if the method has one.
    pub solver: Option<SolverReport>,
}

/// Evaluates a method on a data set, run by run. The splits depend on the seed and the protocol only, so
/// runs of different methods can be compared in pairs.
pub fn evaluate(
    dataset: &Dataset,
    method: &Method,
    params: &EvaluateParams,
    progress: &dyn Progress,
) -> Result<Vec<Run>> {
    let plan = params.protocol.plan(dataset, params.seed)?;
    progress.begin(plan.runs());
    run_jobs(plan.runs(), params.threads, |index| {
        let seed = params.seed.named("run").numbered(index);
        let run = run_split(dataset, &plan.split(index)?, method, params, seed);
        progress.advance();
        run
    })
}

fn run_split(
    dataset: &Dataset,
    split: &Split,
    method: &Method,
    params: &EvaluateParams,
    seed: Seed,
) -> Result<Run> {
    let train = dataset.select_rows(&split.train)?;
    let test = dataset.select_rows(&split.test)?;

    let start = Instant::now();
    let preprocessing = Preprocessing::fit(train.features().view(), params.scaling)?;
    let features = preprocessing.apply(train.features().view())?;
    let training = Training::new(features.view(), train.labels(), params.base.clone(), seed)?;
    let model = method.fit(&training)?;
    let fit_seconds = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let features = preprocessing.apply(test.features().view())?;
    let predicted = model.predict(features.view())?;
    let predict_seconds = start.elapsed().as_secs_f64();

    let scores = Evaluation::of(
        test.labels(),
        &predicted.labels,
        predicted.scores.as_ref(),
        predicted.probabilities.as_ref(),
    )?;
    let logistic = training.logistic_record();
    Ok(Run {
        scores,
        fit_seconds,
        predict_seconds,
        logistic,
        solver: model.solver_report().cloned(),
    })
}
