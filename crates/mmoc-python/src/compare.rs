//! Comparisons of any models, which Python fits, with the statistics and the report of `mmoc compare`.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mmoc::Prediction;
use mmoc::data::{Dataset, Labels, Missing, Scaling};
use mmoc::metrics::Metric;
use mmoc::text::excerpt;
use mmoc_experiment::text::{self, Emphasis};
use mmoc_experiment::{
    Collection, Design, Entrant, Error, Experiment, InputDataset, Protocol, RunPrediction, Seconds,
    paper, tables, write_report,
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

/// Features, labels, the label cells that are not known, weights, a name, and the names of features and labels.
type DatasetOf<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyArray1<f64>>>,
    String,
    Option<Vec<String>>,
    Option<Vec<String>>,
);

/// The tables as text, the summary as JSON, warnings, and tables for papers by the names of their files.
type Finished = (String, String, Vec<String>, Vec<(String, String)>);

/// Models that Python fits on data sets, and what they predict, run by run.
///
/// Data sets, runs and methods are called by their numbers, from zero.
#[pyclass(frozen, module = "mmoc._native")]
pub(crate) struct Comparison {
    /// Nothing once it is closed.
    collection: Mutex<Option<Collection>>,
    metrics: Vec<Metric>,
    out: Option<PathBuf>,
    /// Methods that the folder has beside those that are given. They come first.
    kept: Vec<String>,
}

#[pymethods]
impl Comparison {
    /// Cross-validation with `folds` folds, stratified by labels and repeated, or `runs` random splits with so many
    /// training rows or this share of them, of methods that are given by their names and estimators.
    ///
    /// Fails if the results could not be shown or kept. From the first result on, a folder belongs to this comparison
    /// until it is closed.
    #[new]
    #[pyo3(signature = (
        datasets, methods, *, folds, repeats, runs, train_size, train_share, seed, reference, metrics, out
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one Python function calls it, with keyword arguments"
    )]
    fn new(
        datasets: Vec<DatasetOf<'_>>,
        methods: Vec<(String, String)>,
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
        let metrics = headline(metrics)?;
        let inputs: PyResult<Vec<InputDataset>> = datasets.into_iter().map(input).collect();
        let protocol = match (train_size, train_share) {
            (Some(train_size), _) => Protocol::RandomSplits { runs, train_size },
            (None, Some(train_share)) => Protocol::RandomShares { runs, train_share },
            (None, None) => Protocol::CrossValidation {
                folds,
                stratified: true,
                repeats,
            },
        };
        let methods = methods.into_iter();
        let entrants = methods.map(|(name, model)| Entrant::of_caller(name, model));
        let mut design = Design {
            seed,
            command: "python".into(),
            reference,
            ..Design::of_entrants(entrants.collect(), protocol)
        };
        let kept = out.as_deref().map(|folder| design.keep_models_of(folder));
        let kept = kept.transpose().map_err(experiment_exception)?;
        let kept = kept.unwrap_or_default();
        let experiment = Experiment::new(design, inputs?);
        let collection = experiment.and_then(|own| own.collect(out.as_deref()));
        let collection = collection.map_err(experiment_exception)?;
        check_complete(&collection, &kept)?;
        Ok(Self {
            collection: Mutex::new(Some(collection)),
            metrics,
            out,
            kept,
        })
    }

    /// The methods of the folder that stay in the comparison, although they were not given.
    #[getter]
    fn kept(&self) -> Vec<String> {
        self.kept.clone()
    }

    /// The rows of each run on a data set.
    fn splits<'py>(&self, py: Python<'py>, dataset: usize) -> PyResult<Vec<RowNumbers<'py>>> {
        let numbers =
            |rows: Vec<usize>| -> Vec<u64> { rows.iter().map(|&row| row as u64).collect() };
        self.with(|collection| {
            let of_run = |run| {
                let split = collection.split(dataset, run)?;
                Ok((
                    PyArray1::from_vec(py, numbers(split.train)),
                    PyArray1::from_vec(py, numbers(split.test)),
                ))
            };
            (0..collection.runs(dataset)).map(of_run).collect()
        })
    }

    /// Whether the folder had the results of a method in a run.
    fn has(&self, dataset: usize, run: usize, method: usize) -> PyResult<bool> {
        self.with(|collection| Ok(collection.has(dataset, run, self.place(method))))
    }

    /// Scores what a method predicted for the test rows of a run. The result is kept at once.
    fn add(
        &self,
        py: Python<'_>,
        dataset: usize,
        run: usize,
        method: usize,
        predicted: RunOf<'_>,
    ) -> PyResult<()> {
        let predicted = of_run(predicted)?;
        let method = self.place(method);
        py.detach(|| self.with(|collection| collection.add(dataset, run, method, &predicted)))
    }

    /// Sums up the results and closes the comparison. A folder gets the report.
    fn finish(&self, py: Python<'_>) -> PyResult<Finished> {
        let collection = self.lock().take().ok_or_else(closed)?;
        py.detach(|| self.sum_up(collection))
            .map_err(experiment_exception)
    }

    /// Leaves the folder to others, with the results that it has.
    fn close(&self) {
        self.lock().take();
    }
}

