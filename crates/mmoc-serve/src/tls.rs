//! TLS from a certificate and its key.

use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

use crate::config::TlsFiles;
use crate::error::{Error, Result};

/// What makes encrypted connections of connections.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor> {
    let unusable = |error: &dyn std::fmt::Display| Error::Tls(error.to_string());
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| unread(&files.certificate, "certificates in PEM", error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| unread(&files.key, "a private key in PEM", error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| unusable(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A file cannot be read, or is not what is expected. What the parser says of its bytes would show a part of the key.
fn unread(path: &Path, expected: &str, error: pem::Error) -> Error {
    let (path, expected) = (path.to_owned(), expected.to_owned());
    match error {
        pem::Error::Io(source) => Error::File { path, source },
        _ => Error::Content { path, expected },
    }
}
