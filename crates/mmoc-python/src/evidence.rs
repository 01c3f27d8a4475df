//! Evidence from outside of the model.

use mmoc::posterior::{GivenEvidence, GivenKind};
use mmoc::settings::Named;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays::matrix;
use crate::failure::{exception, invalid};

/// The name of evidence, what its numbers are, and the numbers, n×q.
pub(crate) type NamedNumbers<'py> = (String, String, Bound<'py, PyArray2<f64>>);

/// Evidence from a list of Python.
pub(crate) fn given(evidence: Vec<NamedNumbers<'_>>) -> PyResult<Vec<GivenEvidence>> {
    let own = |(name, kind, numbers): NamedNumbers<'_>| {
        let kind = GivenKind::from_name(&kind)
            .ok_or_else(|| invalid(format!("'{kind}' is no kind of evidence")))?;
        GivenEvidence::new(name, kind, matrix(&numbers)?).map_err(exception)
    };
    evidence.into_iter().map(own).collect()
}
