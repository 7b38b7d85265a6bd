//! TLS clients: the trusted certificate authorities (the system's and the operator's) and the server
//! name that is verified.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::TlsConnector;

use crate::{FetchError, FetchResult, SetupError};

/// The ALPN protocols of a fetcher.
pub(crate) const ALPN_HTTP: &[&[u8]] = &[b"h2", b"http/1.1"];

/// A TLS client that trusts the system's authorities and those of the PEM file `extra`, and that
/// offers `protocols` (ALPN).
///
/// # Errors
/// [`SetupError`] when the file holds no certificates, or TLS cannot be set up.
pub fn tls_connector(
    extra: Option<&Path>,
    protocols: &[&[u8]],
) -> Result<TlsConnector, SetupError> {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    for error in &system.errors {
        tracing::debug!(%error, "cannot read a system certificate");
    }
    roots.add_parsable_certificates(system.certs);
    if let Some(path) = extra {
        add(&mut roots, path)?;
    }
    if roots.is_empty() {
        tracing::warn!(
            "no certificate authorities found, all HTTPS requests will fail; install ca-certificates"
        );
    }
    // Explicit: a process-wide default provider would depend on initialisation order.
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// A TLS client that accepts every certificate: only for requests without secrets to a server of this
/// machine, whose certificate has another name.
///
/// # Errors
/// [`SetupError`] when TLS cannot be set up.
pub fn unverified_tls_connector() -> Result<TlsConnector, SetupError> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Accepts every certificate of a server that has its key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The name that a certificate of `host` must have.
pub(crate) fn server_name(host: &str) -> FetchResult<ServerName<'static>> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    ServerName::try_from(bare.to_owned()).map_err(|_| FetchError::BadUrl)
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
    if found { Ok(()) } else { Err(wrong("the file contains no certificate".to_owned())) }
}
