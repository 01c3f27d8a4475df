//! Why label sets are predicted, as JSON.

use mmoc::settings::Named;
use mmoc::{Explanation, LabelExplanation, Model, Part};
use serde::Serialize;

use super::Asked;
use crate::refusal::Refusal;

/// Why the label set of a row is predicted.
#[derive(Serialize)]
pub(super) struct Explained<'a> {
    /// The predicted labels, and those that came closest.
    labels: Vec<ExplainedLabel<'a>>,
    /// The likeliest other label set; missing without a posterior, or if the predicted set is no candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Vec<&'a str>>,
    /// What each term of the posterior says for the predicted set rather than the other.
    terms: Vec<Term<'a>>,
}

#[derive(Serialize)]
struct ExplainedLabel<'a> {
    label: &'a str,
    predicted: bool,
    score: f64,
    parts: Vec<ScorePart<'a>>,
}

#[derive(Serialize)]
struct ScorePart<'a> {
    kind: &'static str,
    name: &'a str,
    /// Null if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    contribution: f64,
}

#[derive(Serialize)]
struct Term<'a> {
    name: &'a str,
    contribution: f64,
}

/// The explanations that a request asks for: one for each row, or none.
pub(super) fn explanations(
    model: &Model,
    asked: &Asked,
    most: usize,
) -> Result<Vec<Explanation>, Refusal> {
    if most == 0 {
        return Ok(Vec::new());
    }
    Ok(model.explain(&asked.features, asked.question.decision, most)?)
}

impl<'a> Explained<'a> {
    /// All predicted labels are listed, and as many others as contributions.
    pub(super) fn new(own: &'a Explanation, names: &'a [String], most: usize) -> Self {
        let name = |label: usize| names[label].as_str();
        let mut order: Vec<&LabelExplanation> = own.labels.iter().collect();
        order.sort_by(|a, b| {
            (b.predicted, b.score)
                .partial_cmp(&(a.predicted, a.score))
                .unwrap_or(a.label.cmp(&b.label))
        });
        let predicted = order.iter().filter(|label| label.predicted).count();
        order.truncate(predicted.saturating_add(most));
        let terms = own.contrast.iter().flat_map(|contrast| &contrast.terms);
        Self {
            labels: order
                .into_iter()
                .map(|label| explained_label(label, name(label.label)))
                .collect(),
            against: own.contrast.as_ref().map(|contrast| {
                contrast
                    .against
                    .iter()
                    .map(|&label| name(label as usize))
                    .collect()
            }),
            terms: terms
                .map(|(name, contribution)| Term {
                    name,
                    contribution: *contribution,
                })
                .collect(),
        }
    }
}

fn explained_label<'a>(own: &'a LabelExplanation, label: &'a str) -> ExplainedLabel<'a> {
    let part = |part: &'a Part| ScorePart {
        kind: part.kind.name(),
        name: &part.name,
        value: part.value,
        contribution: part.contribution,
    };
    ExplainedLabel {
        label,
        predicted: own.predicted,
        score: own.score,
        parts: own.parts.iter().map(part).collect(),
    }
}
