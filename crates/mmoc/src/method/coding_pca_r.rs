//! CodingPCA-R: principal components beside the labels themselves (section 4), decoded by eq. (15).

use super::coded::{JointParams, Weights, fit_joint};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::PcaParams;
use crate::decode::{DecoderName, Inference, Joint};
use crate::learn::Training;
use crate::settings::{Setting, Settings, setters};

/// CodingPCA-R with its parameters, those of [`PcaParams`] and [`JointParams`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodingPcaR {
    /// The principal components.
    pub code: PcaParams,
    /// The decoding.
    pub decoding: JointParams,
}

setters!(CodingPcaR {
    /// The number of principal components to keep; all by default.
    projections: usize = code.projections;
    /// Whether the mean label vector is taken away first.
    centre: bool = code.centre;
    /// λ, the weight of the classifiers in decoding, if weights are fixed.
    lambda: f64 = decoding.lambda;
    /// How the weights of the energy are chosen.
    weights: Weights = decoding.weights;
    /// How label sets are found.
    inference: Inference = decoding.inference;
});

impl Settings for CodingPcaR {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend(self.decoding.settings());
        settings
    }
}

impl Recipe for CodingPcaR {
    const NAME: &'static str = "coding-pca-r";
    const TITLE: &'static str = "CodingPCA-R";
    const SUMMARY: &'static str =
        "labels and their principal components, decoded together (eq. 15)";
    const DECODERS: &'static [&'static str] = &[Joint::NAME];

    fn base_models(&self, labels: usize) -> usize {
        labels + self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let code = self.code.fit(training.labels())?;
        let codewords = Codewords::regressed(training, &code)?;
        fit_joint(training, code, codewords, &self.decoding, true)
    }
}
