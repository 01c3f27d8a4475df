//! Training.

use mmoc::data::{Attribute, DatasetView, Folds, Missing, Scaling, Schema, Targets};
use mmoc::learn::BaseParams;
use mmoc::method::Method;
use mmoc::posterior::check_given_names;
use mmoc::train::{Estimates, TrainParams};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{HeldFeatures, labels};
use crate::evidence::{NamedNumbers, given};
use crate::failure::{exception, invalid};
use crate::job;
use crate::model::Model;
use crate::settings::assign;
use crate::{frame, names};

/// Trains a model. `weights` are those of the rows, and `unknown` has the label cells that are not known, of which `y` has
/// none. `folds` numbers the fold of each row. `report` is called with each stage of the training and the seconds after which it began.
#[pyfunction]
#[pyo3(signature = (
    method, parameters, base, *, scaling, missing, estimates, seed, threads, x, y, weights, unknown, feature_names,
    attributes, label_names, evidence, report, folds=None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn fit(
    py: Python<'_>,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    base: &Bound<'_, PyDict>,
    scaling: &str,
    missing: &str,
    estimates: &str,
    seed: u64,
    threads: usize,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyArray1<f64>>>,
    unknown: Option<&Bound<'_, PyAny>>,
    feature_names: Option<Vec<String>>,
    attributes: Option<&str>,
    label_names: Option<Vec<String>>,
    evidence: Vec<NamedNumbers<'_>>,
    report: Option<&Bound<'_, PyAny>>,
    folds: Option<&Bound<'_, PyArray1<i64>>>,
) -> PyResult<Model> {
    let params = training_params(method, parameters, base, scaling, missing, estimates, seed)?;
    let (x, y, evidence) = (HeldFeatures::new(x)?, labels(y)?, given(evidence)?);
    let weights = weights.map(PyArrayMethods::to_vec).transpose()?;
    let unknown = unknown.map(labels).transpose()?;
    let folds = folds.map(given_folds).transpose()?;
    let origin = names::dataset_name(feature_names.as_deref());
    let attributes = match attributes {
        Some(json) => frame::attributes(json)?,
        None => numeric(&x, feature_names).map_err(exception)?,
    };
    let label_names = label_names.unwrap_or_else(|| names::generated_labels(y.count()));
    let schema = Schema::new(attributes, label_names, x.is_sparse()).map_err(exception)?;
    job::run_with_reports(py, threads, report, move |progress| {
        let targets = Targets::new(&y)
            .with_weights(weights.as_deref())?
            .with_unknown(unknown.as_ref())?;
        let dataset = DatasetView::new(origin, x.view()?, targets, &schema)?;
        match folds {
            Some(folds) => params.train_in_folds(dataset, folds, &evidence, progress),
            None => params.train_with(dataset, &evidence, progress),
        }
    })
    .map(Model::from)
}

/// The parameters of a training by their names.
pub(crate) fn training_params(
    method: &str,
    parameters: &Bound<'_, PyDict>,
    base: &Bound<'_, PyDict>,
    scaling: &str,
    missing: &str,
    estimates: &str,
    seed: u64,
) -> PyResult<TrainParams> {
    let mut params = TrainParams {
        method: method.parse::<Method>().map_err(exception)?,
        base: BaseParams::default(),
        scaling: scaling.parse::<Scaling>().map_err(exception)?,
        missing: missing.parse::<Missing>().map_err(exception)?,
        seed,
        estimates: estimates.parse::<Estimates>().map_err(exception)?,
    };
    assign(&mut params.method, parameters)?;
    assign(&mut params.base, base)?;
    Ok(params)
}

/// Folds from the number of the fold of each row.
fn given_folds(folds: &Bound<'_, PyArray1<i64>>) -> PyResult<Folds> {
    let of_rows = folds.to_vec()?.into_iter();
    let of_rows: Option<Vec<usize>> = of_rows.map(|fold| fold.try_into().ok()).collect();
    let of_rows = of_rows.ok_or_else(|| invalid("a fold is numbered below zero"))?;
    Folds::new(of_rows).map_err(exception)
}

/// Fails unless evidence of these names can be terms of a method with these parameters.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "lists from Python are converted to vectors"
)]
pub(crate) fn check_evidence(
    method: &str,
    parameters: &Bound<'_, PyDict>,
    base: &Bound<'_, PyDict>,
    names: Vec<String>,
) -> PyResult<()> {
    let mut method = method.parse::<Method>().map_err(exception)?;
    assign(&mut method, parameters)?;
    assign(&mut BaseParams::default(), base)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check_given_names(names.iter().copied()).map_err(exception)?;
    method.check_takes_evidence(&names).map_err(exception)
}

/// Features that are numbers.
fn numeric(x: &HeldFeatures, names: Option<Vec<String>>) -> mmoc::Result<Vec<Attribute>> {
    let columns = x.view()?.columns();
    let names = names.unwrap_or_else(|| names::generated_features(columns));
    Ok(names.into_iter().map(Attribute::numeric).collect())
}
