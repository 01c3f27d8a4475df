//! Training on rows in partitions that Python keeps, in this process or on others.

use std::fmt;
use std::sync::Arc;

use mmoc::data::{Attribute, Schema};
use mmoc::partitions::{
    Derivation, Message, Partition as Rows, PartitionedData, Reply, Request, Rows as AllRows,
    SAMPLE_ROWS,
};
use mmoc::with_threads;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::{HeldFeatures, labels};
use crate::failure::exception;
use crate::fit::training_params;
use crate::job::{self, Caller};
use crate::model::Model;
use crate::names;

/// The rows of one partition.
#[pyclass(frozen, weakref, module = "mmoc._native")]
pub(crate) struct Partition(Arc<Rows>);

#[pymethods]
impl Partition {
    /// Rows with their labels, and a positive weight for each of them if they do not all count the same.
    #[new]
    #[pyo3(signature = (x, y, weights=None))]
    fn new(
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        weights: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let (x, y) = (HeldFeatures::new(x)?, labels(y)?);
        let view = x.view().map_err(exception)?;
        let all: Vec<usize> = (0..view.rows()).collect();
        let rows = Rows::new(view.select_rows(&all), y, weights);
        Ok(Self(Arc::new(rows.map_err(exception)?)))
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Bytes in memory, about.
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.bytes()
    }

    /// The share of these rows in what is asked, computed on one thread.
    fn answer<'py>(&self, py: Python<'py>, request: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let rows = Arc::clone(&self.0);
        let request = Request::from_bytes(request).map_err(exception)?;
        let answer = py.detach(move || {
            let answer = with_threads(1, || rows.answer(&request));
            answer
                .and_then(|answer| answer)
                .map(|answer| answer.to_bytes())
        });
        Ok(PyBytes::new(py, &answer.map_err(exception)?))
    }

    /// Other rows made of these.
    fn derived(&self, py: Python<'_>, request: &[u8]) -> PyResult<Self> {
        let rows = Arc::clone(&self.0);
        let derivation = Derivation::from_bytes(request).map_err(exception)?;
        let derived = py.detach(move || {
            let derived = with_threads(1, || rows.derived(&derivation));
            derived.and_then(|derived| derived)
        });
        Ok(Self(Arc::new(derived.map_err(exception)?)))
    }

    /// The fold of each row, by its content.
    #[expect(clippy::cast_possible_wrap, reason = "folds are few")]
    fn folds<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> Bound<'py, PyArray1<i64>> {
        let folds = self.0.folds(count, seed).into_iter();
        PyArray1::from_iter(py, folds.map(|fold| fold as i64))
    }

    /// The partition from its bytes.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let rows = Rows::from_bytes(bytes).map_err(exception)?;
        Ok(Self(Arc::new(rows)))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((from_bytes, (PyBytes::new(py, &self.0.to_bytes()),)))
    }
}

/// The sum of answers, added in the given order.
#[pyfunction]
pub(crate) fn add_answers<'py>(
    py: Python<'py>,
    answers: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut sum: Option<Reply> = None;
    for answer in answers {
        let answer = Reply::from_bytes(answer.extract()?).map_err(exception)?;
        match &mut sum {
            None => sum = Some(answer),
            Some(sum) => sum.add(answer).map_err(exception)?,
        }
    }
    let sum = sum.ok_or_else(|| crate::failure::invalid("there are no answers to add"))?;
    Ok(PyBytes::new(py, &sum.to_bytes()))
}

/// Partitions that an object of Python asks, on the thread that called for the training.
struct AskedRows {
    rows: Arc<Py<PyAny>>,
    caller: Caller,
}

impl fmt::Debug for AskedRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AskedRows")
    }
}

