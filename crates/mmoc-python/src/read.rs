//! Reading data files.

use std::path::PathBuf;

use mmoc_io::{Format, LabelSource, Missing, ReadOptions, Times, read_files};
use pyo3::prelude::*;

use crate::arrays::{Pattern, features, pattern};
use crate::failure::file_exception;
use crate::job;

type Read<'py> = (
    Bound<'py, PyAny>,
    Pattern<'py>,
    Vec<String>,
    Vec<String>,
    String,
    Vec<String>,
);

/// Returns features, label sets, column names, label names, the name of the data set, and warnings.
#[pyfunction]
#[pyo3(signature = (paths, *, labels, label_names, format, missing, times, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn read<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    labels: Option<&str>,
    label_names: Option<Vec<String>>,
    format: Option<&str>,
    missing: &str,
    times: &str,
    threads: usize,
) -> PyResult<Read<'py>> {
    let labels = match (labels, label_names) {
        (_, Some(names)) => LabelSource::Names(names),
        (Some(text), None) => text.parse().map_err(file_exception)?,
        (None, None) => LabelSource::Auto,
    };
    let options = ReadOptions {
        labels,
        missing: missing.parse::<Missing>().map_err(file_exception)?,
        format: format
            .map(str::parse::<Format>)
            .transpose()
            .map_err(file_exception)?,
        times: times.parse::<Times>().map_err(file_exception)?,
    };
    let loaded = job::run(py, threads, move || Ok(read_files(&paths, &options)))?;
    let loaded = loaded.map_err(file_exception)?;
    let warnings = loaded.warnings.iter().map(ToString::to_string).collect();
    let name = loaded.dataset.name().to_owned();
    let (x, y, schema) = loaded.dataset.into_parts();
    Ok((
        features(py, x)?,
        pattern(py, y),
        schema.feature_names().to_vec(),
        schema.label_names().to_vec(),
        name,
        warnings,
    ))
}
