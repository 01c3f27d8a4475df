//! Why a server does not start.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to serve.
    #[error("no model is given")]
    NoModel,

    /// Two models have the same name.
    #[error("two models are called '{0}'")]
    SameName(String),

    /// No request could be answered within a limit.
    #[error("the limit '{0}' must be greater than zero")]
    ZeroLimit(&'static str),

    /// A model cannot be loaded.
    #[error(transparent)]
    Model(#[from] mmoc::Error),

    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },

    /// A file is not what it must be.
    #[error("{}: expected {expected}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What it must be.
        expected: String,
    },

    /// The certificate and its key cannot be used.
    #[error("cannot use the certificate and its key: {0}")]
    Tls(String),

    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },

    /// The operating system gives no threads or signals.
    #[error("cannot start: {0}")]
    System(std::io::Error),
}

/// The result of starting a server.
pub type Result<T, E = Error> = std::result::Result<T, E>;
