//! TLS from a certificate and its key.

use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject;
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
        .map_err(|error| not_pem(&files.certificate, &error))?;
    let key =
        PrivateKeyDer::from_pem_file(&files.key).map_err(|error| not_pem(&files.key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| unusable(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn not_pem(path: &Path, error: &impl std::fmt::Display) -> Error {
    Error::Content {
        path: path.to_owned(),
        expected: format!("a certificate or a key in PEM ({error})"),
    }
}
