//! What `--missing` says.

use std::str::FromStr;

use mmoc::data::Missing;
use mmoc::settings::Named;

const REFUSE: &str = "refuse";

/// What is done with missing features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFeatures {
    /// They are errors.
    Refuse,
    /// They are filled in.
    Fill(Missing),
}

impl MissingFeatures {
    /// What reading does with them.
    pub(crate) fn reading(self) -> mmoc_io::MissingCells {
        match self {
            Self::Refuse => mmoc_io::MissingCells::Refuse,
            Self::Fill(_) => mmoc_io::MissingCells::Mean,
        }
    }

    /// How training fills them in. If they are refused there are none.
    pub(crate) fn filling(self) -> Missing {
        match self {
            Self::Refuse => Missing::default(),
            Self::Fill(missing) => missing,
        }
    }
}

impl FromStr for MissingFeatures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == REFUSE {
            return Ok(Self::Refuse);
        }
        Missing::from_name(text).map(Self::Fill).ok_or_else(|| {
            let names: Vec<&str> = Missing::NAMES.iter().map(|(_, name)| *name).collect();
            let names = names.join(", ");
            format!("the treatment of missing cells must be one of {REFUSE}, {names}, not '{text}'")
        })
    }
}
