//! Errors as data: each variant carries the evidence, the message is made from it.

use std::path::PathBuf;

/// Anything that can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The parts of a data set do not fit together.
    #[error("not valid: expected {expected}, found {found}")]
    Dataset {
        /// What a valid data set has.
        expected: String,
        /// What was given instead.
        found: String,
    },

    /// A parameter is outside of its range.
    #[error("{parameter} must be {expected}, not {found}")]
    Parameter {
        /// Name of the parameter, as the user knows it.
        parameter: &'static str,
        /// Its range.
        expected: String,
        /// The value given.
        found: String,
    },

    /// Inputs that must agree in size do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// The quantity that differs.
        what: &'static str,
        /// Its required value.
        expected: usize,
        /// The value given.
        found: usize,
    },

    /// A file is not a model that can be used.
    #[error("{file}: expected {expected}, found {found}; {remedy}")]
    ModelFile {
        /// The file, as the user named it.
        file: String,
        /// What a model has there.
        expected: String,
        /// What the file has instead.
        found: String,
        /// What can be done about it.
        remedy: &'static str,
    },

    /// A matrix decomposition did not converge.
    #[error("the {decomposition} of a {rows}×{columns} matrix did not converge")]
    Decomposition {
        /// Which decomposition.
        decomposition: &'static str,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },

    /// The operating system gave no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),

    /// The work was told to stop before its end.
    #[error("stopped before the end")]
    Stopped,

    /// The operating system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The result of anything that can fail in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Fails unless two sizes that must agree do.
pub fn check_size(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        expected,
        found,
    })
}
