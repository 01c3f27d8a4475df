//! Tables whose columns have words: their features as numbers, as they would be in a file.

use std::borrow::Cow;

use mmoc::data::{Attribute, Schema};
use mmoc_io::{MemoryColumn, MemoryTable, Remedy, Unknown};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays::features;
use crate::failure::{exception, invalid};

/// Names with arrays of doubles or lists of words.
pub(crate) type NamedColumns<'py> = Vec<(String, Bound<'py, PyAny>)>;

/// Features, and notes about them.
pub(crate) type Encoded<'py> = (Bound<'py, PyAny>, Vec<String>);

/// Returns features, and what the columns are as JSON.
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    columns: NamedColumns<'py>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let (found, attributes) = table(columns)?.infer().map_err(table_exception)?;
    let attributes =
        serde_json::to_string(&attributes).map_err(|error| invalid(error.to_string()))?;
    Ok((features(py, found)?, attributes))
}

/// The features of a schema, found by name.
pub(crate) fn matched<'py>(
    py: Python<'py>,
    columns: NamedColumns<'py>,
    schema: &Schema,
) -> PyResult<Encoded<'py>> {
    let table = table(columns)?;
    let matched = table.matched(schema, Unknown::Ignore);
    let (found, notes) = matched.map_err(table_exception)?;
    let notes = notes.iter().map(ToString::to_string).collect();
    Ok((features(py, found)?, notes))
}

/// What `encode` says about columns.
pub(crate) fn attributes(json: &str) -> PyResult<Vec<Attribute>> {
    serde_json::from_str(json).map_err(|error| invalid(error.to_string()))
}

fn table(columns: NamedColumns<'_>) -> PyResult<MemoryTable<'static>> {
    let columns: PyResult<Vec<_>> = columns
        .into_iter()
        .map(|(name, values)| Ok((name, column(&values)?)))
        .collect();
    MemoryTable::new("X", columns?).map_err(table_exception)
}

fn column(values: &Bound<'_, PyAny>) -> PyResult<MemoryColumn<'static>> {
    if let Ok(numbers) = values.cast::<PyArray1<f64>>() {
        return Ok(MemoryColumn::Numbers(Cow::Owned(numbers.to_vec()?)));
    }
    let words: Vec<Option<String>> = values.extract()?;
    let words = words.into_iter().map(|word| word.map(Cow::Owned));
    Ok(MemoryColumn::Words(words.collect()))
}

/// An error about a table in memory, for which there are no parameters.
fn table_exception(error: mmoc_io::Error) -> PyErr {
    let remedy = match error.remedy() {
        Some(Remedy::IgnoreColumn | Remedy::NumberTimes | Remedy::NameRows(_)) => {
            " (drop the column or convert it)"
        }
        _ => "",
    };
    match error {
        mmoc_io::Error::Library(error) => exception(error),
        error => invalid(format!("{error}{remedy}")),
    }
}
