//! CodingCCA: canonical directions beside the labels themselves (section 2.4; Zhang & Schneider 2011), decoded
//! by eq. (15).

use super::coded::{JointParams, fit_with_labels};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::CcaParams;
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// CodingCCA with its parameters, those of [`CcaParams`] and [`JointParams`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodingCca {
    /// The canonical directions.
    pub code: CcaParams,
    /// The decoding.
    pub decoding: JointParams,
}

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
    const DECODERS: &'static [&'static str] = &["joint"];

    fn base_models(&self, labels: usize) -> usize {
        labels + self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let code = self.code.fit(training)?;
        let codewords = Codewords::regressed(training, &code)?;
        fit_with_labels(training, code, codewords, &self.decoding)
    }
}
