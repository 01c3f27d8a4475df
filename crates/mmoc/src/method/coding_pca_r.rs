//! CodingPCA-R: principal components beside the labels themselves (section 4), decoded by eq. (15).

use super::coded::{JointParams, fit_with_labels};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::PcaParams;
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// CodingPCA-R with its parameters, those of [`PcaParams`] and [`JointParams`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodingPcaR {
    /// The principal components.
    pub code: PcaParams,
    /// The decoding.
    pub decoding: JointParams,
}

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
    const DECODERS: &'static [&'static str] = &["joint"];

    fn base_models(&self, labels: usize) -> usize {
        labels + self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let code = self.code.fit(training.labels())?;
        let codewords = Codewords::regressed(training, &code)?;
        fit_with_labels(training, code, codewords, &self.decoding)
    }
}
