//! Which way regressions are solved.

use serde::{Deserialize, Serialize};

use crate::settings::Named;

/// Which way regressions are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Whichever costs less, by an estimate of operations and memory.
    #[default]
    Auto,
    /// One factorisation of the features, and exact leave-one-out.
    Factorisation,
    /// Conjugate gradients, and folds in place of leave-one-out.
    Iterative,
}

impl Named for Solver {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Factorisation, "factorisation"),
        (Self::Iterative, "iterative"),
    ];
}
