//! Parameters by name.

use mmoc::learn::BaseParams;
use mmoc::method::{Method, Preset};
use mmoc::settings::{Named, Parameter, Settings, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::{exception, invalid};

/// Names that are keywords of Python, that scikit-learn spells differently, or that have wider values in Python:
/// `evidence` also takes estimators.
const RENAMED: [(&str, &str); 3] = [("lambda", "lam"), ("c", "C"), ("terms", "evidence")];

/// The name of a parameter in Python.
pub(crate) fn python_name(name: &str) -> String {
    let own = RENAMED.iter().find(|(native, _)| *native == name);
    own.map_or_else(|| name.replace('-', "_"), |(_, python)| (*python).into())
}

/// Sets parameters from Python values. `None` means no value.
pub(crate) fn assign(settings: &mut impl Settings, values: &Bound<'_, PyDict>) -> PyResult<()> {
    let parameters = settings.parameters();
    for (name, value) in values {
        let name = name.extract::<String>()?;
        // Methods may have different parameters of the same name in Python, but no method has two of them.
        let own = parameters.iter().find(|own| python_name(own.name) == name);
        let text = match own.and_then(|own| own.absent) {
            Some(word) if value.is_none() => word.to_owned(),
            _ => text(&value)?,
        };
        let set = settings.set(own.map_or(&name, |own| own.name), &text);
        set.map_err(|error| match own {
            Some(own) => refusal(own, &value),
            None => exception(error),
        })?;
    }
    Ok(())
}

/// The error for a value that is not allowed.
fn refusal(parameter: &Parameter, value: &Bound<'_, PyAny>) -> PyErr {
    let allowed = match parameter.absent {
        Some(word) => parameter.allowed.replacen(word, "None", 1),
        None => parameter.allowed.clone(),
    };
    let allowed = match parameter.value {
        Value::Flag(_) => "True or False".into(),
        _ => allowed,
    };
    let shown = value
        .repr()
        .map_or_else(|_| "this".into(), |repr| repr.to_string());
    invalid(format!(
        "{} must be {allowed}, not {shown}",
        python_name(parameter.name)
    ))
}

/// A value in the syntax that the library parses. NumPy's scalars are accepted.
fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = match value.getattr("item") {
        Ok(item) if item.is_callable() => item.call0()?,
        _ => value.clone(),
    };
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.to_string());
    }
    if let Ok(count) = value.extract::<i64>() {
        return Ok(count.to_string());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.to_string());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    Ok(value.repr()?.to_string())
}

/// The parameters with their Python values. `None` means no value.
pub(crate) fn values<'py>(
    py: Python<'py>,
    parameters: &[Parameter],
) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for parameter in parameters {
        values.set_item(python_name(parameter.name), value(py, parameter)?)?;
    }
    Ok(values)
}

fn value<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyAny>> {
    match &parameter.value {
        Value::Name(word) if Some(*word) == parameter.absent => Ok(py.None().into_bound(py)),
        Value::Text(word) if Some(word.as_str()) == parameter.absent => {
            Ok(py.None().into_bound(py))
        }
        Value::Name(word) => word.into_bound_py_any(py),
        Value::Text(word) => word.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Count(count) => count.into_bound_py_any(py),
        Value::Flag(flag) => flag.into_bound_py_any(py),
    }
}

/// The parameters of every method of the registry.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for method in Method::all() {
        all.set_item(method.name(), described(py, &method.parameters())?)?;
    }
    Ok(all)
}

/// The parameters of the base learners.
#[pyfunction]
pub(crate) fn base_parameters(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    described(py, &BaseParams::default().parameters())
}

/// The default, summary, allowed values and word for "no value" of each parameter.
fn described<'py>(py: Python<'py>, parameters: &[Parameter]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for parameter in parameters {
        let about = (
            value(py, parameter)?,
            parameter.summary,
            &parameter.allowed,
            parameter.absent,
        );
        all.set_item(python_name(parameter.name), about)?;
    }
    Ok(all)
}

/// The parameters of a preset for a method.
#[pyfunction]
pub(crate) fn preset<'py>(
    py: Python<'py>,
    name: &str,
    method: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let preset = Preset::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Preset::NAMES.iter().map(|(_, name)| *name).collect();
        invalid(format!(
            "preset must be one of {}, not '{name}'",
            names.join(", ")
        ))
    })?;
    let mut method: Method = method.parse().map_err(exception)?;
    preset.apply(&mut method);
    values(py, &method.parameters())
}
