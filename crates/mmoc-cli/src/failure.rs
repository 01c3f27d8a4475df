//! Why a command failed, as a sentence and an exit code.

use std::process::ExitCode;

use mmoc::Error;

use crate::output;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
const BAD_DATA: u8 = 3;

impl Failure {
    /// The command line does not say what it must.
    pub(crate) fn wrong_usage(message: impl Into<String>) -> Self {
        Self {
            code: WRONG_USAGE,
            message: message.into(),
        }
    }

    /// The data cannot be what was asked for.
    pub(crate) fn bad_data(message: impl Into<String>) -> Self {
        Self {
            code: BAD_DATA,
            message: message.into(),
        }
    }

    /// Something outside the program did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            code: FAILED,
            message: message.into(),
        }
    }

    /// What went wrong, as a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Writes the message and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        output::message("error", &self.message);
        ExitCode::from(self.code)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::Parameter { .. } => WRONG_USAGE,
            Error::Data(_) | Error::Column(_) | Error::Dataset { .. } | Error::Shape { .. } => {
                BAD_DATA
            }
            Error::Decomposition { .. } | Error::Threads(_) | Error::Io { .. } => FAILED,
        };
        Self {
            code,
            message: error.to_string(),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self {
            code: FAILED,
            message: format!("cannot write the result: {error}"),
        }
    }
}
