//! CodingCS: coding with compressed sensing (section 2.2; Hsu et al. 2009).
//!
//! Random projections of the labels, more than there are labels, predicted by ridge regressions. A label set has
//! few labels, so it is recovered as the sparsest vector that explains the predictions.

use super::coded::fit_projections;
use super::{Fitted, Recipe};
use crate::Result;
use crate::code::{Distribution, RandomParams};
use crate::data::Labels;
use crate::decode::{CoSaMp, Decoder, DecoderName, L1};
use crate::learn::Training;
use crate::settings::{Named, Setting, Settings, setters};

/// How a sparse label vector is recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Greedily, by compressive sampling matching pursuit.
    CoSaMp,
    /// By ℓ1-penalised least squares (eq. 11).
    L1,
}

impl Named for Recovery {
    const NAMES: &'static [(Self, &'static str)] = &[(Self::CoSaMp, "cosamp"), (Self::L1, "l1")];
}

/// CodingCS with its parameters.
///
/// | name | default | range |
/// |---|---|---|
/// | `code` | 100 Gaussian projections | see [`RandomParams`] |
/// | `recovery` | CoSaMP | |
/// | `sparsity` | auto | of CoSaMP: at least 1; auto is the largest label set of the training rows |
/// | `penalty` | 0.1 | of ℓ1: λ ≥ 0 of eq. (11) |
#[derive(Debug, Clone, PartialEq)]
pub struct CodingCs {
    /// The random projections.
    pub code: RandomParams,
    /// How label vectors are recovered.
    pub recovery: Recovery,
    /// Most labels that CoSaMP gives a row; none for as many as a training row has.
    pub sparsity: Option<usize>,
    /// The weight of the ℓ1 norm.
    pub penalty: f64,
}

impl Default for CodingCs {
    fn default() -> Self {
        Self {
            code: RandomParams::default(),
            recovery: Recovery::CoSaMp,
            sparsity: None,
            penalty: 0.1,
        }
    }
}

setters!(CodingCs {
    /// The number of random directions in label space.
    projections: usize = code.projections;
    /// What their entries are drawn from.
    distribution: Distribution = code.distribution;
    /// How the sparse label vector is recovered.
    recovery: Recovery = recovery;
    /// Most labels of a row for CoSaMP; by default as many as a training row has.
    sparsity: usize = sparsity;
    /// The weight of the ℓ1 norm for ℓ1-penalised recovery.
    penalty: f64 = penalty;
});

impl Settings for CodingCs {
    fn settings(&mut self) -> Vec<Setting<'_>> {
        let mut settings = self.code.settings();
        settings.extend([
            Setting::choice(
                "recovery",
                "how the sparse label vector is recovered",
                &mut self.recovery,
            ),
            Setting::limit(
                "sparsity",
                "most labels of a row for cosamp; auto is the most of a training row",
                &mut self.sparsity,
                "auto",
            ),
            Setting::number(
                "penalty",
                "weight of the l1 norm for l1",
                &mut self.penalty,
                0.0..,
            ),
        ]);
        settings
    }
}

impl Recipe for CodingCs {
    const NAME: &'static str = "coding-cs";
    const TITLE: &'static str = "CodingCS";
    const SUMMARY: &'static str =
        "compressed sensing: random projections of the labels, sparse recovery";
    const DECODERS: &'static [&'static str] = &[CoSaMp::NAME, L1::NAME];

    fn base_models(&self, _labels: usize) -> usize {
        self.code.projections
    }

    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted> {
        self.validate()?;
        let labels = training.labels();
        let seed = training.seed().named("random projections");
        let code = self.code.draw(labels.count(), seed)?;
        fit_projections(training, code, |code| match self.recovery {
            Recovery::CoSaMp => {
                let sparsity = self.sparsity.unwrap_or_else(|| largest_set(labels));
                CoSaMp::new(&code.projections, sparsity).map(Decoder::from)
            }
            Recovery::L1 => L1::new(&code.projections, self.penalty).map(Decoder::from),
        })
    }
}

/// The number of labels of the row that has most, at least one.
fn largest_set(labels: &Labels) -> usize {
    labels.iter().map(<[u32]>::len).max().unwrap_or(0).max(1)
}
