//! A model with its version and its descriptions.

use bytes::Bytes;
use mmoc::Model;
use mmoc::data::Attribute;
use mmoc::posterior::{Decision, Posterior};
use mmoc::settings::Named;
use serde::Serialize;

use super::typical::{Value, typical};

/// A model as it is served.
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) model: Model,
    /// What `/v1/models/{name}` answers.
    pub(crate) description: Bytes,
}

/// A model by its name.
#[derive(Serialize)]
pub(crate) struct Listed<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct Description<'a> {
    #[serde(flatten)]
    listed: Listed<'a>,
    method: &'static str,
    columns: Vec<Column<'a>>,
    labels: &'a [String],
    /// The measures that label sets can be best in; none without a posterior over label sets.
    decisions: Vec<&'static str>,
    decide: Option<&'static str>,
    terms: Vec<Term<'a>>,
    rows_trained: usize,
    /// Whether label probabilities can be asked for.
    probabilities: bool,
    /// Why explanations cannot be asked for; missing if they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    unexplained: Option<String>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [String]>,
    /// What a field starts with.
    typical: Value<'a>,
}

#[derive(Serialize)]
struct Term<'a> {
    name: &'a str,
    weight: f64,
}

impl Served {
    pub(crate) fn new(name: String, version: String, model: Model) -> Self {
        let mut served = Self {
            name,
            version,
            model,
            description: Bytes::new(),
        };
        let description = serde_json::to_vec(&served.describe());
        served.description = description
            .expect("names and finite numbers are JSON")
            .into();
        served
    }

    pub(crate) fn listed(&self) -> Listed<'_> {
        Listed {
            name: &self.name,
            version: &self.version,
        }
    }

    /// The posterior over label sets, if the model has one.
    pub(crate) fn posterior(&self) -> Option<&Posterior> {
        self.model.predictor().posterior().ok()
    }

    fn describe(&self) -> Description<'_> {
        let schema = self.model.schema();
        let posterior = self.posterior();
        let decisions = Decision::NAMES.iter().map(|&(_, name)| name);
        let terms = posterior.into_iter().flat_map(Posterior::weights);
        Description {
            listed: self.listed(),
            method: self.model.params().method.name(),
            columns: schema
                .attributes()
                .iter()
                .zip(typical(&self.model))
                .map(|(attribute, typical)| column(attribute, typical))
                .collect(),
            labels: schema.label_names(),
            decisions: posterior
                .into_iter()
                .flat_map(|_| decisions.clone())
                .collect(),
            decide: posterior.map(|posterior| posterior.decision().name()),
            terms: terms.map(|(name, weight)| Term { name, weight }).collect(),
            rows_trained: self.model.record().rows,
            probabilities: self.model.predictor().decoder().has_probabilities(),
            unexplained: self.model.without_scores().map(|reason| reason.to_string()),
        }
    }
}

fn column<'a>(attribute: &'a Attribute, typical: Value<'a>) -> Column<'a> {
    let values = attribute.values();
    Column {
        name: attribute.name(),
        kind: if values.is_some() {
            "nominal"
        } else {
            "number"
        },
        values,
        typical,
    }
}
