//! The results of one entrant on one data set.

use std::collections::BTreeMap;

use mmoc::Result;
use mmoc::learn::logistic::LogisticRecord;
use mmoc::learn::ridge::RidgeRecord;
use mmoc::method::Method;
use mmoc::metrics::{LabelEvaluation, Metric};
use serde::Serialize;

use super::{ConfidenceSummary, PosteriorSummary, SolverSummary};
use crate::experiment::{CodePicture, DatasetEntry, Manifest, MethodEntry, Record};
use crate::text::counted;
use crate::{Mean, PairedDifference, Seconds, paper};

/// The results of one entrant on one data set.
#[derive(Debug)]
pub struct MethodSummary<'a> {
    entry: &'a MethodEntry,
    /// The method with its parameters; none if another program made the predictions.
    pub method: Option<Method>,
    /// Number of base models of the method, counted as in the paper.
    pub base_models: Option<usize>,
    /// The metrics that are defined for at least one run.
    pub metrics: BTreeMap<Metric, MetricSummary>,
    /// Mean seconds of a run; none if another program made the predictions.
    pub seconds: Option<Seconds>,
    /// How the logistic regressions of all runs were solved; none if the method has none.
    pub logistic: Option<LogisticRecord>,
    /// How the ridge regressions of all runs were solved; none unless iteratively.
    pub ridge: Option<RidgeRecord>,
    /// How the max-margin problems were solved; none if the method has none.
    pub solver: Option<SolverSummary>,
    /// What the confidence of predictions was worth; none if they have none.
    pub confidence: Option<ConfidenceSummary>,
    /// How the posteriors were fitted; none if the method has none.
    pub posterior: Option<PosteriorSummary>,
    /// Each label by itself.
    pub labels: Vec<LabelSummary<'a>>,
    /// The runs, in order.
    pub records: Vec<&'a Record>,
}

/// A metric over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricSummary {
    /// Mean and standard error.
    #[serde(flatten)]
    pub mean: Mean,
    /// The mean in the paper, for real data that it has a table of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<f64>,
    /// The standard error in the paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_stderr: Option<f64>,
    /// How the runs differ from those of the reference method; none for that method itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PairedDifference>,
    /// The value of each run that has one, in order.
    #[serde(skip)]
    pub values: Vec<f64>,
}

/// Means over runs of the counts and scores of one label.
#[derive(Debug, Serialize)]
pub struct LabelSummary<'a> {
    /// Name of the label.
    pub name: &'a str,
    /// Test rows that carry it.
    pub positives: f64,
    /// Test rows for which it is predicted.
    pub predicted: f64,
    /// Share of the predicted rows that carry it.
    pub precision: f64,
    /// Share of the rows that carry it for which it is predicted.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// Over the runs in which the label varies; none if there is no such run.
    pub auc: Option<f64>,
}

impl<'a> MethodSummary<'a> {
    /// Sums up at least one record.
    pub(super) fn new(
        manifest: &Manifest,
        dataset: &'a DatasetEntry,
        entry: &'a MethodEntry,
        records: Vec<&'a Record>,
    ) -> Result<Self> {
        let method = entry.method()?;
        let metric = |metric| {
            let published =
                |method: &Method| paper::figure_of(manifest, dataset, method.name(), metric);
            let paper = method.as_ref().and_then(published);
            Some((metric, MetricSummary::new(metric, &records, paper)?))
        };
        let runs = || records.iter().map(|record| &record.results);
        let names = dataset.label_names.iter().enumerate();
        let seconds: Vec<Seconds> = runs().filter_map(|run| run.seconds).collect();
        let logistic: Vec<LogisticRecord> = runs().filter_map(|run| run.logistic).collect();
        Ok(Self {
            entry,
            base_models: method
                .as_ref()
                .map(|method| method.base_models(dataset.labels)),
            metrics: Metric::all().filter_map(metric).collect(),
            seconds: mean_seconds(&seconds),
            logistic: LogisticRecord::together(&logistic),
            ridge: runs().filter_map(|run| run.ridge).reduce(|mut all, run| {
                all.merge(&run);
                all
            }),
            solver: SolverSummary::of(runs().filter_map(|run| run.solver.as_ref())),
            confidence: ConfidenceSummary::of(runs().filter_map(|run| run.confidence.as_ref())),
            posterior: PosteriorSummary::of(runs().filter_map(|run| run.posterior.as_ref())),
            labels: names
                .map(|(label, name)| LabelSummary::new(name, label, &records))
                .collect(),
            method,
            records,
        })
    }

    /// The name of the entrant.
    pub fn name(&self) -> &'a str {
        &self.entry.name
    }

    /// The name in tables.
    pub fn title(&self) -> &'a str {
        self.entry.title()
    }

    /// A metric over runs, if it is defined for any.
    pub fn metric(&self, metric: Metric) -> Option<&MetricSummary> {
        self.metrics.get(&metric)
    }

    /// The code that was learnt in the first run.
    pub fn code(&self) -> Option<&CodePicture> {
        self.records.iter().find_map(|record| record.code.as_ref())
    }

    /// What limits the reliability of the results, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let logistic = self
            .logistic
            .map(|record| (record.regressions, record.converged));
        let ridge = self
            .ridge
            .map(|record| (record.regressions, record.converged));
        let kinds = [
            ("logistic regression", logistic),
            ("ridge regression", ridge),
        ];
        let regressions = kinds.into_iter().filter_map(|(kind, counts)| {
            let (all, converged) = counts.filter(|(all, converged)| converged < all)?;
            Some(format!(
                "{} did not reach the tolerance",
                counted(all - converged, kind)
            ))
        });
        let problems = self.solver.into_iter().flat_map(|solver| solver.warnings());
        regressions.chain(problems).collect()
    }
}

impl MetricSummary {
    fn new(metric: Metric, records: &[&Record], paper: Option<Mean>) -> Option<Self> {
        let values = records
            .iter()
            .filter_map(|record| record.results.metrics.get(&metric));
        let values: Vec<f64> = values.copied().collect();
        Some(Self {
            mean: Mean::of(&values)?,
            paper: paper.map(|figure| figure.mean),
            paper_stderr: paper.and_then(|figure| figure.stderr),
            difference: None,
            values,
        })
    }
}

impl<'a> LabelSummary<'a> {
    fn new(name: &'a str, label: usize, records: &[&Record]) -> Self {
        let labels = || records.iter().map(|record| record.results.labels[label]);
        let mean_of = |value: fn(LabelEvaluation) -> f64| mean(labels().map(value));
        let aucs: Vec<f64> = labels().filter_map(|own| own.auc).collect();
        Self {
            name,
            positives: mean_of(|own| own.positives as f64),
            predicted: mean_of(|own| own.predicted as f64),
            precision: mean_of(|own| own.precision),
            recall: mean_of(|own| own.recall),
            f1: mean_of(|own| own.f1),
            auc: Mean::of(&aucs).map(|mean| mean.mean),
        }
    }
}

fn mean_seconds(runs: &[Seconds]) -> Option<Seconds> {
    let mean_of = |part: fn(&Seconds) -> f64| mean(runs.iter().map(part));
    (!runs.is_empty()).then(|| Seconds {
        fit: mean_of(|run| run.fit),
        own: mean_of(|run| run.own),
        predict: mean_of(|run| run.predict),
    })
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
