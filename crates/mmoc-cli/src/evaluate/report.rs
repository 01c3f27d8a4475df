//! What `evaluate --json` writes: the keys are documented in `docs/json.md` and none of them changes.

use mmoc::data::Dataset;
use mmoc::evaluate::{EvaluateParams, Mean, Protocol, Run};
use mmoc::learn::logistic::LogisticRecord;
use mmoc::method::Method;
use mmoc::metrics::Metric;
use mmoc::settings::{Parameter, Settings};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::solver::SolverSummary;
use crate::output::counted;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) version: &'static str,
    pub(super) seed: u64,
    pub(super) protocol: Protocol,
    pub(super) scaling: String,
    pub(super) datasets: Vec<DatasetReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct DatasetReport {
    pub(super) name: String,
    pub(super) source: &'static str,
    pub(super) rows: usize,
    pub(super) features: usize,
    pub(super) labels: usize,
    pub(super) methods: Vec<MethodReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodReport {
    pub(super) name: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) base_models: usize,
    #[serde(serialize_with = "values_by_name")]
    pub(super) parameters: Vec<Parameter>,
    #[serde(serialize_with = "as_map")]
    pub(super) metrics: Vec<(Metric, Mean)>,
    pub(super) fit_seconds: Seconds,
    pub(super) predict_seconds: Seconds,
    /// None if the method has no logistic regressions.
    pub(super) logistic: Option<LogisticRecord>,
    /// None if the method solves no max-margin problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) solver: Option<SolverSummary>,
    pub(super) label_metrics: Vec<LabelReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct Seconds {
    pub(super) mean: f64,
}

/// Means over runs of what one label got.
#[derive(Debug, Serialize)]
pub(super) struct LabelReport {
    pub(super) name: String,
    pub(super) positives: f64,
    pub(super) predicted: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
    /// Over the runs in which the label varies; none if there is no such run.
    pub(super) auc: Option<f64>,
}

fn as_map<S: Serializer>(metrics: &[(Metric, Mean)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(metrics.len()))?;
    for (metric, mean) in metrics {
        map.serialize_entry(metric.key(), mean)?;
    }
    map.end()
}

fn values_by_name<S: Serializer>(
    parameters: &[Parameter],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parameters.iter().map(|p| (p.name, p.value)))
}

impl Report {
    pub(super) fn new(
        dataset: &Dataset,
        method: &Method,
        params: &EvaluateParams,
        seed: u64,
        runs: &[Run],
    ) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            seed,
            protocol: params.protocol,
            scaling: params.scaling.to_string(),
            datasets: vec![DatasetReport {
                name: dataset.name().into(),
                source: "real",
                rows: dataset.rows(),
                features: dataset.attributes(),
                labels: dataset.labels().count(),
                methods: vec![MethodReport::new(dataset, method, runs)],
            }],
        }
    }
}

impl Report {
    /// What the user should know before trusting the figures.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let methods = self.datasets.iter().flat_map(|dataset| &dataset.methods);
        methods.flat_map(MethodReport::warnings)
    }
}

impl MethodReport {
    fn warnings(&self) -> impl Iterator<Item = String> + use<> {
        let name = self.name;
        let unsolved = self.unsolved();
        let regressions = (unsolved > 0).then(|| {
            let regressions = counted(unsolved, "logistic regression");
            format!("{regressions} did not reach the tolerance")
        });
        let problems = self.solver.into_iter().flat_map(|solver| solver.warnings());
        let found = regressions.into_iter().chain(problems);
        found.map(move |warning| format!("{name}: {warning}"))
    }

    /// The regressions that did not reach the tolerance.
    fn unsolved(&self) -> usize {
        self.logistic
            .map_or(0, |record| record.regressions - record.converged)
    }

    fn new(dataset: &Dataset, method: &Method, runs: &[Run]) -> Self {
        let metrics = Metric::all().filter_map(|metric| {
            let values: Vec<f64> = runs
                .iter()
                .filter_map(|run| run.scores.get(metric))
                .collect();
            Some((metric, Mean::of(&values)?))
        });
        let names = dataset.label_names().iter().enumerate();
        let logistic = runs
            .iter()
            .filter_map(|run| run.logistic)
            .reduce(|mut all, run| {
                all.merge(&run);
                all
            });
        Self {
            name: method.name(),
            title: method.title(),
            base_models: method.base_models(dataset.labels().count()),
            parameters: method.parameters(),
            metrics: metrics.collect(),
            fit_seconds: Seconds {
                mean: mean(runs, |run| run.fit_seconds),
            },
            predict_seconds: Seconds {
                mean: mean(runs, |run| run.predict_seconds),
            },
            logistic,
            solver: SolverSummary::of(runs.iter().filter_map(|run| run.solver.as_ref())),
            label_metrics: names
                .map(|(label, name)| LabelReport::new(name, label, runs))
                .collect(),
        }
    }
}

impl LabelReport {
    fn new(name: &str, label: usize, runs: &[Run]) -> Self {
        let of = |run: &Run| run.scores.labels()[label];
        let aucs: Vec<f64> = runs.iter().filter_map(|run| of(run).auc).collect();
        Self {
            name: name.into(),
            positives: mean(runs, |run| of(run).positives as f64),
            predicted: mean(runs, |run| of(run).predicted as f64),
            precision: mean(runs, |run| of(run).precision),
            recall: mean(runs, |run| of(run).recall),
            f1: mean(runs, |run| of(run).f1),
            auc: Mean::of(&aucs).map(|mean| mean.mean),
        }
    }
}

fn mean(runs: &[Run], value: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(value).sum::<f64>() / runs.len() as f64
}
