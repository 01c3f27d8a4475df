//! The max-margin problem.

use mmoc::Error;
use mmoc::code::max_margin::{Problem, SolverParams};
use mmoc::memory::{Work, check_memory};
use mmoc::settings::Named;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays::{array, labels, matrix};
use crate::failure::invalid;
use crate::job;

/// Solves the problem. Returns the metric, the record as JSON, and a warning if the gap was not reached.
#[pyfunction]
#[pyo3(signature = (predictions, y, log_odds, *, c, gap, solver, separation, max_iterations, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn solve_metric<'py>(
    py: Python<'py>,
    predictions: &Bound<'py, PyArray2<f64>>,
    y: &Bound<'py, PyAny>,
    log_odds: Option<&Bound<'py, PyArray2<f64>>>,
    c: f64,
    gap: Option<f64>,
    solver: &str,
    separation: &str,
    max_iterations: usize,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<f64>>, String, Option<String>)> {
    let params = SolverParams {
        algorithm: named("solver", solver)?,
        separation: named("separation", separation)?,
        gap,
        max_iterations,
        ..SolverParams::default()
    };
    let (predictions, labels) = (matrix(predictions)?, labels(y)?);
    let log_odds = log_odds.map(matrix).transpose()?;
    let solution = job::run(py, threads, move || {
        let (rows, count) = (labels.rows(), labels.count());
        let work = Work::Solve {
            rows,
            labels: count,
        };
        check_memory(work, Problem::expected_memory(&labels))?;
        let problem = Problem::new(predictions, &labels, log_odds.as_ref(), c)?;
        params.solve(&problem).map_err(with_own_names)
    })?;
    let record = serde_json::to_string(&solution.report);
    let record = record.map_err(|error| invalid(error.to_string()))?;
    let warning = solution.report.not_converged();
    Ok((array(py, solution.metric)?, record, warning))
}

/// The function names two parameters differently from the max-margin code.
fn with_own_names(error: Error) -> Error {
    match error {
        Error::Parameter {
            parameter,
            expected,
            found,
        } => Error::Parameter {
            parameter: match parameter {
                "gap" => "tol",
                "algorithm" => "solver",
                other => other,
            },
            expected,
            found,
        },
        other => other,
    }
}

fn named<T: Named>(parameter: &str, name: &str) -> PyResult<T> {
    let names: Vec<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
    T::from_name(name).ok_or_else(|| {
        invalid(format!(
            "{parameter} must be one of {}, not '{name}'",
            names.join(", ")
        ))
    })
}
