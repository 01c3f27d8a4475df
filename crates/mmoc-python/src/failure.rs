//! Errors as exceptions.

use mmoc::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// What messages call an option of the command line, and what it is in Python.
const OPTIONS: [(&str, &str); 2] = [
    ("--missing mean", "missing=\"mean\""),
    ("--labels", "the parameter labels"),
];

/// An exception about something that the user gave.
pub(crate) fn invalid(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

fn in_python(message: String) -> String {
    OPTIONS
        .iter()
        .fold(message, |message, (option, parameter)| {
            message.replace(option, parameter)
        })
}

/// The exception that an error becomes. Parameters are called as Python calls them.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::Parameter {
            parameter,
            expected,
            found,
        } => {
            let parameter = crate::settings::python_name(parameter);
            invalid(format!("{parameter} must be {expected}, not {found}"))
        }
        Error::Data(_)
        | Error::Column(_)
        | Error::Dataset { .. }
        | Error::Shape { .. }
        | Error::ModelFile { .. } => invalid(in_python(error.to_string())),
        Error::Io { path, source } => match source.raw_os_error() {
            // With a number and a name it becomes FileNotFoundError and the like.
            Some(number) => {
                let reason = source.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default();
                PyOSError::new_err((number, reason.to_owned(), path.display().to_string()))
            }
            None => PyOSError::new_err(format!("{}: {source}", path.display())),
        },
        Error::Stopped => PyKeyboardInterrupt::new_err(()),
        Error::Decomposition { .. } | Error::Threads(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}
