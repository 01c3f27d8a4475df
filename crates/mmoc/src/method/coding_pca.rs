//! CodingPCA: principal label space transformation (section 2.3; Tai & Lin 2010).
//!
//! Principal components of the labels, predicted by ridge regressions, projected back and rounded (eq. 13).

use super::coded::fit_projections;
use super::{CodeDecoder, Fitted, Recipe};
use crate::Result;
use crate::code::PcaParams;
use crate::learn::Training;
use crate::settings::{Setting, Settings};

/// CodingPCA with its parameters, those of [`PcaParams`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodingPca {
    /// The principal components.
    pub code: PcaParams,
}

impl Settings for CodingPca {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        self.code.settings()
    }
}

impl Recipe for CodingPca {
    const NAME: &'static str = "coding-pca";
    const TITLE: &'static str = "CodingPCA";
    const SUMMARY: &'static str =
        "principal components of the labels, projected back and rounded (PLST)";
    const DECODERS: &'static [&'static str] = &["back-projection"];

    fn base_models(&self, labels: usize) -> usize {
        self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit(&self, training: &Training<'_>) -> Result<Fitted> {
        let code = self.code.fit(training.labels())?;
        fit_projections(training, CodeDecoder::back_projection(code)?)
    }
}
