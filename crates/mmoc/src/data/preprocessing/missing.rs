//! What stands in for missing cells.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::settings::Named;
use crate::{Error, Result};

/// How [`Preprocessing`](super::Preprocessing) fills in missing cells of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The mean of the present cells of the column in the training rows.
    #[default]
    Mean,
    /// The median of these cells. It does not depend on how far outliers are away.
    Median,
    /// The mean, and for each column with missing cells in the training rows one more column that is 1 where the cell is
    /// missing and 0 elsewhere. For data in which a missing cell says something about the labels.
    Indicator,
}

impl Missing {
    /// All ways to fill in missing cells.
    pub const ALL: [Self; 3] = [Self::Mean, Self::Median, Self::Indicator];

    /// Whether it is the usual one, which files do not mention.
    pub fn is_mean(&self) -> bool {
        *self == Self::Mean
    }
}

impl Named for Missing {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Mean, "mean"),
        (Self::Median, "median"),
        (Self::Indicator, "indicator"),
    ];
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Missing {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::chosen_by("missing", name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for missing in Missing::ALL {
            assert_eq!(missing.to_string().parse::<Missing>().unwrap(), missing);
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_names() {
        let error = "mode".parse::<Missing>().unwrap_err();
        let expected = "missing must be one of mean, median, indicator, not 'mode'";
        assert_eq!(error.to_string(), expected);
    }
}
