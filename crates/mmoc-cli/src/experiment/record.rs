//! One line of `results.jsonl`: what one method found in one run on one data set.

use std::collections::BTreeMap;

use mmoc::code::max_margin::SolverReport;
use mmoc::learn::logistic::LogisticRecord;
use mmoc::metrics::{LabelEvaluation, Metric};
use mmoc_experiment::{Run, RunSize};
use serde::{Deserialize, Serialize};

use super::picture::CodePicture;

/// Which run of which method on which data set, by the names of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) dataset: String,
    pub(crate) run: usize,
    pub(crate) method: String,
}

/// What one method found in one run on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) dataset: String,
    pub(crate) run: usize,
    pub(crate) method: String,
    pub(crate) size: RunSize,
    /// By the keys of the metrics.
    pub(crate) metrics: BTreeMap<String, f64>,
    pub(crate) labels: Vec<LabelEvaluation>,
    pub(crate) fit_seconds: f64,
    pub(crate) own_seconds: f64,
    pub(crate) predict_seconds: f64,
    pub(crate) logistic: Option<LogisticRecord>,
    pub(crate) solver: Option<SolverReport>,
    /// What the first run shows of the code that was learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<CodePicture>,
}

impl Record {
    pub(crate) fn new(key: Key, size: RunSize, run: Run, code: Option<CodePicture>) -> Self {
        let metrics = run.scores.iter();
        Self {
            dataset: key.dataset,
            run: key.run,
            method: key.method,
            size,
            metrics: metrics
                .map(|(metric, value)| (metric.key().to_owned(), value))
                .collect(),
            labels: run.scores.labels().to_vec(),
            fit_seconds: run.fit_seconds,
            own_seconds: run.own_seconds,
            predict_seconds: run.predict_seconds,
            logistic: run.logistic,
            solver: run.solver,
            code,
        }
    }

    pub(crate) fn key(&self) -> Key {
        Key {
            dataset: self.dataset.clone(),
            run: self.run,
            method: self.method.clone(),
        }
    }

    pub(crate) fn metric(&self, metric: Metric) -> Option<f64> {
        self.metrics.get(metric.key()).copied()
    }
}
