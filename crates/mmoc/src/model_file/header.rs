//! The description of a model: everything but its tensors.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::refusal::Refusal;
use super::version1;
use crate::Model;
use crate::data::{Missing, Scaling, Schema};
use crate::learn::BaseParams;
use crate::method::Method;
use crate::settings::Settings;
use crate::train::{Estimates, TrainParams, TrainingRecord};

/// The version of the format that is written. Earlier ones are translated when they are read.
pub(super) const VERSION: u64 = 2;

/// The key of a decoder's name.
pub(super) const KIND: &str = "kind";

/// The description of a model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    format: u64,
    method: String,
    parameters: BTreeMap<String, Value>,
    base: BaseParams,
    scaling: Scaling,
    #[serde(default, skip_serializing_if = "Missing::is_mean")]
    missing: Missing,
    seed: u64,
    pub(super) decoder: DecoderValues,
    #[serde(rename = "frame")]
    pub(super) schema: Schema,
    pub(super) record: TrainingRecord,
}

/// The values of a decoder, in the order in which they are written; the first is its name, the `kind`.
#[derive(Debug, Default)]
pub(super) struct DecoderValues(pub(super) Vec<(String, Value)>);

impl Serialize for DecoderValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for DecoderValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = BTreeMap::deserialize(deserializer)?;
        Ok(Self(values.into_iter().collect()))
    }
}

/// Only the version, whatever else the description has.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Header {
    pub(super) fn new(model: &Model, decoder: DecoderValues) -> Self {
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
            missing: params.missing,
            seed: params.seed,
            decoder,
            schema: model.schema().clone(),
            record: model.record().clone(),
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a description can be written as JSON")
    }

    /// Fails if the format is of a later version.
    pub(super) fn check_version(description: &str) -> Result<(), Refusal> {
        match serde_json::from_str::<Version>(description) {
            Ok(version) if version.format > VERSION => Err(Refusal::later_version(version.format)),
            _ => Ok(()),
        }
    }

    pub(super) fn parse(description: &str) -> Result<Self, Refusal> {
        let refused = |error: serde_json::Error| {
            Refusal::not_a_model("the description of a model", error.to_string())
        };
        let mut value: Value = serde_json::from_str(description).map_err(refused)?;
        match value["format"].as_u64() {
            Some(1) => version1::translate(&mut value),
            Some(other) if other != VERSION => {
                let expected = format!("a model file of version 1 or {VERSION}");
                return Err(Refusal::not_a_model(expected, other.to_string()));
            }
            _ => {}
        }
        serde_json::from_value(value).map_err(refused)
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
        let kind = self.decoder.0.iter().find(|(name, _)| name == KIND);
        let kind = kind.map_or_else(String::new, |(_, kind)| text(kind));
        if !method.decoders().contains(&kind.as_str()) {
            return Err(Refusal::not_a_model(format!("a decoder of {method}"), kind));
        }
        let params = TrainParams {
            method,
            base: self.base.clone(),
            scaling: self.scaling,
            missing: self.missing,
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

/// A value as users write it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
