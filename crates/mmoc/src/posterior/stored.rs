//! A posterior as the decoder of a model, and in model files.

use super::candidates::Candidates;
use super::confidence::Recalibration;
use super::thresholds::Thresholds;
use super::{CandidateSets, Decision, Posterior, WeightedTerm};
use crate::data::{Csr, FeaturesView, Labels};
use crate::decode::{Decode, Outputs};
use crate::evidence::{Term, check_given_names};
use crate::model_file::{Refusal, StoredParts, TensorWriter};
use crate::settings::Named;
use crate::{Prediction, Result, check_size};

const SIZES: &str = "posterior.set_sizes";
const MEMBERS: &str = "posterior.set_members";
const COUNTS: &str = "posterior.set_counts";
const PER_LABEL: &str = "posterior.thresholds";
const LOG_ODDS: &str = "posterior.log_odds";

impl Decode for Posterior {
    fn labels(&self) -> usize {
        Self::labels(self)
    }

    fn outputs(&self) -> usize {
        self.terms.iter().map(|own| own.term.outputs()).sum()
    }

    fn of_sets(&self, x: FeaturesView<'_>) -> Result<Vec<Csr>> {
        Self::of_sets(self, x)
    }

    fn predict(&self, outputs: Outputs) -> Result<Prediction> {
        self.decode(&outputs)
    }

    fn predict_sets(&self, outputs: Outputs) -> Result<Labels> {
        self.label_sets(&outputs)
    }

    fn predict_held_out(&self, outputs: Outputs, own: &Labels) -> Result<Prediction> {
        self.decode_held_out(&outputs, own)
    }

    fn store<'a>(&'a self, file: &mut TensorWriter<'a>) {
        file.value("candidates", self.candidate_sets().name());
        file.value("unseen_mass", self.unseen);
        file.value("independent_share", self.independent);
        let Recalibration { slope, offset } = self.recalibration;
        file.value("confidence", vec![slope, offset]);
        file.value("decide", self.decision.to_string());
        file.value("threshold", self.thresholds.micro);
        let terms = self.terms.iter();
        let names: Vec<String> = terms.map(|own| own.term.stored_name()).collect();
        let weights: Vec<f64> = self.weights().map(|(_, weight)| weight).collect();
        file.value("terms", names);
        file.value("weights", weights);
        file.value("classifiers", self.fixed_log_odds.is_none());
        file.vector(PER_LABEL, &self.thresholds.per_label);
        if let Some(log_odds) = &self.fixed_log_odds {
            file.vector(LOG_ODDS, log_odds);
        }
        // Sets of no training row are the others of all.
        let (sets, counts) = (self.candidates.sets(), self.candidates.counts());
        let seen = || sets.iter().zip(counts).filter(|(_, count)| **count > 0);
        let numbers = |values: &mut dyn Iterator<Item = usize>| -> Vec<f64> {
            values.map(|value| value as f64).collect()
        };
        file.vector(SIZES, numbers(&mut seen().map(|(set, _)| set.len())));
        let members = seen().flat_map(|(set, _)| set);
        file.vector(MEMBERS, numbers(&mut members.map(|&label| label as usize)));
        file.vector(COUNTS, numbers(&mut seen().map(|(_, &count)| count)));
        for own in &self.terms {
            own.term.store(file);
        }
    }

    fn restore(parts: &mut StoredParts<'_>) -> Result<Self, Refusal> {
        let are_all = parts.named::<CandidateSets>("candidates")? == CandidateSets::All;
        let unseen = share(parts, "unseen_mass")?;
        let independent = share(parts, "independent_share")?;
        let [slope, offset]: [f64; 2] = parts.value("confidence")?;
        if !(slope >= 0.0 && slope.is_finite() && offset.is_finite()) {
            let expected = "a finite map of confidence that does not fall";
            return Err(Refusal::not_a_model(expected, format!("{slope}, {offset}")));
        }
        let decision: Decision = parts.named("decide")?;
        let thresholds = Thresholds {
            micro: parts.value("threshold")?,
            per_label: parts.tensors.vector(PER_LABEL, parts.labels)?,
        };
        let classifiers: bool = parts.value("classifiers")?;
        let fixed_log_odds = (!classifiers)
            .then(|| parts.tensors.vector(LOG_ODDS, parts.labels))
            .transpose()?;
        let seen = seen_sets(parts)?;
        let candidates = if are_all {
            Candidates::all(&seen)?
        } else {
            seen
        };
        parts.candidates = candidates.len();
        let terms = weighted_terms(parts)?;
        let posterior = Self::new(candidates, terms, fixed_log_odds, unseen)?;
        Ok(Self {
            independent,
            recalibration: Recalibration { slope, offset },
            decision,
            thresholds,
            ..posterior
        })
    }
}