impl AskedRows {
    /// Calls a method with the name of a message and its bytes.
    fn call<T: Send + 'static>(
        &self,
        method: &'static str,
        name: &'static str,
        message: &impl Message,
        read: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T> + Send + 'static,
    ) -> mmoc::Result<T> {
        let (rows, bytes) = (Arc::clone(&self.rows), message.to_bytes());
        self.caller.ask(move |py| {
            let bytes = PyBytes::new(py, &bytes);
            read(rows.bind(py).call_method1(method, (name, bytes))?)
        })
    }
}

impl AllRows for AskedRows {
    fn sum(&self, request: &Request) -> mmoc::Result<Reply> {
        let bytes = self.call("sum", request.name(), request, |answer| {
            Ok(answer.extract::<&[u8]>()?.to_vec())
        })?;
        Reply::from_bytes(&bytes)
    }

    fn collect(&self, request: &Request) -> mmoc::Result<Vec<Reply>> {
        let answers: Vec<Vec<u8>> = self.call("collect", request.name(), request, |answers| {
            let answers = answers.try_iter()?;
            answers
                .map(|answer| Ok(answer?.extract::<&[u8]>()?.to_vec()))
                .collect()
        })?;
        answers
            .iter()
            .map(|bytes| Reply::from_bytes(bytes))
            .collect()
    }

    fn derive(&self, derivation: &Derivation) -> mmoc::Result<Box<dyn AllRows>> {
        let rows = self.call("derive", derivation.name(), derivation, |rows| {
            Ok(rows.unbind())
        })?;
        Ok(Box::new(Self {
            rows: Arc::new(rows),
            caller: self.caller.clone(),
        }))
    }

    fn release(&self) -> mmoc::Result<()> {
        let rows = Arc::clone(&self.rows);
        self.caller
            .ask(move |py| rows.bind(py).call_method0("release").map(|_| ()))
    }
}

/// Trains a model on rows in partitions, which `rows` asks: it has the methods `sum`, `collect`, `derive` and
/// `release`.
#[pyfunction]
#[pyo3(signature = (
    method, parameters, base, *, scaling, missing, estimates, seed, threads, rows, columns, labels, is_sparse,
    feature_names, label_names, sample_rows, report
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn fit_partitions(
    py: Python<'_>,
    method: &str,
    parameters: &Bound<'_, PyDict>,
    base: &Bound<'_, PyDict>,
    scaling: &str,
    missing: &str,
    estimates: &str,
    seed: u64,
    threads: usize,
    rows: Py<PyAny>,
    columns: usize,
    labels: usize,
    is_sparse: bool,
    feature_names: Option<Vec<String>>,
    label_names: Option<Vec<String>>,
    sample_rows: Option<usize>,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let params = training_params(method, parameters, base, scaling, missing, estimates, seed)?;
    let origin = names::dataset_name(feature_names.as_deref());
    let feature_names = feature_names.unwrap_or_else(|| names::generated_features(columns));
    let label_names = label_names.unwrap_or_else(|| names::generated_labels(labels));
    let attributes = feature_names.into_iter().map(Attribute::numeric).collect();
    let schema = Schema::new(attributes, label_names, is_sparse).map_err(exception)?;
    job::run_with_caller(py, threads, report, move |progress, caller| {
        let rows = AskedRows {
            rows: Arc::new(rows),
            caller: caller.clone(),
        };
        let data = PartitionedData::new(origin, Box::new(rows), &schema);
        let data = data.sample_rows(sample_rows.unwrap_or(SAMPLE_ROWS));
        params.train_on_partitions(data, progress)
    })
    .map(Model::from)
}

/// Fails unless a training with these parameters can be on rows in partitions.
#[pyfunction]
#[pyo3(signature = (method, parameters, base, *, scaling, missing, estimates, seed))]
pub(crate) fn check_partitions(
    method: &str,
    parameters: &Bound<'_, PyDict>,
    base: &Bound<'_, PyDict>,
    scaling: &str,
    missing: &str,
    estimates: &str,
    seed: u64,
) -> PyResult<()> {
    let params = training_params(method, parameters, base, scaling, missing, estimates, seed)?;
    params.validate().map_err(exception)?;
    params.check_partitioned().map_err(exception)
}
