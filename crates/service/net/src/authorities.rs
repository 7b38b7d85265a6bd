//! Whom TLS trusts: the system's authorities, and those of the operator.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio_rustls::TlsConnector;

use crate::SetupError;

/// What a TLS client may speak.
pub(crate) const ANY_HTTP: &[&[u8]] = &[b"h2", b"http/1.1"];

/// A TLS client that trusts the system and what stands in `extra`, a PEM file, and that offers
/// to speak `protocols` (ALPN).
///
/// # Errors
/// [`SetupError`] when the file holds no certificates, or TLS cannot be set up.
pub fn tls(extra: Option<&Path>, protocols: &[&[u8]]) -> Result<TlsConnector, SetupError> {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    for error in &system.errors {
        tracing::debug!(%error, "a system certificate cannot be read");
    }
    roots.add_parsable_certificates(system.certs);
    if let Some(path) = extra {
        add(&mut roots, path)?;
    }
    if roots.is_empty() {
        tracing::warn!("no certificate authorities found: no https site will be trusted");
    }
    // Named here, not installed for the process: nothing depends on who came first.
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn add(roots: &mut RootCertStore, path: &Path) -> Result<(), SetupError> {
    let wrong = |cause: String| SetupError::Authorities { path: path.to_owned(), cause };
    let mut found = false;
    for certificate in
        CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?
    {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
        found = true;
    }
    if found { Ok(()) } else { Err(wrong("the file holds none".to_owned())) }
}
