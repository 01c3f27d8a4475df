//! The trained model.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use mmoc::code::CodeReport;
use mmoc::data::{FeaturesView, Labels, Matrix};
use mmoc::decode::{Decoder, Joint};
use mmoc::posterior::{Decision, GivenEvidence, LikelySet, TermView};
use mmoc::settings::{Named, Settings, Value};
use mmoc::whole_file::replace_file;
use mmoc::{Explanation, LabelExplanation, Part, RowsWithEvidence};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{HeldFeatures, Pattern, array, pattern, vector};
use crate::evidence::{NamedNumbers, given};
use crate::failure::{exception, invalid, onnx_exception};
use crate::frame::{Encoded, NamedColumns, matched};
use crate::job;
use crate::names;
use crate::settings::values;

/// A trained model.
#[pyclass(frozen, module = "mmoc._native")]
pub(crate) struct Model(Arc<mmoc::Model>);

impl From<mmoc::Model> for Model {
    fn from(model: mmoc::Model) -> Self {
        Self(Arc::new(model))
    }
}

type Numbers<'py> = Option<Bound<'py, PyArray2<f64>>>;

/// Name, weight, number of outputs, and the directions of pairs of labels of a term.
type TermOf<'py> = (String, f64, usize, Numbers<'py>);

/// Whether a label is predicted, its score, and kind, name, value and contribution of each part of the score.
type ExplainedLabel = (bool, f64, Vec<(&'static str, String, f64, f64)>);

/// A number for each column, twice.
type Columns<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Coefficients and intercepts.
type Linear<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Model {
    /// Predicts the label set of each row, as row offsets and label indices.
    fn label_sets<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        evidence: Vec<NamedNumbers<'_>>,
        threads: usize,
    ) -> PyResult<Pattern<'py>> {
        let (model, rows) = (Arc::clone(&self.0), Rows::new(x, evidence)?);
        let sets = job::run(py, threads, move || model.label_sets(rows.input()?))?;
        Ok(pattern(py, sets))
    }

    /// Predicts the score and the probability of each label in each row.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        evidence: Vec<NamedNumbers<'_>>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let (model, rows) = (Arc::clone(&self.0), Rows::new(x, evidence)?);
        let found = job::run(py, threads, move || model.predict(rows.input()?))?;
        let scores = found.scores.map(|scores| array(py, scores)).transpose()?;
        let probabilities = found.probabilities;
        let probabilities = probabilities.map(|found| array(py, found)).transpose()?;
        Ok((scores, probabilities))
    }

    /// The probability that the predicted label set of each row is right, or `None` without a posterior.
    fn confidence<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        evidence: Vec<NamedNumbers<'_>>,
        threads: usize,
    ) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let (model, rows) = (Arc::clone(&self.0), Rows::new(x, evidence)?);
        let found = job::run(py, threads, move || model.predict(rows.input()?))?;
        let confidence = found.confidence;
        Ok(confidence.map(|confidence| PyArray1::from_vec(py, confidence)))
    }

    /// The k likeliest label sets of each row, the likeliest first: those of the first row, then those of the second and
    /// so on, and their probabilities, n×k. There are fewer columns if there are fewer candidates.
    fn likeliest_sets<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'_, PyAny>,
        evidence: Vec<NamedNumbers<'_>>,
        threads: usize,
        k: usize,
    ) -> PyResult<(Pattern<'py>, Bound<'py, PyArray2<f64>>)> {
        let posterior = self.0.predictor().posterior().map_err(exception)?;
        let (labels, k) = (posterior.labels(), k.min(posterior.candidate_count()));
        let (model, rows) = (Arc::clone(&self.0), Rows::new(x, evidence)?);
        let (sets, probabilities) = job::run(py, threads, move || {
            stacked(&model.likeliest_sets(rows.input()?, k)?, labels, k)
        })?;
        Ok((pattern(py, sets), array(py, probabilities)?))
    }

    /// Why label sets are predicted: the score of each label in each row, and its parts. At most k features are listed
    /// for each label, and k other labels.
    fn explain(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        evidence: Vec<NamedNumbers<'_>>,
        threads: usize,
        k: usize,
    ) -> PyResult<Vec<Vec<ExplainedLabel>>> {
        let (model, rows) = (Arc::clone(&self.0), Rows::new(x, evidence)?);
        let found = job::run(py, threads, move || model.explain(rows.input()?, None, k))?;
        let of_row = |own: Explanation| own.labels.into_iter().map(explained_label).collect();
        Ok(found.into_iter().map(of_row).collect())
    }

    /// The same model with label sets that are to be best in another measure.
    fn with_decision(&self, decide: &str) -> PyResult<Self> {
        let decision: Decision = decide.parse().map_err(exception)?;
        let model = mmoc::Model::clone(&self.0).with_decision(decision);
        model.map(Self::from).map_err(exception)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        self.0.write(&mut bytes).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads a model from the bytes of a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let model = mmoc::Model::read(bytes, "the bytes of the model");
        model.map(Self::from).map_err(exception)
    }

    /// Writes the model to a file, completely or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.save(path).map_err(exception)
    }

    /// Reads a model from a file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        mmoc::Model::load(path).map(Self::from).map_err(exception)
    }

    /// The bytes of the ONNX file, which is also written if there is a path.
    #[pyo3(signature = (path=None))]
    fn to_onnx<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = mmoc_onnx::to_bytes(&self.0).map_err(onnx_exception)?;
        if let Some(path) = path {
            replace_file(path, |out| out.write_all(&bytes)).map_err(exception)?;
        }
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let from_bytes = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((from_bytes, (self.to_bytes(py)?,)))
    }

    /// The name of the method in the registry.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.params().method.name()
    }

    /// The parameters of the method.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values(py, &self.0.params().method.parameters())
    }

    /// The parameters of the base learners.
    #[getter]
    fn base_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values(py, &self.0.params().base.parameters())
    }

    /// The names of the evidence that the model needs beside features.
    #[getter]
    fn evidence(&self) -> Vec<String> {
        let given = self.0.given_evidence().into_iter();
        given.map(|(name, _)| name.to_owned()).collect()
    }

    /// Whether the model has a posterior over label sets.
    #[getter]
    fn has_posterior(&self) -> bool {
        self.0.predictor().posterior().is_ok()
    }

    /// The measure that predicted label sets are to be best in, or `None` if the method has no such parameter.
    #[getter]
    fn decision(&self) -> Option<&'static str> {
        if let Ok(posterior) = self.0.predictor().posterior() {
            return Some(posterior.decision().name());
        }
        let mut parameters = self.0.params().method.parameters().into_iter();
        match parameters.find(|own| own.name == "decide")?.value {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    /// How features are scaled, as requested.
    #[getter]
    fn scaling(&self) -> &'static str {
        self.0.params().scaling.name()
    }

    /// How missing features are filled in.
    #[getter]
    fn missing(&self) -> &'static str {
        self.0.params().missing.name()
    }

    /// The columns that have indicators of missing cells, ascending. The indicators are columns after all others.
    #[getter]
    fn indicators(&self) -> Vec<u32> {
        self.0.preprocessing().indicators().to_vec()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.params().seed
    }

    /// Number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.0.schema().columns()
    }

    /// The names of the columns, or `None` if they were generated.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        let schema = self.0.schema();
        names::features_are_named(schema, &self.0.record().dataset)
            .then(|| schema.feature_names().to_vec())
    }

    /// The names of the features, if some of them are words.
    #[getter]
    fn features_with_words(&self) -> Option<Vec<String>> {
        let attributes = self.0.schema().attributes();
        let has_words = attributes.iter().any(|feature| feature.list().is_some());
        has_words.then(|| attributes.iter().map(|one| one.name().to_owned()).collect())
    }

    /// The names of the columns of words.
    #[getter]
    fn columns_of_words(&self) -> Vec<String> {
        let attributes = self.0.schema().attributes().iter();
        let with_words = attributes.filter(|feature| feature.list().is_some());
        with_words.map(|one| one.name().to_owned()).collect()
    }

    /// The numbers of a table whose columns may be words, and notes about them.
    fn encode<'py>(&self, py: Python<'py>, columns: NamedColumns<'py>) -> PyResult<Encoded<'py>> {
        matched(py, columns, self.0.schema())
    }

    /// Whether the names of the columns may come from a file without names.
    #[getter]
    fn may_have_numbered_columns(&self) -> bool {
        names::features_may_be_numbered(self.0.schema(), &self.0.record().dataset)
    }

    /// Whether the names of the labels were given, not generated.
    #[getter]
    fn has_label_names(&self) -> bool {
        names::labels_are_named(self.0.schema())
    }

    /// A name for each label.
    #[getter]
    fn label_names(&self) -> Vec<String> {
        self.0.schema().label_names().to_vec()
    }

    /// The record of the training, as JSON.
    #[getter]
    fn record(&self) -> PyResult<String> {
        serde_json::to_string(self.0.record()).map_err(|error| invalid(error.to_string()))
    }

    /// A sentence for each tolerance that was not met.
    #[getter]
    fn not_converged(&self) -> Vec<String> {
        self.0.record().not_converged()
    }

    /// V, q×d, if the method has a code.
    #[getter]
    fn projections<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        let code = self.0.predictor().code();
        code.map(|code| array(py, code.projections.clone()))
            .transpose()
    }

    /// The directions that are decoded, q×d, if labels are decoded jointly.
    #[getter]
    fn decoding_projections<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        let joint = self.joint();
        joint
            .map(|joint| array(py, joint.projections().clone()))
            .transpose()
    }

    /// σ̂² of the directions that are decoded, if labels are decoded jointly.
    #[getter]
    fn noise<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.joint().map(|joint| vector(py, joint.noise()))
    }

    /// V·diag(1/σ̂²), q×d, if labels are decoded jointly.
    #[getter]
    fn decoding_weights<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        let joint = self.joint();
        joint
            .map(|joint| array(py, joint.weights().clone()))
            .transpose()
    }

    /// The log-odds of labels that are decoded jointly, if they are the same for every row.
    #[getter]
    fn fixed_log_odds<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let odds = self.joint()?.fixed_log_odds()?;
        Some(vector(py, odds))
    }

    /// The name of the decoder.
    #[getter]
    fn decoder(&self) -> &'static str {
        self.0.predictor().decoder().name()
    }

    /// The terms of the posterior in the order of their outputs, or `None` without a posterior.
    #[getter]
    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<TermOf<'py>>>> {
        let Ok(posterior) = self.0.predictor().posterior() else {
            return Ok(None);
        };
        let own = |term: TermView<'_>| {
            let coupling = term
                .coupling
                .map(|own| array(py, own.clone()))
                .transpose()?;
            Ok((term.name.to_owned(), term.weight, term.outputs, coupling))
        };
        posterior
            .terms()
            .map(own)
            .collect::<PyResult<_>>()
            .map(Some)
    }

    /// How much each column decides in the forest, if a forest is a term of the posterior.
    #[getter]
    fn forest_column_shares<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let posterior = self.0.predictor().posterior().ok()?;
        let shares = posterior.forest_column_shares()?;
        Some(PyArray1::from_vec(py, shares))
    }

    /// The point of label space that a code is measured from, if the method has a code.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let code = self.0.predictor().code()?;
        Some(vector(py, &code.origin))
    }

    /// What each column is filled in with, and what it was divided by, without indicators.
    #[getter]
    fn columns_of_training<'py>(&self, py: Python<'py>) -> Columns<'py> {
        let own = self.0.preprocessing();
        (vector(py, own.fill()), vector(py, own.scale()))
    }

    /// Q, q×q, if the code is that of maximum margin.
    #[getter]
    fn metric<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py>> {
        match self.0.predictor().code().map(|code| &code.report) {
            Some(CodeReport::MaxMargin { metric, .. }) => Ok(Some(array(py, metric.clone())?)),
            _ => Ok(None),
        }
    }

    /// The coefficients of the outputs for unscaled features and then for indicators, p×m, and their intercepts.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Linear<'py>> {
        let (outputs, scaling) = (self.0.predictor().outputs(), self.0.preprocessing());
        let mut coefficients = outputs.coefficients().clone();
        let mut intercepts = outputs.intercepts().to_vec();
        for column in 0..scaling.columns() {
            let (shift, scale) = (scaling.shift()[column], scaling.scale()[column]);
            for (coefficient, intercept) in
                coefficients.row_mut(column).iter_mut().zip(&mut intercepts)
            {
                *coefficient /= scale;
                *intercept -= *coefficient * shift;
            }
        }
        Ok((array(py, coefficients)?, vector(py, &intercepts)))
    }

    /// The parents of each label with their coefficients, if the method has a network of them.
    #[getter]
    fn parents(&self) -> Option<Vec<Vec<(usize, f64)>>> {
        match self.0.predictor().decoder() {
            Decoder::Network(network) => Some(network.parents().to_vec()),
            _ => None,
        }
    }
}

