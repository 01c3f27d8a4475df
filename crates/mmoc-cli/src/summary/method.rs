//! The results of one method on one data set.

use mmoc::Error;
use mmoc::learn::logistic::LogisticRecord;
use mmoc::metrics::Metric;
use mmoc::settings::{Parameter, Settings};
use mmoc_experiment::{Mean, PairedDifference, Protocol};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::SolverSummary;
use crate::experiment::{CodePicture, DatasetEntry, Manifest, MethodEntry, Record, Source};
use crate::output::counted;
use crate::paper;

/// The results of one method on one data set.
#[derive(Debug, Serialize)]
pub(crate) struct MethodSummary {
    pub(crate) name: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    pub(crate) base_models: usize,
    #[serde(serialize_with = "values_by_name")]
    pub(crate) parameters: Vec<Parameter>,
    #[serde(serialize_with = "as_map")]
    pub(crate) metrics: Vec<(Metric, MetricSummary)>,
    /// From raw training rows to a model, base models included.
    pub(crate) fit_seconds: Seconds,
    /// What the method adds to base models that methods share.
    pub(crate) own_seconds: Seconds,
    pub(crate) predict_seconds: Seconds,
    /// None if the method has no logistic regressions.
    pub(crate) logistic: Option<LogisticRecord>,
    /// None if the method solves no max-margin problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solver: Option<SolverSummary>,
    pub(crate) label_metrics: Vec<LabelSummary>,
    /// The runs themselves, in order.
    #[serde(skip)]
    pub(crate) records: Vec<Record>,
}

/// A metric over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MetricSummary {
    #[serde(flatten)]
    pub(crate) mean: Mean,
    /// The mean and standard error of the paper, for real data that it has a table of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paper: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paper_stderr: Option<f64>,
    /// How the runs differ from those of the reference method; none for that method itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<PairedDifference>,
    /// The value of each run that has one, in order.
    #[serde(skip)]
    pub(crate) values: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Seconds {
    pub(crate) mean: f64,
}

/// Means over runs of what one label got.
#[derive(Debug, Serialize)]
pub(crate) struct LabelSummary {
    pub(crate) name: String,
    pub(crate) positives: f64,
    pub(crate) predicted: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    /// Over the runs in which the label varies; none if there is no such run.
    pub(crate) auc: Option<f64>,
}

fn as_map<S: Serializer>(
    metrics: &[(Metric, MetricSummary)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(metrics.len()))?;
    for (metric, summary) in metrics {
        map.serialize_entry(metric.key(), summary)?;
    }
    map.end()
}

fn values_by_name<S: Serializer>(
    parameters: &[Parameter],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parameters.iter().map(|p| (p.name, p.value)))
}

impl MethodSummary {
    /// Sums up at least one record.
    pub(super) fn new(
        manifest: &Manifest,
        dataset: &DatasetEntry,
        entry: &MethodEntry,
        records: Vec<&Record>,
    ) -> Result<Self, Error> {
        let method = entry.method()?;
        let logistic = records.iter().filter_map(|record| record.logistic);
        let names = dataset.label_names.iter().enumerate();
        let seconds = |of: fn(&Record) -> f64| Seconds {
            mean: mean(&records, of),
        };
        Ok(Self {
            name: method.name(),
            title: method.title(),
            base_models: method.base_models(dataset.labels),
            parameters: method.parameters(),
            metrics: Metric::all()
                .filter_map(|metric| {
                    let summary = MetricSummary::new(metric, &records, |metric| {
                        paper_figure(manifest, dataset, method.name(), metric)
                    })?;
                    Some((metric, summary))
                })
                .collect(),
            fit_seconds: seconds(|record| record.fit_seconds),
            own_seconds: seconds(|record| record.own_seconds),
            predict_seconds: seconds(|record| record.predict_seconds),
            logistic: logistic.reduce(|mut all, run| {
                all.merge(&run);
                all
            }),
            solver: SolverSummary::of(records.iter().filter_map(|record| record.solver.as_ref())),
            label_metrics: names
                .map(|(label, name)| LabelSummary::new(name, label, &records))
                .collect(),
            records: records.into_iter().cloned().collect(),
        })
    }

    /// A metric over runs, if the method has it.
    pub(crate) fn metric(&self, metric: Metric) -> Option<&MetricSummary> {
        let found = self.metrics.iter().find(|(own, _)| *own == metric);
        found.map(|(_, summary)| summary)
    }

    /// What the first run shows of the code that was learnt.
    pub(crate) fn code(&self) -> Option<&CodePicture> {
        self.records.iter().find_map(|record| record.code.as_ref())
    }

    /// What the user should know before trusting the figures.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + use<> {
        let unsolved = self.unsolved();
        let regressions = (unsolved > 0).then(|| {
            let regressions = counted(unsolved, "logistic regression");
            format!("{regressions} did not reach the tolerance")
        });
        let problems = self.solver.into_iter().flat_map(|solver| solver.warnings());
        regressions.into_iter().chain(problems)
    }

    /// The regressions that did not reach the tolerance.
    fn unsolved(&self) -> usize {
        self.logistic
            .map_or(0, |record| record.regressions - record.converged)
    }
}

/// The figure of the paper, whose experiment is that of `reproduce` on real data.
fn paper_figure(
    manifest: &Manifest,
    dataset: &DatasetEntry,
    method: &str,
    metric: Metric,
) -> Option<Mean> {
    let same = manifest.command == "reproduce"
        && dataset.source == Source::Real
        && matches!(manifest.protocol, Protocol::RandomSplits { train_size, .. } if train_size == paper::TRAIN_SIZE);
    same.then(|| paper::figure(&dataset.name, method, metric))
        .flatten()
}

impl MetricSummary {
    fn new(
        metric: Metric,
        records: &[&Record],
        paper: impl Fn(Metric) -> Option<Mean>,
    ) -> Option<Self> {
        let values = records.iter().filter_map(|record| record.metric(metric));
        let values: Vec<f64> = values.collect();
        let paper = paper(metric);
        Some(Self {
            mean: Mean::of(&values)?,
            paper: paper.map(|figure| figure.mean),
            paper_stderr: paper.and_then(|figure| figure.stderr),
            difference: None,
            values,
        })
    }
}

impl LabelSummary {
    fn new(name: &str, label: usize, records: &[&Record]) -> Self {
        let of = |record: &Record| record.labels[label];
        let aucs: Vec<f64> = records.iter().filter_map(|record| of(record).auc).collect();
        Self {
            name: name.into(),
            positives: mean(records, |record| of(record).positives as f64),
            predicted: mean(records, |record| of(record).predicted as f64),
            precision: mean(records, |record| of(record).precision),
            recall: mean(records, |record| of(record).recall),
            f1: mean(records, |record| of(record).f1),
            auc: Mean::of(&aucs).map(|mean| mean.mean),
        }
    }
}

fn mean(records: &[&Record], value: impl Fn(&Record) -> f64) -> f64 {
    records.iter().map(|record| value(record)).sum::<f64>() / records.len() as f64
}
