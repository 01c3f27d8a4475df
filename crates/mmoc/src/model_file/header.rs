//! What a model file says in words: everything but the numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::refusal::Refusal;
use crate::Model;
use crate::data::{Scaling, Schema};
use crate::decode::DecoderHeader;
use crate::learn::BaseParams;
use crate::method::Method;
use crate::settings::Settings;
use crate::train::{Estimates, TrainParams, TrainingRecord};

/// The version of the format that is written, and the only one there is.
const VERSION: u64 = 1;

/// The description of a model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    format: u64,
    method: String,
    parameters: BTreeMap<String, Value>,
    base: BaseParams,
    scaling: Scaling,
    seed: u64,
    pub(super) decoder: DecoderHeader,
    #[serde(rename = "frame")]
    pub(super) schema: Schema,
    pub(super) record: TrainingRecord,
}

/// Only the version, whatever else there is.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Header {
    pub(super) fn new(model: &Model, decoder: DecoderHeader) -> Self {
        let params = model.params();
        let parameters = params.method.parameters().into_iter();
        let value =
            |value| serde_json::to_value(value).expect("a parameter can be written as JSON");
        Self {
            format: VERSION,
            method: params.method.name().into(),
            parameters: parameters
                .map(|parameter| (parameter.name.into(), value(parameter.value)))
                .collect(),
            base: params.base.clone(),
            scaling: params.scaling,
            seed: params.seed,
            decoder,
            schema: model.schema().clone(),
            record: model.record().clone(),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a description can be written as JSON")
    }

    /// Fails if the format is of a later version, of which nothing else is known.
    pub(super) fn check_version(description: &str) -> Result<(), Refusal> {
        match serde_json::from_str::<Version>(description) {
            Ok(version) if version.format > VERSION => Err(Refusal::later_version(version.format)),
            _ => Ok(()),
        }
    }

    pub(super) fn parse(description: &str) -> Result<Self, Refusal> {
        let header: Self = serde_json::from_str(description).map_err(|error| {
            Refusal::not_a_model("the description of a model", error.to_string())
        })?;
        if header.format != VERSION {
            let expected = format!("a model file of version {VERSION}");
            return Err(Refusal::not_a_model(expected, header.format.to_string()));
        }
        Ok(header)
    }

    /// The parameters of the training.
    pub(super) fn params(&self) -> Result<TrainParams, Refusal> {
        let mut method: Method = self.method.parse()?;
        let names: Vec<&str> = method.parameters().iter().map(|own| own.name).collect();
        if !self.parameters.keys().eq(sorted(&names)) {
            let found: Vec<&str> = self.parameters.keys().map(String::as_str).collect();
            let expected = format!("the parameters {} of {method}", sorted(&names).join(", "));
            return Err(Refusal::not_a_model(expected, found.join(", ")));
        }
        for (name, value) in &self.parameters {
            method.set(name, &text(value))?;
        }
        if !method.decoders().contains(&self.decoder.name()) {
            let expected = format!("a decoder of {method}");
            return Err(Refusal::not_a_model(expected, self.decoder.name()));
        }
        let params = TrainParams {
            method,
            base: self.base.clone(),
            scaling: self.scaling,
            seed: self.seed,
            estimates: Estimates::default(),
        };
        params.validate()?;
        Ok(params)
    }
}

fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

/// A value as the user would have typed it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
