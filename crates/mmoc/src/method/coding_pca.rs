//! CodingPCA: principal label space transformation (section 2.3; Tai & Lin 2010).
//!
//! Principal components of the labels, predicted by ridge regressions, projected back and rounded (eq. 13).

use super::coded::fit_projections;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::PcaParams;
use crate::decode::{BackProjection, DecoderName, check_code_labels};
use crate::learn::Training;
use crate::settings::{Setting, Settings, setters};

/// CodingPCA with its parameters, those of [`PcaParams`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodingPca {
    /// The principal components.
    pub code: PcaParams,
}

setters!(CodingPca {
    /// The number of principal components to keep; all by default.
    projections: usize = code.projections;
    /// Whether the mean label vector is taken away first.
    centre: bool = code.centre;
});

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
    const DECODERS: &'static [&'static str] = &[BackProjection::NAME];

    fn base_models(&self, labels: usize) -> usize {
        self.code.projections.unwrap_or(labels).min(labels)
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        check_code_labels(training.labels().count())?;
        let code = self.code.fit(training.labels())?;
        fit_projections(training, code, |code| {
            BackProjection::new(&code.projections, &code.origin)
        })
    }
}
