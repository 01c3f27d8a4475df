//! Answers that say no: a status and a sentence, never a path of this machine.

use hyper::StatusCode;
use mmoc::text::safe;

/// Characters of a message. Some quote what a client sent, which may be long.
const LONGEST: usize = 500;

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// The methods that would be allowed.
    pub(crate) allow: Option<&'static str>,
}

impl Refusal {
    /// A message is one line without control characters, whatever it quotes.
    pub(crate) fn new(status: StatusCode, message: impl AsRef<str>) -> Self {
        Self {
            status,
            message: safe(message.as_ref(), LONGEST),
            allow: None,
        }
    }

    /// The request cannot be read.
    pub(crate) fn malformed(message: impl AsRef<str>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request can be read, and the model cannot answer it.
    pub(crate) fn unusable(message: impl AsRef<str>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl AsRef<str>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// There are other methods.
    pub(crate) fn other_method(allow: &'static str) -> Self {
        let message = format!("this method is not allowed here; allowed are {allow}");
        Self {
            allow: Some(allow),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
        }
    }

    /// The server has too much to do, or is about to stop.
    pub(crate) fn unavailable(message: impl AsRef<str>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// A fault of the server, about which clients are told nothing else.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server failed to answer this request",
        )
    }
}

/// What cannot be read of rows.
impl From<mmoc_io::Error> for Refusal {
    fn from(error: mmoc_io::Error) -> Self {
        match error {
            mmoc_io::Error::Library(error) => error.into(),
            other => Self::unusable(other.to_string()),
        }
    }
}

/// What a model refuses to predict.
impl From<mmoc::Error> for Refusal {
    fn from(error: mmoc::Error) -> Self {
        match error {
            mmoc::Error::Dataset { .. }
            | mmoc::Error::CodeLabels { .. }
            | mmoc::Error::Magnitude { .. }
            | mmoc::Error::Parameter { .. }
            | mmoc::Error::Shape { .. }
            | mmoc::Error::WithoutScores(_) => Self::unusable(error.to_string()),
            _ => Self::internal(),
        }
    }
}
