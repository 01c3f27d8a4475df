//! From a model to its header and tensors, and back.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::header::{Header, KIND};
use super::refusal::Refusal;
use super::tensors::{TensorReader, TensorWriter};
use crate::code::{Code, CodeReport};
use crate::data::{Missing, Preprocessing};
use crate::decode::{Decoder, check_code_labels};
use crate::learn::LinearModel;
use crate::learn::kernel::KernelModel;
use crate::method::Predictor;
use crate::settings::Named;
use crate::{Model, check_size};

const FILL: &str = "preprocessing.fill";
const SHIFT: &str = "preprocessing.shift";
const SCALE: &str = "preprocessing.scale";
const INDICATORS: &str = "preprocessing.indicators";
const COEFFICIENTS: &str = "outputs.coefficients";
const INTERCEPTS: &str = "outputs.intercepts";
const KERNEL: &str = "outputs.kernel";
const PROJECTIONS: &str = "code.projections";
const ORIGIN: &str = "code.origin";
const METRIC: &str = "code.metric";

/// What a decoder is restored from.
#[derive(Debug)]
pub(crate) struct StoredParts<'a> {
    /// Number of labels, q.
    pub(crate) labels: usize,
    /// Number of columns after preprocessing, p.
    pub(crate) columns: usize,
    /// Number of candidate sets of a posterior, once it is known.
    pub(crate) candidates: usize,
    /// The tensors of the file, to be taken one by one.
    pub(crate) tensors: &'a mut TensorReader,
    values: BTreeMap<String, Value>,
    code: Option<&'a Code>,
}

impl<'a> StoredParts<'a> {
    /// A value of the decoder.
    pub(crate) fn value<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Refusal> {
        let expected = || format!("the value '{name}' of the decoder");
        let value = self.values.remove(name);
        let value = value.ok_or_else(|| Refusal::not_a_model(expected(), "none"))?;
        serde_json::from_value(value)
            .map_err(|error| Refusal::not_a_model(expected(), error.to_string()))
    }

    /// A value of the decoder that is one of several names.
    pub(crate) fn named<T: Named>(&mut self, what: &str) -> Result<T, Refusal> {
        let name: String = self.value(what)?;
        T::from_name(&name).ok_or_else(|| {
            let names: Vec<&str> = T::NAMES.iter().map(|(_, name)| *name).collect();
            let expected = format!("{what} to be one of {}", names.join(", "));
            Refusal::not_a_model(expected, format!("'{name}'"))
        })
    }

    /// The code of the model; a refusal if it has none.
    pub(crate) fn code(&self) -> Result<&'a Code, Refusal> {
        self.code.ok_or_else(|| {
            Refusal::not_a_model("how the code was found in the training record", "nothing")
        })
    }

    /// Fails if a value was not needed.
    fn finish(self) -> Result<(), Refusal> {
        match self.values.into_keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal::not_a_model(
                "no values but those of the decoder",
                format!("'{name}'"),
            )),
        }
    }
}

/// The header of a model and its tensors.
pub(super) fn take_apart(model: &Model) -> (Header, TensorWriter<'_>) {
    let mut tensors = TensorWriter::default();
    let (preprocessing, predictor) = (model.preprocessing(), model.predictor());
    tensors.vector(FILL, preprocessing.fill());
    tensors.vector(SHIFT, preprocessing.shift());
    tensors.vector(SCALE, preprocessing.scale());
    if !preprocessing.indicators().is_empty() {
        tensors.integers(INDICATORS, preprocessing.indicators());
    }
    tensors.matrix(COEFFICIENTS, predictor.outputs().coefficients());
    tensors.vector(INTERCEPTS, predictor.outputs().intercepts());
    if let Some(kernel) = predictor.kernel() {
        kernel.store(KERNEL, &mut tensors);
    }
    if let Some(code) = predictor.code() {
        tensors.matrix(PROJECTIONS, &code.projections);
        tensors.vector(ORIGIN, &code.origin);
        if let CodeReport::MaxMargin { metric, .. } = &code.report {
            tensors.matrix(METRIC, metric);
        }
    }
    let decoder = predictor.decoder();
    tensors.value(KIND, decoder.name());
    decoder.store(&mut tensors);
    let values = std::mem::take(&mut tensors.values);
    (Header::new(model, values), tensors)
}

