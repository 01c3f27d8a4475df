//! CodingCCA: canonical directions beside the labels themselves (section 2.4; Zhang & Schneider 2011), decoded
//! by eq. (15).

use super::coded::{JointParams, Weights, fit_joint};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::CcaParams;
use crate::decode::{DecoderName, Inference, Joint};
use crate::learn::Training;
use crate::settings::{Setting, Settings, setters};

/// CodingCCA with its parameters, those of [`CcaParams`] and [`JointParams`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodingCca {
    /// The canonical directions.
    pub code: CcaParams,
    /// The decoding.
    pub decoding: JointParams,
}

setters!(CodingCca {
    /// The number of canonical directions to keep; all by default.
    projections: usize = code.projections;
    /// The penalty on the features, as a share of their total scatter.
    ridge: f64 = code.ridge;
    /// λ, the weight of the classifiers in decoding, if weights are fixed.
    lambda: f64 = decoding.lambda;
    /// How the weights of the energy are chosen.
    weights: Weights = decoding.weights;
    /// How label sets are found.
    inference: Inference = decoding.inference;
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
    const SUMMARY: &'static str =
        "labels and their canonical directions, decoded together (eq. 15)";
    const DECODERS: &'static [&'static str] = &[Joint::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels + self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let code = self.code.fit(training)?;
        let codewords = Codewords::regressed(training, &code)?;
        fit_joint(training, code, codewords, &self.decoding, true)
    }
}
