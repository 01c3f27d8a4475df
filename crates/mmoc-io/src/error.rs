//! Errors as data: each variant carries the evidence, the message is made from it.
//!
//! Messages name neither options of the command line nor parameters of Python. Where a front end can tell its users
//! what to do, the error carries a [`Remedy`].

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Anything that can go wrong when files are read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file's content is not what its format or the request allows.
    #[error(transparent)]
    Data(Box<DataError>),

    /// A request cannot be carried out, whatever the files contain.
    #[error("{what} must be {expected}, not {found}")]
    Request {
        /// What was requested.
        what: &'static str,
        /// What would be possible.
        expected: String,
        /// What was given.
        found: String,
        /// What the user can do about it.
        remedy: Option<Remedy>,
    },

    /// The method's library failed; files that the system refuses to read or write are among these.
    #[error(transparent)]
    Library(#[from] mmoc::Error),
}

/// The result of reading or writing files.
pub type Result<T> = std::result::Result<T, Error>;

/// What a user can do about an error. Each front end has its own words for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// Have missing cells filled in with means of the training rows ([`crate::MissingCells::Mean`]).
    FillMissing,
    /// Have missing labels left out of training and metrics ([`crate::MissingLabels::Ignore`]).
    IgnoreMissingLabels,
    /// Write an empty text where a row has no tags, or have missing tags left out as missing labels are.
    FillTags,
    /// Say which columns are labels ([`crate::LabelSource`]).
    ChooseLabels,
    /// Say which format the file has ([`crate::Format`]).
    NameFormat,
    /// Have dates and times become numbers ([`crate::Times::Numbers`]), or leave their column out.
    NumberTimes,
    /// Have dates and times become numbers ([`crate::Times::Numbers`]), where a model needs their column.
    ReadTimes,
    /// Write numbers with decimal points.
    WritePoints,
    /// Have words that a model does not know count as none of its values ([`crate::Unknown::Ignore`]).
    IgnoreUnknown,
    /// Leave this column out, or have it carried along as the names of rows ([`crate::ReadOptions::id`]).
    NameRows(String),
    /// Leave a column out ([`crate::ReadOptions::ignore`]).
    IgnoreColumn,
    /// Have a column of several values become a label for each ([`crate::LabelSource::Tags`]).
    ReadTags,
}

/// A place in a file where something else was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{place} expected {expected}, found {found}")]
pub struct DataError {
    /// The file, as the user named it.
    pub file: String,
    /// Where in the file.
    pub place: PlaceInFile,
    /// What would have been right there.
    pub expected: String,
    /// What stands there.
    pub found: String,
    /// What the user can do about it.
    pub remedy: Option<Remedy>,
}

/// Where something stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceInFile {
    /// In the lines of a text.
    Text(TextPlace),
    /// In the columns and rows of a table that has no lines.
    Table {
        /// Name of the column, if it is about one, as it is shown: in quotes, safe for a terminal.
        column: Option<String>,
        /// Number of the row, if it is about one; rows count from one.
        row: Option<usize>,
    },
}

/// A place in a text. Line and column count from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// The line.
    pub line: usize,
    /// The column in the line.
    pub column: usize,
}

impl Error {
    /// What the user can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Data(error) => error.remedy.clone(),
            Self::Request { remedy, .. } => remedy.clone(),
            Self::Library(_) => None,
        }
    }

    /// The system refuses to read or write.
    pub(crate) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        Self::Library(mmoc::Error::Io { path, source })
    }

    /// A request without a remedy.
    pub(crate) fn request(
        what: &'static str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Request {
            what,
            expected: expected.into(),
            found: found.into(),
            remedy: None,
        }
    }
}

impl From<DataError> for Error {
    fn from(error: DataError) -> Self {
        Self::Data(Box::new(error))
    }
}

impl fmt::Display for PlaceInFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(TextPlace { line, column }) => write!(formatter, ":{line}:{column}:"),
            Self::Table { column, row } => match (column, row) {
                (Some(column), Some(row)) => write!(formatter, ": row {row} of {column}:"),
                (Some(column), None) => write!(formatter, ": {column}:"),
                (None, Some(row)) => write!(formatter, ": row {row}:"),
                (None, None) => formatter.write_str(":"),
            },
        }
    }
}

/// What was expected of a part of a file, and what the user can do if it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected {
    text: String,
    remedy: Option<Remedy>,
}

impl Expected {
    /// With a remedy.
    pub(crate) fn or(text: impl Into<String>, remedy: Remedy) -> Self {
        Self {
            text: text.into(),
            remedy: Some(remedy),
        }
    }

    /// The error that something else was found in a file.
    pub(crate) fn but_found(
        self,
        found: impl Into<String>,
        file: &str,
        place: PlaceInFile,
    ) -> Error {
        Error::from(DataError {
            file: file.to_owned(),
            place,
            expected: self.text,
            found: found.into(),
            remedy: self.remedy,
        })
    }
}

impl<T: Into<String>> From<T> for Expected {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            remedy: None,
        }
    }
}

impl From<Option<TextPlace>> for PlaceInFile {
    fn from(place: Option<TextPlace>) -> Self {
        let whole_table = Self::Table {
            column: None,
            row: None,
        };
        place.map_or(whole_table, Self::Text)
    }
}

/// The error that something else stands in a file, at a place if it has lines.
pub(crate) fn error_at(
    place: Option<TextPlace>,
    file: &str,
    expected: impl Into<Expected>,
    found: impl Into<String>,
) -> Error {
    expected.into().but_found(found, file, place.into())
}