impl Comparison {
    /// The place of a given method among all of them.
    fn place(&self, method: usize) -> usize {
        self.kept.len() + method
    }

    fn lock(&self) -> MutexGuard<'_, Option<Collection>> {
        self.collection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Collection) -> Result<T, Error>) -> PyResult<T> {
        let mut collection = self.lock();
        work(collection.as_mut().ok_or_else(closed)?).map_err(experiment_exception)
    }

    fn sum_up(&self, collection: Collection) -> Result<Finished, Error> {
        let results = collection.finish()?;
        let summary = results.summary_of(&self.metrics)?;
        if let Some(folder) = &self.out {
            write_report(&summary, folder)?;
        }
        let json = serde_json::to_string(&summary).expect("summaries are JSON");
        let text = text::comparison(&summary, Emphasis::Plain);
        Ok((text, json, summary.warnings(), tables(&summary)))
    }
}

/// Fails if a folder lacks results of the methods that it keeps, which come first. Only whoever has the estimators
/// could add them.
fn check_complete(collection: &Collection, kept: &[String]) -> PyResult<()> {
    for (method, name) in kept.iter().enumerate() {
        let mut datasets = (0..).take_while(|&dataset| collection.runs(dataset) > 0);
        let lacks = |dataset| {
            (0..collection.runs(dataset)).any(|run| !collection.has(dataset, run, method))
        };
        if datasets.any(lacks) {
            return Err(invalid(format!(
                "the folder has results of {}, but not of all runs: give its estimator again, under the same name",
                excerpt(name)
            )));
        }
    }
    Ok(())
}

fn closed() -> PyErr {
    invalid("the comparison is closed")
}

/// A data set. Models scale features themselves, or do not.
fn input(of: DatasetOf<'_>) -> PyResult<InputDataset> {
    let (x, y, unknown, weights, name, feature_names, label_names) = of;
    let (x, y) = (HeldFeatures::new(&x)?, labels(&y)?);
    let view = x.view().map_err(exception)?;
    let rows: Vec<usize> = (0..view.rows()).collect();
    let features = feature_names.unwrap_or_else(|| names::generated_features(view.columns()));
    let label_names = label_names.unwrap_or_else(|| names::generated_labels(y.count()));
    let dataset = Dataset::new(name, view.select_rows(&rows), y, features, label_names);
    let mut dataset = dataset.map_err(exception)?;
    if let Some(unknown) = unknown {
        dataset = dataset.with_unknown(labels(&unknown)?).map_err(exception)?;
    }
    if let Some(weights) = weights {
        dataset = dataset.with_weights(weights.to_vec()?).map_err(exception)?;
    }
    Ok(InputDataset {
        scaling: Scaling::None,
        missing: Missing::Mean,
        ..InputDataset::new(dataset)
    })
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
