//! CodingCCA: canonical directions beside the labels themselves (section 2.4; Zhang & Schneider 2011), decoded
//! together.

use super::with_posterior::fit_labels_and_code;
use super::{DecodingParams, Fitted, Recipe, Terms, Weights};
use crate::Result;
use crate::code::{CcaParams, projections_of};
use crate::decode::{DecoderName, Inference, Joint, check_code_labels};
use crate::learn::Training;
use crate::posterior::{CandidateSets, Decision, Posterior};
use crate::settings::{Setting, Settings, setters};

/// CodingCCA with its parameters, those of [`CcaParams`] and [`DecodingParams`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodingCca {
    /// The canonical directions.
    pub code: CcaParams,
    /// The decoding.
    pub decoding: DecodingParams,
}

setters!(CodingCca {
    /// The number of canonical directions to keep; all by default.
    projections: usize = code.projections;
    /// The penalty on the features, as a share of their total scatter.
    ridge: f64 = code.ridge;
    /// The label sets that are considered.
    candidates: CandidateSets = decoding.candidates;
    /// The terms of the posterior.
    terms: Terms = decoding.terms;
    /// The number of trees of the forest.
    trees: usize = decoding.trees;
    /// Where the weights of the terms come from.
    weights: Weights = decoding.weights;
    /// λ, the weight of the classifiers if weights are fixed.
    lambda: f64 = decoding.lambda;
    /// How eq. (15) is solved if weights are fixed.
    inference: Inference = decoding.inference;
    /// The measure that predicted label sets are to be best in.
    decide: Decision = decoding.decide;
});

impl Settings for CodingCca {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend(self.decoding.settings());
        settings
    }
}

impl Recipe for CodingCca {
    const NAME: &'static str = "coding-cca";
    const TITLE: &'static str = "CodingCCA";
    const SUMMARY: &'static str = "labels and their canonical directions, decoded together";
    const DECODERS: &'static [&'static str] = &[Posterior::NAME, Joint::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels + self.code.projections.unwrap_or(labels).min(labels)
    }

    fn has_posterior(&self) -> bool {
        !self.decoding.is_of_paper()
    }

    fn chooses_features(&self) -> bool {
        self.has_posterior()
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        check_code_labels(training.labels().count())?;
        // A code that no term needs is not learnt, but its parameters must be right all the same.
        projections_of(self.code.projections, training.labels().count())?;
        fit_labels_and_code(training, |training| self.code.fit(training), &self.decoding)
    }
}
