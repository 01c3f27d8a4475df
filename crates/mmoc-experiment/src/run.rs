//! One run: split, preprocess, fit, predict, score.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize, Serializer};

use super::protocol::Plan;
use super::{Confidence, Protocol, RunSize};
use mmoc::code::max_margin::SolverReport;
use mmoc::data::{Dataset, Missing, Preprocessing, Scaling, Split, TrainingRows};
use mmoc::learn::logistic::LogisticRecord;
use mmoc::learn::ridge::RidgeRecord;
use mmoc::learn::{BaseParams, Training, Usage};
use mmoc::method::{Fitted, Method, Predictor};
use mmoc::metrics::{LabelEvaluation, Metric};
use mmoc::posterior::PosteriorRecord;
use mmoc::{Prediction, Result, Seed};

/// How the runs of a data set are made.
#[derive(Debug, Clone, PartialEq)]
pub struct RunParams {
    /// Which rows are trained on and which are tested.
    pub protocol: Protocol,
    /// How features are scaled, learnt from the training rows of each run.
    pub scaling: Scaling,
    /// How missing features are filled in, learnt from the same rows.
    pub missing: Missing,
    /// Parameters of the base learners.
    pub base: BaseParams,
    /// The seed of all random choices.
    pub seed: Seed,
}

/// The results of a method in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The value of each metric on the test rows; metrics that are not defined for them are left out.
    #[serde(serialize_with = "sorted_by_key")]
    pub metrics: BTreeMap<Metric, f64>,
    /// Counts and scores of each label on the test rows.
    pub labels: Vec<LabelEvaluation>,
    /// How long it took; none if another program made the predictions.
    #[serde(flatten)]
    pub seconds: Option<Seconds>,
    /// How the logistic regressions were solved, if the method has any.
    pub logistic: Option<LogisticRecord>,
    /// How the ridge regressions were solved, if iteratively.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<RidgeRecord>,
    /// How the max-margin problem was solved, if the method has one.
    pub solver: Option<SolverReport>,
    /// What the confidence of the predictions was worth, if they have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How the posterior was fitted, if the method has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior: Option<PosteriorRecord>,
}

/// How long a method took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// From raw training rows to a model, base models included.
    #[serde(rename = "fit_seconds")]
    pub fit: f64,
    /// The part of it that went into what no other method shares.
    #[serde(rename = "own_seconds")]
    pub own: f64,
    /// From raw test rows to predictions.
    #[serde(rename = "predict_seconds")]
    pub predict: f64,
}

impl Run {
    /// What is found by comparing predictions with the truth, and nothing about how they were made.
    pub(super) fn of_prediction(prediction: &Prediction, truth: &Dataset) -> Result<Self> {
        let scores = prediction.score(truth)?;
        Ok(Self {
            metrics: scores.iter().collect(),
            labels: scores.labels().to_vec(),
            seconds: None,
            logistic: None,
            ridge: None,
            solver: None,
            confidence: Confidence::of(prediction, truth),
            posterior: None,
        })
    }
}

/// Writes metrics in alphabetical order of their keys, as files of results have them.
fn sorted_by_key<S: Serializer>(
    metrics: &BTreeMap<Metric, f64>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let by_key: BTreeMap<&str, f64> = metrics.iter().map(|(m, &value)| (m.key(), value)).collect();
    serializer.collect_map(by_key)
}

/// The runs of a protocol on a data set. The splits depend on the seed and the protocol only, so runs of
/// different methods can be compared in pairs.
#[derive(Debug)]
pub struct Runs<'a> {
    dataset: &'a Dataset,
    params: &'a RunParams,
    plan: Plan<'a>,
}

/// The rows of a run.
struct RunRows<'a> {
    train: Cow<'a, Dataset>,
    test: Cow<'a, Dataset>,
}

impl<'a> Runs<'a> {
    /// Plans the runs of a data set, which are tested on rows of its own or, if the split is published, on others.
    pub fn new(
        dataset: &'a Dataset,
        test: Option<&'a Dataset>,
        params: &'a RunParams,
    ) -> Result<Self> {
        Ok(Self {
            dataset,
            params,
            plan: params.protocol.plan(dataset, test, params.seed)?,
        })
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        self.plan.runs()
    }

    /// How many rows a run trains and tests on.
    pub fn size(&self, index: usize) -> Result<RunSize> {
        match &self.plan {
            Plan::Split(splits) => {
                let split = splits.split(index)?;
                Ok(RunSize {
                    train: split.train.len(),
                    test: split.test.len(),
                })
            }
            Plan::Published(test) => Ok(RunSize {
                train: self.dataset.rows(),
                test: test.rows(),
            }),
        }
    }