/// A value from zero to one.
fn share(parts: &mut StoredParts<'_>, name: &str) -> Result<f64, Refusal> {
    let value: f64 = parts.value(name)?;
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Refusal::not_a_model(
        format!("'{name}' from 0 to 1"),
        value.to_string(),
    ))
}

fn weighted_terms(parts: &mut StoredParts<'_>) -> Result<Vec<WeightedTerm>, Refusal> {
    let names: Vec<String> = parts.value("terms")?;
    let weights: Vec<f64> = parts.value("weights")?;
    check_size("weights of terms", names.len(), weights.len())?;
    if let Some(weight) = weights
        .iter()
        .find(|weight| !(**weight >= 0.0 && weight.is_finite()))
    {
        let expected = "weights that are finite and not negative";
        return Err(Refusal::not_a_model(expected, weight.to_string()));
    }
    let mut terms: Vec<WeightedTerm> = Vec::with_capacity(names.len());
    for (name, weight) in names.iter().zip(weights) {
        let term = Term::restore(name, parts)?;
        terms.push(WeightedTerm { term, weight });
    }
    // Outputs are those of the model, then those that are given.
    if !terms.is_sorted_by_key(|own| own.term.given().is_some()) {
        let expected = "given terms after the others";
        return Err(Refusal::not_a_model(expected, names.join(", ")));
    }
    check_given_names(
        terms
            .iter()
            .filter_map(|own| own.term.given())
            .map(|own| own.0),
    )?;
    Ok(terms)
}

/// The sets of the training rows, with their counts.
fn seen_sets(parts: &mut StoredParts<'_>) -> Result<Candidates, Refusal> {
    let sizes = counts(parts, SIZES)?;
    let members = counts(parts, MEMBERS)?;
    let rows = counts(parts, COUNTS)?;
    check_size("counts of label sets", sizes.len(), rows.len())?;
    if rows.contains(&0) {
        return Err(Refusal::not_a_model(
            "label sets that rows have",
            "one without a row",
        ));
    }
    let mut offsets = vec![0];
    for size in sizes {
        offsets.push(offsets[offsets.len() - 1] + size);
    }
    let members = members.into_iter().map(|label| label as u32).collect();
    let sets = Labels::new(parts.labels, offsets, members)?;
    if !sets.iter().is_sorted_by(|a, b| a < b) {
        return Err(Refusal::not_a_model("label sets that ascend", "others"));
    }
    Ok(Candidates::new(sets, rows, false))
}

/// A tensor of counts.
fn counts(parts: &mut StoredParts<'_>, name: &str) -> Result<Vec<usize>, Refusal> {
    let most = f64::from(u32::MAX);
    let count = |value: f64| {
        let is_count = (0.0..=most).contains(&value) && value.fract() == 0.0;
        let refusal = || Refusal::not_a_model(format!("counts in '{name}'"), value.to_string());
        #[allow(clippy::cast_sign_loss, reason = "it was found to be a count")]
        is_count.then_some(value as usize).ok_or_else(refusal)
    };
    parts
        .tensors
        .numbers(name)?
        .into_iter()
        .map(count)
        .collect()
}
