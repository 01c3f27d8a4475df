//! Scaling of feature columns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::FeaturesView;
use super::magnitude::Magnitudes;
use crate::settings::Named;
use crate::{Error, Result};

/// How [`Preprocessing`](super::Preprocessing) scales the columns of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// No scaling.
    None,
    /// Standardisation: mean 0 (dense features only) and variance 1 over the training rows.
    Standard,
    /// No scaling if every value of the training rows lies in [-1, 1] and no column is tiny, with a largest magnitude
    /// below 1e-6 (columns of zeros are not), else standardisation. Of the common data sets, scene (shares), medical
    /// and bibtex (0 or 1) are not scaled, emotions (audio features in their own units) is standardised.
    #[default]
    Auto,
}

impl Scaling {
    /// All kinds of scaling.
    pub const ALL: [Self; 3] = [Self::None, Self::Standard, Self::Auto];

    /// What `Auto` means for these rows: `None` or `Standard`. An evaluation resolves it once with all rows, so
    /// that all of its runs scale alike.
    #[must_use]
    pub fn resolve(self, rows: FeaturesView<'_>) -> Self {
        if self.standardises(&Magnitudes::of(rows)) {
            Self::Standard
        } else {
            Self::None
        }
    }

    /// Whether to standardise training rows with columns of these sizes.
    pub(super) fn standardises(self, columns: &Magnitudes) -> bool {
        match self {
            Self::None => false,
            Self::Standard => true,
            Self::Auto => columns.suggest_scaling(),
        }
    }
}

impl Named for Scaling {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::None, "none"),
        (Self::Standard, "standard"),
        (Self::Auto, "auto"),
    ];
}

impl fmt::Display for Scaling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Scaling {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::chosen_by("the scaling", name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for scaling in Scaling::ALL {
            assert_eq!(scaling.to_string().parse::<Scaling>().unwrap(), scaling);
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_names() {
        let error = "minmax".parse::<Scaling>().unwrap_err();
        let expected = "the scaling must be one of none, standard, auto, not 'minmax'";
        assert_eq!(error.to_string(), expected);
    }
}
