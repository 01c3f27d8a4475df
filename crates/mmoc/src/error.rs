//! Errors as data: each variant carries what was expected and found; messages name no option of any front end.

use std::path::PathBuf;

use crate::explanation::WithoutScores;
use crate::memory::{Bytes, Work};

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

    /// There are more labels than an output code can have.
    #[error("not valid: expected at most {most} labels for an output code, found {found}")]
    CodeLabels {
        /// The largest number of labels.
        most: usize,
        /// The number of labels given.
        found: usize,
    },

    /// A column that is not scaled has numbers whose products would become 0 or infinite.
    #[error(
        "the largest magnitude in column {column} is {found:e}; without scaling it must be from {least:e} to {most:e}"
    )]
    Magnitude {
        /// The number of the column, from one on.
        column: usize,
        /// Its largest magnitude.
        found: f64,
        /// The least that can be used.
        least: f64,
        /// The most that can be used.
        most: f64,
    },

    /// A parameter is outside of its range.
    #[error("{parameter} must be {expected}, not {found}")]
    Parameter {
        /// Its key in the list of settings, or what it is in words.
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
    #[error("{file}: expected {expected}, found {found}")]
    ModelFile {
        /// The file, as the user named it.
        file: String,
        /// What a model has there.
        expected: String,
        /// What the file has instead.
        found: String,
        /// What can be done about it.
        remedy: ModelRemedy,
    },

    /// The model needs evidence from outside, which was not given with the rows.
    #[error(
        "the model needs the evidence {names}, which comes from outside of the model and was not given"
    )]
    MissingEvidence {
        /// The names of the evidence, quoted.
        names: String,
    },

    /// The model has no scores of labels that could be taken apart.
    #[error("the model has no linear scores of labels: {0}")]
    WithoutScores(WithoutScores),

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

    /// The work needs more memory than the machine, the container or the limits of the process leave.
    #[error("{work} needs about {needed} of memory, and {available} is available")]
    Memory {
        /// The work.
        work: Work,
        /// What it is expected to need.
        needed: Bytes,
        /// What there is.
        available: Bytes,
    },

    /// The operating system gave no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),

    /// Rows in partitions could not be asked.
    #[error("{0}")]
    Rows(Box<dyn std::error::Error + Send + Sync>),

    /// The work was cancelled.
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

/// What can be done about a model that cannot be used. Front ends put it into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelRemedy {
    /// The file is damaged: copy it again, or train the model again.
    CopyOrTrainAgain,
    /// It is no model: give a file that was written by training.
    GiveModel,
    /// It is of a later version: use that version of the program.
    UseLaterVersion,
    /// It needs evidence from outside: predict where that evidence is.
    BringEvidence,
}

impl Error {
    /// What can be done about it, if it is about a model.
    pub fn remedy(&self) -> Option<ModelRemedy> {
        match self {
            Self::ModelFile { remedy, .. } => Some(*remedy),
            Self::MissingEvidence { .. } => Some(ModelRemedy::BringEvidence),
            _ => None,
        }
    }
}

/// The result of anything that can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

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