/// The model of a header and tensors, by the constructors that training uses.
pub(super) fn assemble(header: Header, mut tensors: TensorReader) -> Result<Model, Refusal> {
    let params = header.params()?;
    let (columns, labels) = (header.schema.columns(), header.schema.label_names().len());
    let preprocessing = restore_preprocessing(columns, params.missing, &mut tensors)?;
    let columns = preprocessing.output_columns();
    let coefficients = tensors.matrix(COEFFICIENTS, columns, None)?;
    let intercepts = tensors.vector(INTERCEPTS, coefficients.columns())?;
    let outputs = LinearModel::new(coefficients, intercepts)?;
    let kernel = tensors
        .has_any(KERNEL)
        .then(|| KernelModel::restore(KERNEL, &mut tensors, columns));
    let kernel = kernel.transpose()?;
    let report = header.record.code.clone();
    let code = report.map(|report| restore_code(report, labels, &mut tensors));
    let code = code.transpose()?;
    let mut parts = StoredParts {
        labels,
        columns,
        candidates: 0,
        tensors: &mut tensors,
        values: header.decoder.0.into_iter().collect(),
        code: code.as_ref(),
    };
    let kind: String = parts.value(KIND)?;
    let decoder = Decoder::restore(&kind, &mut parts)?;
    parts.finish()?;
    tensors.finish()?;
    if matches!(decoder, Decoder::Posterior(_)) != header.record.posterior.is_some() {
        let expected = "the record of a posterior exactly if there is one";
        return Err(Refusal::not_a_model(expected, "the other"));
    }
    let predictor = Predictor::with_kernel(outputs, kernel, decoder, code)?;
    let (schema, record) = (header.schema, header.record);
    Ok(Model::new(
        params,
        schema,
        preprocessing,
        predictor,
        record,
    )?)
}

/// The preprocessing of so many columns. Indicators are there only if they were asked for and a column has one.
fn restore_preprocessing(
    columns: usize,
    missing: Missing,
    tensors: &mut TensorReader,
) -> Result<Preprocessing, Refusal> {
    let preprocessing = Preprocessing::from_parts(
        tensors.vector(FILL, columns)?,
        tensors.vector(SHIFT, columns)?,
        tensors.vector(SCALE, columns)?,
    )?;
    if missing != Missing::Indicator || !tensors.has(INDICATORS) {
        return Ok(preprocessing);
    }
    let indicators = tensors.integers(INDICATORS)?;
    if indicators.is_empty() {
        let expected = format!("'{INDICATORS}' only if a column has an indicator");
        return Err(Refusal::not_a_model(expected, "an empty tensor"));
    }
    Ok(preprocessing.with_indicators(indicators)?)
}

/// The code, with the report of the training record and the metric of the file.
fn restore_code(
    mut report: CodeReport,
    labels: usize,
    tensors: &mut TensorReader,
) -> Result<Code, Refusal> {
    check_code_labels(labels)?;
    let projections = tensors.matrix(PROJECTIONS, labels, None)?;
    let spectrum = match &mut report {
        CodeReport::Random {} => 0,
        CodeReport::Pca { .. } | CodeReport::Cca { .. } => projections.columns(),
        CodeReport::MaxMargin { metric, .. } => {
            *metric = tensors.matrix(METRIC, labels, Some(labels))?;
            labels
        }
    };
    let found = report.spectrum().len();
    check_size("numbers in the spectrum of the code", spectrum, found)?;
    Ok(Code {
        projections,
        origin: tensors.vector(ORIGIN, labels)?,
        report,
    })
}
