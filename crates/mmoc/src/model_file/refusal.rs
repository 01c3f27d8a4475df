//! Why a file is not a usable model.

use super::header::VERSION;
use crate::text::safe;
use crate::{Error, ModelRemedy};

/// What was expected and found, and what to do about it.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    expected: String,
    found: String,
    remedy: ModelRemedy,
}

impl Refusal {
    /// Bytes are missing, too many, or not those that were written.
    pub(super) fn damaged(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            remedy: ModelRemedy::CopyOrTrainAgain,
        }
    }

    /// The bytes are complete, but not a model that this program has written.
    pub(crate) fn not_a_model(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            remedy: ModelRemedy::GiveModel,
        }
    }

    /// The file is of a later version.
    pub(super) fn later_version(found: u64) -> Self {
        Self {
            expected: format!("a model file of version {VERSION} at most"),
            found: format!("version {found}, written by a later version of mmoc"),
            remedy: ModelRemedy::UseLaterVersion,
        }
    }

    /// The error about a file. Control characters are escaped and long texts cut: names and values may be anything.
    pub(super) fn of(self, file: &str) -> Error {
        const LONGEST: usize = 300;
        Error::ModelFile {
            file: file.to_owned(),
            expected: safe(&self.expected, LONGEST),
            found: safe(&self.found, LONGEST),
            remedy: self.remedy,
        }
    }
}

/// Errors of the constructors that models are assembled by.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::Parameter {
                parameter,
                expected,
                found,
            } => Self::not_a_model(format!("{parameter} to be {expected}"), found),
            Error::Shape {
                what,
                expected,
                found,
            } => Self::not_a_model(format!("{expected} {what}"), found.to_string()),
            Error::Dataset { expected, found } => Self::not_a_model(expected, found),
            Error::CodeLabels { most, found } => Self::not_a_model(
                format!("at most {most} labels for an output code"),
                found.to_string(),
            ),
            other => Self::not_a_model("a model", other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_file_is_safe_to_show() {
        let refusal = Refusal::damaged("a name", format!("'\u{1b}[2J{}'", "x".repeat(9000)));
        let message = refusal.of("m").to_string();
        assert!(message.contains(r"found '\u{1b}[2Jxxx"), "{message}");
        assert!(message.len() < 500 && message.contains("x…"), "{message}");
    }
}
