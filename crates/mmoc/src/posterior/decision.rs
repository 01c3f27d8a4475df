//! Which label set is predicted, given the posterior.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::metrics::Metric;
use crate::settings::Named;
use crate::{Error, Result};

/// The measure that predicted label sets are to be best in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Subset accuracy: the likeliest label set.
    #[default]
    Subset,
    /// Example-based F1: the set of largest expected F1.
    F1,
    /// Hamming loss: the labels that are likelier than not.
    Hamming,
    /// Micro-F1: the labels above one threshold, chosen on the training rows.
    MicroF1,
    /// Macro-F1: the labels above thresholds of their own, chosen on the training rows.
    MacroF1,
}

impl Named for Decision {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Subset, "subset"),
        (Self::F1, "f1"),
        (Self::Hamming, "hamming"),
        (Self::MicroF1, "micro-f1"),
        (Self::MacroF1, "macro-f1"),
    ];
}

impl Decision {
    /// The measure.
    pub fn metric(self) -> Metric {
        match self {
            Self::Subset => Metric::SubsetAccuracy,
            Self::F1 => Metric::ExampleF1,
            Self::Hamming => Metric::HammingLoss,
            Self::MicroF1 => Metric::MicroF1,
            Self::MacroF1 => Metric::MacroF1,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Decision {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::chosen_by("decide", name)
    }
}
