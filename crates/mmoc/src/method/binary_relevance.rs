//! Binary relevance: one logistic regression per label, each by itself.
//!
//! The baseline of the paper's tables ("BR"). A label is predicted where its probability is above one half.

use super::{Model, Recipe};
use crate::data::FeaturesView;
use crate::learn::{LinearModel, Training};
use crate::settings::{Setting, Settings};
use crate::{Prediction, Result};

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

    fn base_models(&self, labels: usize) -> usize {
        labels
    }

    fn fit(&self, training: &Training<'_>) -> Result<Model> {
        let log_odds = training.classifiers()?.model().clone();
        Ok(Model::BinaryRelevance(BinaryRelevanceModel { log_odds }))
    }
}

/// Fitted binary relevance.
#[derive(Debug, Clone)]
pub struct BinaryRelevanceModel {
    log_odds: LinearModel,
}

impl BinaryRelevanceModel {
    /// Predicts the label set of every row; scores are log-odds.
    pub fn predict(&self, x: FeaturesView<'_>) -> Result<Prediction> {
        Ok(Prediction::from_log_odds(self.log_odds.predict(x)?))
    }
}
