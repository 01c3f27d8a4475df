//! MaxMargin: directions that keep label sets apart and can be predicted (section 3), beside the labels
//! themselves, decoded by eq. (15).

use super::coded::{JointParams, Weights, fit_joint};
use super::codewords::Codewords;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::max_margin::{Algorithm, LogOdds, MaxMarginParams, Regression, Separation};
use crate::decode::{DecoderName, Inference, Joint};
use crate::learn::Training;
use crate::settings::{Setting, Settings, setters};

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

setters!(MaxMargin {
    /// The number of directions to keep, of largest eigenvalue; all by default.
    projections: usize = code.projections;
    /// C, the weight of the slacks.
    c: f64 = code.c;
    /// Whether classifiers take part: problem (31), else (25).
    classifiers: bool = code.classifiers;
    /// Constraints for the unit cube (31) or its corners (27).
    separation: Separation = code.solver.separation;
    /// The factor of the penalties of the regressed labels.
    penalty_factor: f64 = code.penalty_factor;
    /// How labels and codewords are regressed.
    regression: Regression = code.regression;
    /// Where the log-odds of training rows come from.
    log_odds: LogOdds = code.log_odds;
    /// How the problem is solved.
    algorithm: Algorithm = code.solver.algorithm;
    /// The certified relative gap to stop at; by default it depends on the number of labels.
    gap: f64 = code.solver.gap;
    /// Most Newton steps, or rounds of the other algorithms.
    max_iterations: usize = code.solver.max_iterations;
    /// The least eigenvalue kept, relative to the largest.
    rank_tolerance: f64 = code.solver.rank_tolerance;
    /// λ, the weight of the classifiers in decoding, if weights are fixed.
    lambda: f64 = decoding.lambda;
    /// How the weights of the energy are chosen.
    weights: Weights = decoding.weights;
    /// How label sets are found.
    inference: Inference = decoding.inference;
});

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
    const DECODERS: &'static [&'static str] = &[Joint::NAME];

    fn base_models(&self, labels: usize) -> usize {
        let projections = self.code.projections.unwrap_or(labels).min(labels);
        projections + if self.code.classifiers { labels } else { 0 }
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        // Codewords are predicted the way the labels were when the code was found.
        let canonical = self.code.canonical_regression(training)?;
        let code = self.code.fit_with(training, canonical.as_ref())?;
        let codewords = match &canonical {
            Some(regression) if code.projections.columns() > 0 => {
                Codewords::whitened(training, &code, regression)?
            }
            _ => Codewords::regressed(training, &code)?,
        };
        fit_joint(
            training,
            code,
            codewords,
            &self.decoding,
            self.code.classifiers,
        )
    }
}