    fn rows(&self, index: usize) -> Result<RunRows<'a>> {
        match &self.plan {
            Plan::Split(splits) => {
                let split = splits.split(index)?;
                let select = |rows: &[usize]| self.dataset.select_rows(rows).map(Cow::Owned);
                Ok(RunRows {
                    train: select(&split.train)?,
                    test: select(&split.test)?,
                })
            }
            Plan::Published(test) => Ok(RunRows {
                train: Cow::Borrowed(self.dataset),
                test: Cow::Borrowed(test),
            }),
        }
    }

    /// The numbers of the rows that a run trains and tests on; none if the test rows are others.
    pub fn split(&self, index: usize) -> Result<Option<Split>> {
        self.plan.split(index)
    }

    /// Scores what another program predicts for the test rows of one run.
    pub fn score(&self, index: usize, prediction: &Prediction) -> Result<Run> {
        let rows = self.rows(index)?;
        Run::of_prediction(prediction, &rows.test)
    }

    /// Fits and scores methods in one run, one after the other. They share the base models, and what each
    /// finds does not depend on the others. `each` gets the position of the method, its run and what it predicts with.
    pub fn run(
        &self,
        index: usize,
        methods: &[&Method],
        mut each: impl FnMut(usize, Run, &Predictor) -> Result<()>,
    ) -> Result<()> {
        let RunRows { train, test } = self.rows(index)?;
        let train = with_relative_weights(train)?;
        let seed = self.params.seed.named("run").numbered(index);

        let start = Instant::now();
        let (raw, params) = (train.features().view(), self.params);
        let preprocessing =
            Preprocessing::fit(raw, params.scaling, params.missing, train.weights())?;
        let features = preprocessing.apply(raw)?;
        let base = self.params.base.clone();
        let training = Training::new(features.view(), train.view(), base.clone(), seed)?;
        let filled_in = if methods.iter().all(|method| method.leaves_unknown_out()) {
            None
        } else {
            training.fill_in_unknown()?
        };
        let with_filled_in = match &filled_in {
            None => None,
            Some(labels) => {
                let rows = Training::new(features.view(), train.view(), base, seed)?;
                Some(rows.with_filled_in(labels))
            }
        };
        let preparation = start.elapsed().as_secs_f64();
        for (position, method) in methods.iter().enumerate() {
            let training = match &with_filled_in {
                Some(rows) if !method.leaves_unknown_out() => rows,
                _ => &training,
            };
            let timed = Timed::new(method, training)?;
            let run = timed.score(training, &preprocessing, &test, preparation)?;
            each(position, run, &timed.fitted.predictor)?;
        }
        Ok(())
    }
}

/// Training rows whose weights are relative, as in every training: those that count rows are written out or merged.
fn with_relative_weights(train: Cow<'_, Dataset>) -> Result<Cow<'_, Dataset>> {
    if train.weights().is_none() {
        return Ok(train);
    }
    match TrainingRows::of(train.view()) {
        TrainingRows::Plain => Ok(Cow::Owned(train.into_owned().without_weights())),
        TrainingRows::Chosen(chosen, weights) => {
            let rows = train.view().written_out(&chosen, weights)?;
            Ok(Cow::Owned(rows))
        }
        TrainingRows::Weighted(weights) => {
            let weighted = train.into_owned().with_weights(weights)?;
            Ok(Cow::Owned(weighted))
        }
    }
}

/// A fitted method and how long it took.
struct Timed {
    fitted: Fitted,
    own_seconds: f64,
    /// The base models it uses.
    usage: Usage,
}

impl Timed {
    fn new(method: &Method, training: &Training<'_>) -> Result<Self> {
        training.settle_usage();
        let shared_before = training.shared_seconds();
        let start = Instant::now();
        let fitted = method.fit_on(training)?;
        let elapsed = start.elapsed().as_secs_f64();
        let computed_now = training.shared_seconds() - shared_before;
        Ok(Self {
            fitted,
            own_seconds: (elapsed - computed_now).max(0.0),
            usage: training.settle_usage(),
        })
    }

    fn score(
        &self,
        training: &Training<'_>,
        preprocessing: &Preprocessing,
        test: &Dataset,
        preparation: f64,
    ) -> Result<Run> {
        let start = Instant::now();
        let features = preprocessing.apply(test.features().view())?;
        let predicted = self.fitted.predictor.predict(features.view())?;
        let predict_seconds = start.elapsed().as_secs_f64();
        let shared = training.logistic_record(self.usage);
        let own = self.fitted.logistic.iter();
        let logistic = LogisticRecord::together(shared.iter().chain(own));
        Ok(Run {
            seconds: Some(Seconds {
                fit: preparation + self.usage.seconds + self.own_seconds,
                own: self.own_seconds,
                predict: predict_seconds,
            }),
            logistic,
            ridge: self.usage.ridge,
            solver: self.fitted.predictor.solver_report().cloned(),
            posterior: self.fitted.posterior.clone(),
            ..Run::of_prediction(&predicted, test)?
        })
    }
}
