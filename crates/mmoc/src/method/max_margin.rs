//! MaxMargin: directions that keep label sets apart and can be predicted (section 3), beside the labels
//! themselves, decoded by eq. (15).

use super::coded::{JointParams, fit_with_labels, fit_without_labels};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::Code;
use crate::code::max_margin::{MaxMarginParams, Regression};
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// MaxMargin with its parameters, those of [`MaxMarginParams`] and [`JointParams`].
///
/// Without classifiers in the problem (25) there are none in the codeword either, and λ has no meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaxMargin {
    /// The max-margin directions.
    pub code: MaxMarginParams,
    /// The decoding.
    pub decoding: JointParams,
}

impl Settings for MaxMargin {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend(self.decoding.settings());
        settings
    }
}

impl Recipe for MaxMargin {
    const NAME: &'static str = "max-margin";
    const TITLE: &'static str = "MaxMargin";
    const SUMMARY: &'static str =
        "labels and directions of maximum margin between label sets, decoded together";
    const DECODERS: &'static [&'static str] = &["joint"];

    fn base_models(&self, labels: usize) -> usize {
        let projections = self.code.projections.unwrap_or(labels).min(labels);
        projections + if self.code.classifiers { labels } else { 0 }
    }

    fn fit(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let code = self.code.fit(training)?;
        let codewords = self.codewords(training, &code)?;
        if self.code.classifiers {
            fit_with_labels(training, code, codewords, &self.decoding)
        } else {
            fit_without_labels(training, code, codewords, self.decoding.inference)
        }
    }
}

impl MaxMargin {
    /// Codewords are predicted the way the labels were when the code was found.
    fn codewords(&self, training: &Training<'_>, code: &Code) -> Result<Codewords> {
        match self.code.regression {
            Regression::Canonical if code.projections.columns() > 0 => {
                Codewords::whitened(training, code)
            }
            _ => Codewords::regressed(training, code),
        }
    }
}
