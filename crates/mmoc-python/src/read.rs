//! Reading data files.

use std::path::PathBuf;

use mmoc_io::{
    ColumnNames, Format, LabelSource, Missing, MissingLabels, ReadOptions, Tags, Times, read_files,
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{Pattern, features, pattern, vector};
use crate::failure::file_exception;
use crate::job;

type Read<'py> = (
    Bound<'py, PyAny>,
    Pattern<'py>,
    Option<Pattern<'py>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Vec<String>,
    Vec<String>,
    String,
    Vec<String>,
);

/// Returns features, label sets, the labels that are not known if there are any, the weights of the rows if they have any,
/// column names, label names, the name of the data set, and warnings.
#[pyfunction]
#[pyo3(signature = (
    paths, *, labels, label_names, tags, ignore, weight, labels_as_features, format, missing, missing_labels, times,
    threads
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn read<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    labels: Option<&str>,
    label_names: Option<Vec<String>>,
    tags: Option<(String, String)>,
    ignore: Vec<String>,
    weight: Option<String>,
    labels_as_features: bool,
    format: Option<&str>,
    missing: &str,
    missing_labels: &str,
    times: &str,
    threads: usize,
) -> PyResult<Read<'py>> {
    let labels = match (labels, label_names, tags) {
        (.., Some((column, separator))) => LabelSource::Tags(Tags { column, separator }),
        (_, Some(names), None) => LabelSource::Names(names),
        (Some(text), None, None) => text.parse().map_err(file_exception)?,
        (None, None, None) => LabelSource::Auto,
    };
    let options = ReadOptions {
        labels,
        ignore: ColumnNames::new(ignore),
        weight,
        labels_as_features,
        missing: missing.parse::<Missing>().map_err(file_exception)?,
        missing_labels: missing_labels
            .parse::<MissingLabels>()
            .map_err(file_exception)?,
        format: format
            .map(str::parse::<Format>)
            .transpose()
            .map_err(file_exception)?,
        times: times.parse::<Times>().map_err(file_exception)?,
        ..ReadOptions::default()
    };
    let loaded = job::run(py, threads, move || Ok(read_files(&paths, &options)))?;
    let loaded = loaded.map_err(file_exception)?;
    let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
    let name = loaded.dataset.name().to_owned();
    let unknown = loaded.dataset.unknown().cloned();
    let weights = loaded.dataset.weights().map(|own| vector(py, own));
    let (x, y, schema) = loaded.dataset.into_parts();
    Ok((
        features(py, x)?,
        pattern(py, y),
        unknown.map(|cells| pattern(py, cells)),
        weights,
        schema.feature_names().to_vec(),
        schema.label_names().to_vec(),
        name,
        warnings,
    ))
}
