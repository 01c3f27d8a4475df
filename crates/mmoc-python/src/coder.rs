//! Output codes: finding them, and decoding codewords.

use mmoc::code::max_margin::MaxMarginParams;
use mmoc::code::{CcaParams, Code, CodeReport, PcaParams, RandomParams};
use mmoc::data::{Labels, Missing, Preprocessing, Scaling};
use mmoc::decode::{CodeDecoding, Decoder};
use mmoc::learn::{BaseParams, Training};
use mmoc::memory::{Work, check_memory};
use mmoc::method::{CodingCs, DecodingParams};
use mmoc::settings::Settings;
use mmoc::{Error, Result, Seed};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{HeldFeatures, Pattern, array, labels, matrix, pattern, vector};
use crate::failure::{exception, invalid};
use crate::job;
use crate::settings::assign;

/// A code with its parameters.
enum Kind {
    Random(RandomParams),
    Pca(PcaParams),
    Cca(CcaParams),
    MaxMargin(Box<MaxMarginParams>),
}

/// How features are scaled and missing ones filled in.
#[derive(Clone, Copy)]
struct Preparation {
    scaling: Scaling,
    missing: Missing,
}

/// A code, with the noise of the regressions of its codewords if it was fitted to features.
struct Found {
    code: Code,
    noise: Option<Vec<f64>>,
}

type Fitted<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray1<f64>>>,
    Bound<'py, PyArray1<f64>>,
    Option<Bound<'py, PyArray2<f64>>>,
    String,
);

/// Fits a code to label sets, and to the features of their rows if the code depends on them.
#[pyfunction]
#[pyo3(signature = (code, parameters, *, y, x, scaling, missing, seed, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn fit_code<'py>(
    py: Python<'py>,
    code: &str,
    parameters: &Bound<'py, PyDict>,
    y: &Bound<'py, PyAny>,
    x: Option<&Bound<'py, PyAny>>,
    scaling: &str,
    missing: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Fitted<'py>> {
    let kind = Kind::new(code, parameters)?;
    let preparation = Preparation {
        scaling: scaling.parse().map_err(exception)?,
        missing: missing.parse().map_err(exception)?,
    };
    let y = labels(y)?;
    let x = x.map(HeldFeatures::new).transpose()?;
    let Found { code, noise } = job::run(py, threads, move || {
        kind.fit(&y, x.as_ref(), preparation, Seed::new(seed).named("train"))
    })?;
    let record = serde_json::to_string(&code.report).map_err(|e| invalid(e.to_string()))?;
    let spectrum = vector(py, code.report.spectrum());
    let metric = match code.report {
        CodeReport::MaxMargin { metric, .. } => Some(array(py, metric)?),
        _ => None,
    };
    Ok((
        array(py, code.projections)?,
        vector(py, &code.origin),
        noise.map(|noise| vector(py, &noise)),
        spectrum,
        metric,
        record,
    ))
}

/// Parameters with the given values.
fn set<T: Settings>(mut params: T, values: &Bound<'_, PyDict>) -> PyResult<T> {
    assign(&mut params, values)?;
    Ok(params)
}

impl Kind {
    fn new(name: &str, parameters: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(match name {
            "random" => Self::Random(set(RandomParams::default(), parameters)?),
            "pca" => Self::Pca(set(PcaParams::default(), parameters)?),
            "cca" => Self::Cca(set(CcaParams::default(), parameters)?),
            "max-margin" => Self::MaxMargin(Box::new(set(MaxMarginParams::default(), parameters)?)),
            _ => {
                return Err(invalid(format!(
                    "code must be random, pca, cca or max-margin, not '{name}'"
                )));
            }
        })
    }

