//! What can go wrong with an experiment.

use std::path::PathBuf;

use thiserror::Error;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an experiment cannot be run, read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The method, the data or a file is at fault.
    #[error(transparent)]
    Library(#[from] mmoc::Error),
    /// A parameter is set, or a reference is named, for an entrant that there is not.
    #[error("unknown method '{name}': expected one of {}", expected.join(", "))]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The names that are possible.
        expected: Vec<String>,
    },
    /// Two data sets have the same name, by which records tell them apart.
    #[error("two data sets are called '{0}'")]
    SameName(String),
    /// Two entrants have the same name, by which records tell them apart.
    #[error("two methods are called '{0}'")]
    SameEntrant(String),
    /// The predictions of another program are not for the test rows of the data sets.
    #[error("the predictions of '{0}' must be for the test rows of each data set")]
    ExternalRows(String),
    /// Only the caller can fit a model of the caller.
    #[error("'{0}' is a model of the caller, who fits it and collects its predictions")]
    OfCaller(String),
    /// There is no such run, or the caller does not fit the model.
    #[error(
        "the experiment does not expect predictions of the method {method} in run {run} on the data set {dataset}"
    )]
    NotExpected {
        /// The number of the data set.
        dataset: usize,
        /// The number of the run.
        run: usize,
        /// The number of the method.
        method: usize,
    },
    /// A data set without a fingerprint cannot be identified in files.
    #[error("the data set '{0}' has no fingerprint, which results in files need")]
    NoFingerprint(String),
    /// A folder that should hold an experiment has no manifest.
    #[error("{}: not the folder of an experiment: it has no experiment.json", .0.display())]
    NoManifest(PathBuf),
    /// There are results, but nothing says what was run.
    #[error("{}: has results but no experiment.json that describes them", .0.display())]
    ResultsWithoutManifest(PathBuf),
    /// A manifest that cannot be read, or whose parts contradict each other.
    #[error("{}: not a valid manifest: {reason}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A line of results that cannot be read, or does not belong to the experiment.
    #[error("{}:{line}: not a valid result: {reason}; remove the line to have it computed again", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds the results of another experiment.
    #[error("{}: holds another experiment, which differs in {}", folder.display(), differences.join(", "))]
    OtherExperiment {
        /// The folder.
        folder: PathBuf,
        /// The keys of the manifest that differ.
        differences: Vec<String>,
    },
    /// The folder holds an experiment of methods that this one leaves out, and is the same otherwise.
    #[error("{}: also holds results of {}", folder.display(), methods.join(", "))]
    MethodsLeftOut {
        /// The folder.
        folder: PathBuf,
        /// The methods.
        methods: Vec<String>,
    },
    /// A file is in the place of the folder for results.
    #[error("{}: is a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// Another process writes to the folder.
    #[error("{}: another process is writing to this folder", .0.display())]
    Locked(PathBuf),
    /// There are no results to summarise.
    #[error("{}: no run has finished yet", .0.display())]
    NoResults(PathBuf),
}

pub(crate) fn io_error(path: &std::path::Path, source: std::io::Error) -> Error {
    let path = path.to_owned();
    Error::Library(mmoc::Error::Io { path, source })
}
