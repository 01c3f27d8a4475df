//! Binary relevance: one logistic regression per label, each by itself.
//!
//! The baseline of the paper's tables ("BR"). A label is predicted where its probability is above one half. With other
//! candidates or another decision the classifiers are the one term of a posterior over label sets.

use super::decoding::{candidates_setting, decide_setting};
use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use super::with_posterior::EvidenceSources;
use super::{DecodingParams, Predictor, Recipe, TermKind, Terms};
use crate::Result;
use crate::decode::{DecoderName, IndependentLabels};
use crate::learn::{FeatureChoice, Training};
use crate::posterior::{CandidateSets, Decision, Posterior};
use crate::settings::{Setting, Settings, setters};

/// Binary relevance with its parameters.
///
/// | name | default | range |
/// |---|---|---|
/// | `candidates` | all | label sets to choose from: all, or those of the training rows |
/// | `decide` | subset | the measure that predicted sets are to be best in |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryRelevance {
    /// The label sets that are considered.
    pub candidates: CandidateSets,
    /// The measure that predicted sets are to be best in.
    pub decide: Decision,
}

impl Default for BinaryRelevance {
    fn default() -> Self {
        Self {
            candidates: CandidateSets::All,
            decide: Decision::Subset,
        }
    }
}

setters!(BinaryRelevance {
    /// The label sets that are considered.
    candidates: CandidateSets = candidates;
    /// The measure that predicted label sets are to be best in.
    decide: Decision = decide;
});

impl Settings for BinaryRelevance {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            candidates_setting(&mut self.candidates),
            decide_setting(&mut self.decide),
        ]
    }
}

impl Recipe for BinaryRelevance {
    const NAME: &'static str = "br";
    const TITLE: &'static str = "BR";
    const SUMMARY: &'static str =
        "binary relevance: one logistic regression per label, each by itself";
    const DECODERS: &'static [&'static str] = &[IndependentLabels::NAME, Posterior::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels
    }

    fn has_posterior(&self) -> bool {
        self.candidates != CandidateSets::All || self.decide != Decision::Subset
    }

    fn leaves_unknown_out(&self) -> bool {
        !self.has_posterior()
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        if !self.has_posterior() {
            return fit_independent(training);
        }
        let params = DecodingParams {
            candidates: self.candidates,
            decide: self.decide,
            terms: Terms::of(&[TermKind::Labels]),
            ..DecodingParams::default()
        };
        let evidence = EvidenceSources {
            params: &params,
            features: FeatureChoice::Linear,
            classifiers: true,
            codes: &|_| Ok(Vec::new()),
        };
        evidence.fit_posterior(training)
    }
}

/// Each label by its own log-odds.
fn fit_independent(training: &Training<'_>) -> Result<Fitted> {
    let classifiers = training.classifiers()?;
    let decoder = IndependentLabels::new(training.labels().count());
    let penalties = Penalties {
        classifiers: classifiers.penalty_shares(),
        ..Penalties::default()
    };
    let predictor = Predictor::new(classifiers.model().clone(), decoder, None)?;
    let held_out = vec![HeldOutOutputs::Classifiers];
    Ok(Fitted::new(predictor, penalties, held_out))
}
