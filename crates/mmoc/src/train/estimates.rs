//! Scores of held-out predictions of the training rows, and when they are computed.

use std::fmt;
use std::str::FromStr;

use crate::data::Targets;
use crate::learn::Training;
use crate::method::Fitted;
use crate::metrics::Evaluation;
use crate::settings::Named;
use crate::{Error, Result};

/// When training ends with estimates from held-out rows. The model is the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimates {
    /// Where held-out predictions exist already: not where penalties are given and the folds of the classifiers would be
    /// fitted for the estimates alone.
    #[default]
    Auto,
    /// Always, even if folds must be fitted for it.
    Always,
    /// Never.
    Never,
}

impl Estimates {
    /// All answers.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// The estimates, if they are wanted.
    pub(crate) fn of(
        self,
        fitted: &mut Fitted,
        training: &Training<'_>,
    ) -> Result<Option<Evaluation>> {
        let wanted = match self {
            Self::Auto => fitted.has_held_out(training),
            Self::Always => true,
            Self::Never => false,
        };
        wanted.then(|| estimate(fitted, training)).transpose()
    }
}

fn estimate(fitted: &mut Fitted, training: &Training<'_>) -> Result<Evaluation> {
    let truth = Targets::new(training.labels())
        .with_weights(training.weights())?
        .with_unknown(training.unknown())?;
    fitted.held_out_prediction(training)?.score(truth)
}

impl Named for Estimates {
    const NAMES: &'static [(Self, &'static str)] = &[
        (Self::Auto, "auto"),
        (Self::Always, "always"),
        (Self::Never, "never"),
    ];
}

impl fmt::Display for Estimates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Estimates {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::chosen_by("estimates", name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for answer in Estimates::ALL {
            assert_eq!(answer.to_string().parse::<Estimates>().unwrap(), answer);
        }
        let refused = "often".parse::<Estimates>().unwrap_err().to_string();
        assert_eq!(
            refused,
            "estimates must be one of auto, always, never, not 'often'"
        );
    }
}
