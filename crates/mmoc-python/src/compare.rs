//! Comparisons of any models, which Python fits, with the statistics and the report of `mmoc compare`.

use std::path::PathBuf;

use mmoc::data::{Dataset, Labels, Missing, Scaling};
use mmoc::{Prediction, Seed, Silent};
use mmoc_experiment::text::{self, Emphasis};
use mmoc_experiment::{
    Design, Entrant, Error, Experiment, InputDataset, Protocol, RunParams, RunPrediction, Runs,
    Seconds, write_report,
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

/// A data set and how it is split.
#[pyclass(frozen, module = "mmoc._native")]
pub(crate) struct Comparison {
    dataset: Dataset,
    protocol: Protocol,
    seed: u64,
}

#[pymethods]
impl Comparison {
    /// Cross-validation with `folds` folds, stratified by labels and repeated, or `runs` random splits.
    #[new]
    #[pyo3(signature = (x, y, *, name, feature_names, label_names, folds, repeats, runs, train_size, seed))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one Python function calls it, with keyword arguments"
    )]
    fn new(
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        name: &str,
        feature_names: Option<Vec<String>>,
        label_names: Option<Vec<String>>,
        folds: usize,
        repeats: usize,
        runs: Option<usize>,
        train_size: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let (x, y) = (HeldFeatures::new(x)?, labels(y)?);
        let view = x.view().map_err(exception)?;
        let rows: Vec<usize> = (0..view.rows()).collect();
        let features = feature_names.unwrap_or_else(|| names::generated_features(view.columns()));
        let labels = label_names.unwrap_or_else(|| names::generated_labels(y.count()));
        let dataset = Dataset::new(name, view.select_rows(&rows), y, features, labels);
        let protocol = match runs {
            Some(runs) => Protocol::RandomSplits { runs, train_size },
            None => Protocol::CrossValidation {
                folds,
                stratified: true,
                repeats,
            },
        };
        Ok(Self {
            dataset: dataset.map_err(exception)?,
            protocol,
            seed,
        })
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

    /// The tables as text and the summary as JSON. With a folder, the report is written into it.
    fn finish(
        &self,
        py: Python<'_>,
        entrants: Vec<(String, Vec<RunOf<'_>>)>,
        reference: Option<String>,
        out: Option<PathBuf>,
    ) -> PyResult<(String, String, Vec<String>)> {
        let entrants = entrants.into_iter().map(|(name, runs)| {
            let runs: PyResult<Vec<RunPrediction>> = runs.into_iter().map(of_run).collect();
            Ok(Entrant::of_runs(name, runs?))
        });
        let mut design = self.design(entrants.collect::<PyResult<_>>()?);
        design.reference = reference;
        let rows: Vec<usize> = (0..self.dataset.rows()).collect();
        let dataset = self.dataset.select_rows(&rows).map_err(exception)?;
        py.detach(|| {
            // Models scale features themselves, or do not.
            let input = InputDataset {
                scaling: Scaling::None,
                missing: Missing::Mean,
                ..InputDataset::new(dataset)
            };
            let experiment = Experiment::new(design, vec![input])?;
            let results = experiment.with_threads(1).run(&Silent)?;
            let summary = results.summary()?;
            if let Some(folder) = out {
                write_report(&summary, folder)?;
            }
            let json = serde_json::to_string(&summary).map_err(std::io::Error::from);
            Ok((
                text::comparison(&summary, Emphasis::Plain),
                json,
                summary.warnings(),
            ))
        })
        .map_err(experiment_exception)
        .and_then(|(text, json, warnings)| {
            let json = json.map_err(|error| invalid(error.to_string()))?;
            Ok((text, json, warnings))
        })
    }
}

impl Comparison {
    fn design(&self, entrants: Vec<Entrant>) -> Design {
        Design {
            seed: self.seed,
            command: "python".into(),
            ..Design::of_entrants(entrants, self.protocol)
        }
    }
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