    /// Uses the seeds of the methods with the same code, so that the codes are identical.
    fn fit(
        &self,
        y: &Labels,
        x: Option<&HeldFeatures>,
        preparation: Preparation,
        seed: Seed,
    ) -> Result<Found> {
        match self {
            Self::Random(params) => {
                check(y, params.expected_memory(y.count()))?;
                let code = params.draw(y.count(), seed.named("random projections"))?;
                Ok(Found { code, noise: None })
            }
            Self::Pca(params) => {
                check(y, params.expected_memory(y))?;
                Ok(Found {
                    code: params.fit(y)?,
                    noise: None,
                })
            }
            Self::Cca(params) => with_features(y, x, preparation, seed, |training| {
                check(y, params.expected_memory(training))?;
                params.fit(training)
            }),
            Self::MaxMargin(params) => with_features(y, x, preparation, seed, |training| {
                check(y, params.expected_memory(training))?;
                params.fit(training)
            }),
        }
    }
}

/// Fails if there is too little memory for the directions of label sets.
fn check(y: &Labels, needed: f64) -> Result<()> {
    let (rows, labels) = (y.rows(), y.count());
    check_memory(Work::Code { rows, labels }, needed)
}

/// Bytes of a number, and matrices of all pairs of labels that joint decoding takes.
const NUMBER: f64 = 8.0;
const PAIRS: f64 = 3.0;

/// Fails if there is too little memory to decode so many rows.
fn check_decoding(rows: usize, labels: usize) -> Result<()> {
    let (n, q) = (rows as f64, labels as f64);
    check_memory(
        Work::Predict { rows, labels },
        NUMBER * q * (PAIRS * q + 2.0 * n),
    )
}

/// A code that depends on features, with the leave-one-out errors of the regressions of its codewords.
fn with_features(
    y: &Labels,
    x: Option<&HeldFeatures>,
    preparation: Preparation,
    seed: Seed,
    fit: impl Fn(&Training<'_>) -> Result<Code>,
) -> Result<Found> {
    let x = x.ok_or_else(|| Error::Dataset {
        expected: "features as well as labels, fit(Y, X): this code depends on the features".into(),
        found: "none".into(),
    })?;
    let raw = x.view()?;
    let Preparation { scaling, missing } = preparation;
    let features = Preprocessing::fit(raw, scaling, missing, None)?;
    let features = features.apply(raw)?;
    let training = Training::new(features.view(), y, BaseParams::default(), seed)?;
    let code = fit(&training)?;
    let noise = training.regress(&code.targets())?.noise().to_vec();
    Ok(Found {
        code,
        noise: Some(noise),
    })
}

/// Decodes codewords to label sets.
#[pyfunction]
#[pyo3(signature = (decoder, codewords, projections, *, sparse, joint, origin, noise, log_odds, most_labels, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "one Python function calls it, with keyword arguments"
)]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    decoder: &str,
    codewords: &Bound<'py, PyArray2<f64>>,
    projections: &Bound<'py, PyArray2<f64>>,
    sparse: &Bound<'py, PyDict>,
    joint: &Bound<'py, PyDict>,
    origin: &Bound<'py, PyArray1<f64>>,
    noise: &Bound<'py, PyArray1<f64>>,
    log_odds: &Bound<'py, PyArray2<f64>>,
    most_labels: usize,
    threads: usize,
) -> PyResult<Pattern<'py>> {
    check_decoding(codewords.shape()[0], projections.shape()[0]).map_err(exception)?;
    let (codewords, projections) = (matrix(codewords)?, matrix(projections)?);
    let sparse = set(CodingCs::default(), sparse)?;
    let joint = set(DecodingParams::default(), joint)?;
    let code = Code {
        projections,
        origin: origin.to_vec()?,
        report: CodeReport::Random {},
    };
    let params = CodeDecoding {
        sparsity: sparse.sparsity.unwrap_or(most_labels),
        penalty: sparse.penalty,
        noise: noise.to_vec()?,
        lambda: joint.lambda,
        inference: joint.inference,
    };
    let decoder = Decoder::of_code(decoder, &code, &params).map_err(exception)?;
    let log_odds = matrix(log_odds)?;
    let found = job::run(py, threads, move || match decoder {
        Decoder::Joint(joint) => joint.label_sets(&codewords, &log_odds),
        decoder => decoder.label_sets(codewords),
    })?;
    Ok(pattern(py, found))
}
