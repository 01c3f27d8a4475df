//! Binary relevance: one logistic regression per label, each by itself.
//!
//! The baseline of the paper's tables ("BR"). A label is predicted where its probability is above one half.

use super::fitted::{Fitted, HeldOutOutputs, Penalties};
use super::{Predictor, Recipe};
use crate::Result;
use crate::decode::{DecoderName, IndependentLabels};
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// Binary relevance, which has no parameters but those of its classifiers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BinaryRelevance;

impl Settings for BinaryRelevance {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        Vec::new()
    }
}

impl Recipe for BinaryRelevance {
    const NAME: &'static str = "br";
    const TITLE: &'static str = "BR";
    const SUMMARY: &'static str =
        "binary relevance: one logistic regression per label, each by itself";
    const DECODERS: &'static [&'static str] = &[IndependentLabels::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
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
}
