//! Comparisons of any models, which Python fits, with the statistics and the report of `mmoc compare`.

use std::path::PathBuf;

use mmoc::data::{Dataset, Labels, Missing, Scaling};
use mmoc::metrics::Metric;
use mmoc::{Prediction, Seed, Silent};
use mmoc_experiment::text::{self, Emphasis};
use mmoc_experiment::{
    Design, Entrant, Error, Experiment, InputDataset, Manifest, Protocol, RunParams, RunPrediction,
    Runs, Seconds, paper, tables, write_report,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{HeldFeatures, labels, matrix};
use crate::failure::{exception, invalid};
use crate::names;

/// The numbers of the rows that a run trains and tests on.
type RowNumbers<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// What a model predicted in a run: label sets, scores, probabilities, confidence, and the seconds of fit and prediction.
type RunOf<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyArray2<f64>>>,
    Option<Bound<'py, PyArray2<f64>>>,
    Option<Bound<'py, PyArray1<f64>>>,
    f64,
    f64,
);

/// The name of a method, what its estimator is, and what it predicted in each run.
type EntrantOf<'py> = (String, String, Vec<RunOf<'py>>);

/// The tables as text, the summary as JSON, warnings, and tables for papers by the names of their files.
type Finished = (String, String, Vec<String>, Vec<(String, String)>);

/// A data set, how it is split, and what is wanted of the results.
#[pyclass(frozen, module = "mmoc._native")]
pub(crate) struct Comparison {
    dataset: Dataset,
    protocol: Protocol,
    seed: u64,
    reference: Option<String>,
    metrics: Vec<Metric>,
    out: Option<PathBuf>,
}

#[pymethods]
impl Comparison {
    /// Cross-validation with `folds` folds, stratified by labels and repeated, or `runs` random splits with so many
    /// training rows or this share of them. `unknown` has the label cells that are not known, of which `y` has none.
    #[new]
    #[pyo3(signature = (
        x, y, *, unknown, weights, name, feature_names, label_names, folds, repeats, runs, train_size, train_share, seed,
        reference, metrics, out
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one Python function calls it, with keyword arguments"
    )]
    fn new(
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        unknown: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyArray1<f64>>>,
        name: &str,
        feature_names: Option<Vec<String>>,
        label_names: Option<Vec<String>>,
        folds: usize,
        repeats: usize,
        runs: usize,
        train_size: Option<usize>,
        train_share: Option<f64>,
        seed: u64,
        reference: Option<String>,
        metrics: Option<Vec<String>>,
        out: Option<PathBuf>,
    ) -> PyResult<Self> {
        let (x, y) = (HeldFeatures::new(x)?, labels(y)?);
        let view = x.view().map_err(exception)?;
        let rows: Vec<usize> = (0..view.rows()).collect();
        let features = feature_names.unwrap_or_else(|| names::generated_features(view.columns()));
        let label_names = label_names.unwrap_or_else(|| names::generated_labels(y.count()));
        let dataset = Dataset::new(name, view.select_rows(&rows), y, features, label_names);
        let mut dataset = dataset.map_err(exception)?;
        if let Some(unknown) = unknown {
            dataset = dataset.with_unknown(labels(unknown)?).map_err(exception)?;
        }
        if let Some(weights) = weights {
            dataset = dataset.with_weights(weights.to_vec()?).map_err(exception)?;
        }
        let protocol = match (train_size, train_share) {
            (Some(train_size), _) => Protocol::RandomSplits { runs, train_size },
            (None, Some(train_share)) => Protocol::RandomShares { runs, train_share },
            (None, None) => Protocol::CrossValidation {
                folds,
                stratified: true,
                repeats,
            },
        };
        Ok(Self {
            dataset,
            protocol,
            seed,
            reference,
            metrics: headline(metrics)?,
            out,
        })
    }

    /// Fails if the results of these methods, given by their names and estimators, could not be shown or kept.
    fn check(&self, methods: Vec<(String, String)>) -> PyResult<()> {
        let entrants = methods.into_iter();
        let entrants = entrants.map(|(name, model)| Entrant::of_runs(name, model, Vec::new()));
        let manifest = Manifest::new(&self.design(entrants.collect()), &[self.input()]);
        let manifest = manifest.map_err(experiment_exception)?;
        match &self.out {
            Some(folder) => manifest.check_folder(folder).map_err(experiment_exception),
            None => Ok(()),
        }
    }

    /// The rows of each run.
    fn splits<'py>(&self, py: Python<'py>) -> PyResult<Vec<RowNumbers<'py>>> {
        let design = self.design(Vec::new());
        let params = RunParams {
            protocol: self.protocol,
            scaling: Scaling::None,
            missing: Missing::Mean,
            base: design.base,
            seed: Seed::new(self.seed),
        };
        let runs = Runs::new(&self.dataset, None, &params).map_err(exception)?;
        let numbers =
            |rows: Vec<usize>| -> Vec<u64> { rows.iter().map(|&row| row as u64).collect() };
        let of_run = |run| {
            let split = runs.split(run).map_err(exception)?;
            let split = split.ok_or_else(|| invalid("the test rows are given"))?;
            Ok((
                PyArray1::from_vec(py, numbers(split.train)),
                PyArray1::from_vec(py, numbers(split.test)),
            ))
        };
        (0..runs.count()).map(of_run).collect()
    }

    /// Sums up the results. They are kept in the folder as those of `mmoc compare` are, with the report.
    fn finish(&self, py: Python<'_>, entrants: Vec<EntrantOf<'_>>) -> PyResult<Finished> {
        let entrants = entrants.into_iter().map(|(name, model, runs)| {
            let runs: PyResult<Vec<RunPrediction>> = runs.into_iter().map(of_run).collect();
            Ok(Entrant::of_runs(name, model, runs?))
        });
        let design = self.design(entrants.collect::<PyResult<_>>()?);
        py.detach(|| self.sum_up(design))
            .map_err(experiment_exception)
    }
}

