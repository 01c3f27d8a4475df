//! Why a data set of the catalogue is not there, or is not the known one.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::FoundIn;

/// Why a data set of the catalogue is not there, or is not the known one.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system reports.
        source: io::Error,
    },
    /// The data folder does not exist.
    #[error("{}expected a folder, found none at '{}'", variable_prefix(*from_variable), folder.display())]
    NoDataFolder {
        /// The folder.
        folder: PathBuf,
        /// Whether the variable `MMOC_DATA` names it, not the caller.
        from_variable: bool,
    },
    /// The system has no folder for caches, and `MMOC_CACHE` names none.
    #[error("no folder for a cache is known on this system: set the variable MMOC_CACHE")]
    NoCacheFolder,
    /// Some files of a data set are missing, but not all.
    #[error("{}: the data set {dataset} is incomplete: missing {}", folder.display(), missing.join(", "))]
    Incomplete {
        /// Where the other files are.
        folder: PathBuf,
        /// The name of the data set.
        dataset: &'static str,
        /// The names of the missing files.
        missing: Vec<&'static str>,
        /// What kind of folder it is.
        place: FoundIn,
    },
    /// A file of the cache does not have the known contents.
    #[error("{}: this file of the cache is damaged: expected SHA-256 {expected}, found {found}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The name of the data set.
        dataset: &'static str,
        /// The known SHA-256.
        expected: &'static str,
        /// The SHA-256 of the file.
        found: String,
    },
    /// A file cannot be fetched.
    #[error("cannot fetch {file} from {address}: {reason}")]
    Fetch {
        /// The name of the file.
        file: &'static str,
        /// Its address.
        address: String,
        /// Why not.
        reason: String,
    },
    /// The environment names a proxy that cannot be used.
    #[error(
        "the environment (ALL_PROXY, HTTPS_PROXY or HTTP_PROXY) names a SOCKS proxy: \
         only http:// and https:// proxies are supported"
    )]
    SocksProxy,
}

fn variable_prefix(from_variable: bool) -> &'static str {
    if from_variable { "MMOC_DATA: " } else { "" }
}

impl CatalogueError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Io { path, source }
    }
}