/// Rows to predict, readable from any thread.
struct Rows {
    features: HeldFeatures,
    evidence: Vec<GivenEvidence>,
}

impl Rows {
    fn new(x: &Bound<'_, PyAny>, evidence: Vec<NamedNumbers<'_>>) -> PyResult<Self> {
        Ok(Self {
            features: HeldFeatures::new(x)?,
            evidence: given(evidence)?,
        })
    }

    fn input(&self) -> mmoc::Result<RowsWithEvidence<'_, FeaturesView<'_>>> {
        Ok(RowsWithEvidence {
            rows: self.features.view()?,
            evidence: &self.evidence,
        })
    }
}

impl Model {
    fn joint(&self) -> Option<&Joint> {
        match self.0.predictor().decoder() {
            Decoder::Joint(joint) => Some(joint),
            _ => None,
        }
    }
}

fn explained_label(own: LabelExplanation) -> ExplainedLabel {
    let of_part = |part: Part| {
        let value = part.value.unwrap_or(f64::NAN);
        (part.kind.name(), part.name, value, part.contribution)
    };
    let parts = own.parts.into_iter().map(of_part).collect();
    (own.predicted, own.score, parts)
}

/// The label sets of all rows one below the other, and their probabilities, n×k.
fn stacked(rows: &[Vec<LikelySet>], labels: usize, k: usize) -> mmoc::Result<(Labels, Matrix)> {
    let mut sets = Labels::empty(labels);
    let mut probabilities = Vec::with_capacity(rows.len() * k);
    for likely in rows.iter().flatten() {
        sets.push_row(likely.labels.iter().map(|&label| label as usize));
        probabilities.push(likely.probability);
    }
    Ok((sets, Matrix::new(rows.len(), k, probabilities)?))
}
