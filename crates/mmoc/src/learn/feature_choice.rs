//! Which features linear models are functions of.

use serde::{Deserialize, Serialize};

use crate::settings::Named;

/// The features of linear models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureChoice {
    /// The scaled features, radial basis functions of them, or both, as training rows decide. For methods without a
    /// posterior over label sets these are the scaled features.
    #[default]
    Auto,
    /// The scaled features.
    Linear,
    /// Radial basis functions of the features.
    Rbf,
}

impl Named for FeatureChoice {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Linear, "linear"),
        (Self::Rbf, "rbf"),
    ];
}
