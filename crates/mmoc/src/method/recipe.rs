//! What a method must be able to do to be in the registry.

use super::Fitted;
use crate::Result;
use crate::learn::Training;
use crate::settings::Settings;

/// A method with its parameters, which are at their defaults to begin with.
pub trait Recipe: Settings + Default {
    /// The name by which users choose the method.
    const NAME: &'static str;
    /// The name in tables.
    const TITLE: &'static str;
    /// One line on what the method does.
    const SUMMARY: &'static str;
    /// The kinds of decoder that its models have, as model files name them.
    const DECODERS: &'static [&'static str];

    /// How many base models the method fits for q labels, as the paper counts them.
    fn base_models(&self, labels: usize) -> usize;

    /// Whether its models end in a posterior over label sets. Only these take evidence from outside of the model.
    fn has_posterior(&self) -> bool {
        false
    }

    /// Whether each of its models is about one label or two, so that unknown labels can be left out. For other methods
    /// they are filled in.
    fn leaves_unknown_out(&self) -> bool {
        false
    }

    /// Whether [`Self::fit_on`] follows the choice of features itself. Other methods are fitted in the feature space that
    /// was asked for.
    fn chooses_features(&self) -> bool {
        false
    }

    /// Learns from a training set.
    fn fit_on(&self, training: &Training<'_>) -> Result<Fitted>;
}
