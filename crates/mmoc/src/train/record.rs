//! The record of a training.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{TrainParams, fingerprint};
use crate::code::CodeReport;
use crate::data::{DatasetView, Scaling};
use crate::learn::Training;
use crate::learn::logistic::LogisticRecord;
use crate::learn::ridge::RidgeRecord;
use crate::method::{Fitted, Penalties};
use crate::metrics::{Evaluation, Metric};
use crate::posterior::PosteriorRecord;

/// What is known of a training beside its parameters. Nothing in it depends on the time, the machine or the number of
/// threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// The version of the program.
    pub program: String,
    /// The name of the data set.
    pub dataset: String,
    /// Rows, n.
    pub rows: usize,
    /// Feature columns, p.
    pub columns: usize,
    /// Labels, q.
    pub labels: usize,
    /// The fingerprint of the data set ([`fingerprint()`]).
    pub fingerprint: String,
    /// The scaling that was applied; never automatic.
    pub scaling: Scaling,
    /// Base models, as the paper counts them.
    pub base_models: usize,
    /// The penalties that were chosen.
    pub penalties: Penalties,
    /// How the logistic regressions were solved, if there are any.
    pub logistic: Option<LogisticRecord>,
    /// How the ridge regressions were solved, if that took iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ridge: Option<RidgeRecord>,
    /// How the code was found, if there is one. The metric of a max-margin code is with the code itself, not here.
    pub code: Option<CodeReport>,
    /// How the posterior was fitted, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior: Option<PosteriorRecord>,
    /// Scores of held-out predictions of the training rows; empty if they were not estimated.
    pub estimates: BTreeMap<Metric, f64>,
}

/// What was trained on.
pub(crate) struct TrainedOn {
    pub(crate) dataset: String,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) labels: usize,
    pub(crate) fingerprint: String,
    pub(crate) scaling: Scaling,
}

impl TrainedOn {
    pub(super) fn of(dataset: DatasetView<'_>, scaling: Scaling) -> Self {
        Self {
            dataset: dataset.name().into(),
            rows: dataset.rows(),
            columns: dataset.schema().columns(),
            labels: dataset.labels().count(),
            fingerprint: fingerprint(dataset),
            scaling: scaling.resolve(dataset.features()),
        }
    }
}

impl TrainingRecord {
    pub(crate) fn new(
        params: &TrainParams,
        on: TrainedOn,
        training: &Training<'_>,
        fitted: &Fitted,
        estimates: Option<&Evaluation>,
    ) -> Self {
        let usage = training.settle_usage();
        let shared = training.logistic_record(usage);
        Self {
            program: env!("CARGO_PKG_VERSION").into(),
            dataset: on.dataset,
            rows: on.rows,
            columns: on.columns,
            labels: on.labels,
            fingerprint: on.fingerprint,
            scaling: on.scaling,
            base_models: params.method.base_models(on.labels),
            penalties: fitted.penalties.clone(),
            logistic: LogisticRecord::together(shared.iter().chain(&fitted.logistic)),
            ridge: usage.ridge,
            code: fitted
                .predictor
                .code()
                .map(|code| code.report.without_metric()),
            posterior: fitted.posterior.clone(),
            estimates: estimates.into_iter().flat_map(Evaluation::iter).collect(),
        }
    }
}

impl TrainingRecord {
    /// A sentence for each tolerance that was not reached.
    pub fn not_converged(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(logistic) = self.logistic.filter(|record| !record.all_converged()) {
            let failed = logistic.regressions - logistic.converged;
            let all = logistic.regressions;
            sentences.push(format!(
                "{failed} of {all} logistic regressions did not reach the tolerance (worst gradient {:.1e})",
                logistic.worst_gradient
            ));
        }
        if let Some(ridge) = self.ridge.filter(|record| !record.all_converged()) {
            let failed = ridge.regressions - ridge.converged;
            let all = ridge.regressions;
            sentences.push(format!(
                "{failed} of {all} ridge regressions did not reach the tolerance (worst gradient {:.1e})",
                ridge.worst_gradient
            ));
        }
        if let Some(CodeReport::MaxMargin { solver, .. }) = &self.code {
            sentences.extend(solver.not_converged());
        }
        sentences
    }
}
