//! How the predictions of classifiers and codewords become label sets, the same for every method that has both.

use super::terms::Terms;
use crate::decode::Inference;
use crate::learn::forest::ForestParams;
use crate::posterior::{CandidateSets, Decision};
use crate::settings::{Named, Setting, Settings};

/// Where the weights of the terms come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weights {
    /// From the likelihood of held-out training rows.
    #[default]
    Fitted,
    /// λ for the classifiers and one for the code, as in eq. (15).
    Fixed,
}

impl Named for Weights {
    const NAMES: &'static [(Self, &'static str)] =
        &[(Self::Fitted, "fitted"), (Self::Fixed, "fixed")];
}

/// Parameters of decoding.
///
/// | name | default | range |
/// |---|---|---|
/// | `candidates` | seen | label sets that are considered: those of the training rows, or all |
/// | `terms` | auto | terms of the posterior: given, or chosen on the training rows |
/// | `trees` | 500 | trees of the forest, if it is a term |
/// | `weights` | fitted | by held-out likelihood, or fixed as in eq. (15) |
/// | `lambda` | 1 | λ ≥ 0, the weight of the classifiers if weights are fixed |
/// | `inference` | auto | how eq. (15) is solved if weights are fixed and candidates all sets |
/// | `decide` | subset | the measure that predicted sets are to be best in |
///
/// With fixed weights and all sets decoding is that of the paper, eq. (15).
#[derive(Debug, Clone, PartialEq)]
pub struct DecodingParams {
    /// The label sets that are considered.
    pub candidates: CandidateSets,
    /// The terms of the posterior.
    pub terms: Terms,
    /// The number of trees of the forest.
    pub trees: usize,
    /// Where weights come from.
    pub weights: Weights,
    /// λ: the weight of the classifiers if weights are fixed.
    pub lambda: f64,
    /// How the label set of least energy is found if weights are fixed.
    pub inference: Inference,
    /// The measure that predicted sets are to be best in.
    pub decide: Decision,
}

impl Default for DecodingParams {
    fn default() -> Self {
        Self {
            candidates: CandidateSets::Seen,
            terms: Terms::AUTO,
            trees: ForestParams::default().trees,
            weights: Weights::Fitted,
            lambda: 1.0,
            inference: Inference::Auto,
            decide: Decision::Subset,
        }
    }
}

impl Settings for DecodingParams {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        vec![
            candidates_setting(&mut self.candidates),
            Setting::combination("terms", "terms of the posterior", &mut self.terms),
            Setting::count("trees", "trees of the forest", &mut self.trees, 1..=100_000),
            Setting::choice(
                "weights",
                "weights of the terms: fitted to held-out rows, or fixed",
                &mut self.weights,
            ),
            Setting::number(
                "lambda",
                "weight of the classifiers, if weights are fixed",
                &mut self.lambda,
                0.0..=1e6,
            ),
            Setting::choice(
                "inference",
                "how (15) is solved, if weights are fixed; auto: exact up to 16 labels",
                &mut self.inference,
            ),
            decide_setting(&mut self.decide),
        ]
    }
}

pub(super) fn candidates_setting(value: &mut CandidateSets) -> Setting<'_> {
    let help = "label sets to choose from: all, or those of the training rows";
    Setting::choice("candidates", help, value)
}

pub(super) fn decide_setting(value: &mut Decision) -> Setting<'_> {
    let help = "measure that predicted label sets are to be best in";
    Setting::choice("decide", help, value)
}

impl DecodingParams {
    /// Whether decoding is that of the paper, eq. (15): fixed weights and all label sets.
    pub(super) fn is_of_paper(&self) -> bool {
        self.weights == Weights::Fixed
            && self.candidates == CandidateSets::All
            && self.decide == Decision::Subset
    }
}
