//! The choice of a ridge regression backend.

use serde::{Deserialize, Serialize};

use crate::settings::Named;

/// Backend of the ridge regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RidgeSolver {
    /// The cheaper one, by an estimate of operations and memory.
    #[default]
    Auto,
    /// One factorisation of the features, with exact leave-one-out.
    Factorisation,
    /// Conjugate gradients, with folds in place of leave-one-out.
    Iterative,
}

impl Named for RidgeSolver {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Factorisation, "factorisation"),
        (Self::Iterative, "iterative"),
    ];
}