impl Comparison {
    fn sum_up(&self, design: Design) -> Result<Finished, Error> {
        let experiment = Experiment::new(design, vec![self.input()])?;
        let mut results = experiment.with_threads(1).run(&Silent)?;
        if let Some(folder) = &self.out {
            results = results.write(folder)?;
        }
        let summary = results.summary_of(&self.metrics)?;
        if let Some(folder) = &self.out {
            write_report(&summary, folder)?;
        }
        let json = serde_json::to_string(&summary).expect("summaries are JSON");
        let text = text::comparison(&summary, Emphasis::Plain);
        Ok((text, json, summary.warnings(), tables(&summary)))
    }

    /// The data set. Models scale features themselves, or do not.
    fn input(&self) -> InputDataset {
        InputDataset {
            scaling: Scaling::None,
            missing: Missing::Mean,
            ..InputDataset::new(self.dataset.clone())
        }
    }

    fn design(&self, entrants: Vec<Entrant>) -> Design {
        Design {
            seed: self.seed,
            command: "python".into(),
            reference: self.reference.clone(),
            ..Design::of_entrants(entrants, self.protocol)
        }
    }
}

/// The metrics of tables, each once. By default those of the paper.
fn headline(keys: Option<Vec<String>>) -> PyResult<Vec<Metric>> {
    let Some(keys) = keys else {
        return Ok(paper::METRICS.to_vec());
    };
    let mut metrics: Vec<Metric> = Vec::new();
    for key in keys {
        let metric = key.parse().map_err(exception)?;
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    Ok(metrics)
}

fn experiment_exception(error: Error) -> PyErr {
    match error {
        Error::Library(error) => exception(error),
        error => invalid(error.to_string()),
    }
}

fn of_run(run: RunOf<'_>) -> PyResult<RunPrediction> {
    let (sets, scores, probabilities, confidence, fit, predict) = run;
    let sets: Labels = labels(&sets)?;
    let prediction = Prediction {
        labels: sets,
        scores: scores.map(|own| matrix(&own)).transpose()?,
        probabilities: probabilities.map(|own| matrix(&own)).transpose()?,
        confidence: confidence.map(|own| own.to_vec()).transpose()?,
    };
    let seconds = Seconds {
        fit,
        own: fit,
        predict,
    };
    Ok(RunPrediction {
        prediction,
        seconds,
    })
}
