//! TLS of the server: certificate and key, which can be replaced while connections go on.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use rustls::crypto::ring;
use rustls::{InconsistentKeys, ServerConfig, sign::CertifiedKey};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use webpki::{EndEntityCert, KeyUsage};

/// The protocols that a client can choose (ALPN), the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Maximum certificates of a chain; more are no chain of a server.
const MAX_CHAIN: usize = 16;

/// Why certificate and key cannot be used.
#[derive(Debug, Error)]
pub enum ServerTlsError {
    /// The certificate file has no certificate in PEM.
    #[error("the certificate file has no certificate in PEM")]
    NoCertificate,
    /// The certificate file is too long.
    #[error(
        "the certificate file has more than {MAX_CHAIN} certificates: it is no chain of a server"
    )]
    LongChain,
    /// A certificate is damaged.
    #[error("the certificate file has an invalid certificate: {0}")]
    BadCertificate(String),
    /// The key file has no usable key.
    #[error("the key file has no private key in PEM without a password: {0}")]
    NoKey(String),
    /// Certificate and key are of different pairs.
    #[error("the key is not that of the first certificate in the certificate file")]
    WrongKey,
    /// The TLS library refuses both.
    #[error("certificate and key cannot be used: {0}")]
    Refused(#[from] rustls::Error),
}

/// The certificate that new connections get. Clones share it.
#[derive(Debug, Clone)]
pub struct ServerTls(Arc<RwLock<ServedCertificate>>);

#[derive(Debug)]
struct ServedCertificate {
    config: Arc<ServerConfig>,
    facts: CertificateFacts,
}

/// What the first certificate of a chain says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Seconds since 1970 between which it is valid.
    pub not_before: u64,
    pub not_after: u64,
    certificate: Vec<u8>,
}

impl ServerTls {
    /// TLS with a chain of certificates and the key of the first one, both in PEM.
    ///
    /// # Errors
    /// [`ServerTlsError`] with the reason why clients could not use them.
    pub fn new(chain: &[u8], key: &[u8]) -> Result<Self, ServerTlsError> {
        Ok(Self(Arc::new(RwLock::new(ServedCertificate::new(chain, key)?))))
    }

    /// Uses another certificate for new connections.
    ///
    /// # Errors
    /// [`ServerTlsError`]; the certificate before remains in use.
    pub fn replace(&self, chain: &[u8], key: &[u8]) -> Result<(), ServerTlsError> {
        let served = ServedCertificate::new(chain, key)?;
        *self.0.write() = served;
        Ok(())
    }

    /// The certificate in use.
    #[must_use]
    pub fn facts(&self) -> CertificateFacts {
        self.0.read().facts.clone()
    }

    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = Arc::clone(&self.0.read().config);
        TlsAcceptor::from(config).accept(stream).await
    }
}

impl ServedCertificate {
    fn new(chain: &[u8], key: &[u8]) -> Result<Self, ServerTlsError> {
        let mut certificates = Vec::new();
        for certificate in CertificateDer::pem_slice_iter(chain) {
            let certificate =
                certificate.map_err(|error| ServerTlsError::BadCertificate(error.to_string()))?;
            certificates.push(certificate);
            if certificates.len() > MAX_CHAIN {
                return Err(ServerTlsError::LongChain);
            }
        }
        let first = certificates.first().ok_or(ServerTlsError::NoCertificate)?;
        let facts = CertificateFacts::of(first)?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| ServerTlsError::NoKey(error.to_string()))?;
        let provider = Arc::new(ring::default_provider());
        match CertifiedKey::from_der(certificates.clone(), key.clone_key(), &provider) {
            Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
                return Err(ServerTlsError::WrongKey);
            }
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        // TLS 1.2 and 1.3.
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(certificates, key)?;
        config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
        Ok(Self { config: Arc::new(config), facts })
    }
}

impl CertificateFacts {
    fn of(certificate: &CertificateDer<'_>) -> Result<Self, ServerTlsError> {
        let bad = |error: webpki::Error| ServerTlsError::BadCertificate(error.to_string());
        let parsed = EndEntityCert::try_from(certificate).map_err(bad)?;
        // The dates are in the errors at times when no certificate is valid. They are checked before the
        // issuer, which is unknown here.
        let at = |seconds| {
            let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            let usage = KeyUsage::server_auth();
            match parsed.verify_for_usage(&[], &[], &[], time, usage, None, None) {
                Err(webpki::Error::CertNotValidYet { not_before, .. }) => Ok(not_before.as_secs()),
                Err(webpki::Error::CertExpired { not_after, .. }) => Ok(not_after.as_secs()),
                Err(error @ webpki::Error::InvalidCertValidity) => Err(bad(error)),
                Ok(_) | Err(_) => Ok(seconds),
            }
        };
        // 9999-12-31T23:59:59Z is "no end" (RFC 5280 section 4.1.2.5).
        let (not_before, not_after) = (at(0)?, at(253_402_300_800)?);
        Ok(Self { not_before, not_after, certificate: certificate.as_ref().to_vec() })
    }

    /// Whether clients accept the certificate for this host name or address.
    #[must_use]
    pub fn is_valid_for(&self, host: &str) -> bool {
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let certificate = CertificateDer::from(self.certificate.as_slice());
        let (Ok(parsed), Ok(name)) =
            (EndEntityCert::try_from(&certificate), ServerName::try_from(bare))
        else {
            return false;
        };
        parsed.verify_is_valid_for_subject_name(&name).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    /// Certificate and key in PEM.
    fn pair(names: &[&str]) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut parameters = CertificateParams::new(names).expect("names");
        parameters.not_before = date_time_ymd(2026, 1, 1);
        parameters.not_after = date_time_ymd(2027, 1, 1);
        (parameters.self_signed(&key).expect("signed").pem(), key.serialize_pem())
    }

    #[test]
    fn certificate_facts_are_read() {
        let (certificate, key) = pair(&["crawl.example.com", "*.example.org", "127.0.0.1"]);
        let facts = ServerTls::new(certificate.as_bytes(), key.as_bytes()).expect("valid").facts();
        assert_eq!((facts.not_before, facts.not_after), (1_767_225_600, 1_798_761_600));
        for (host, is_valid) in [
            ("crawl.example.com", true),
            ("a.example.org", true),
            ("127.0.0.1", true),
            ("example.com", false),
            ("[::1]", false),
            ("", false),
        ] {
            assert_eq!(facts.is_valid_for(host), is_valid, "{host:?}");
        }
    }

    #[test]
    fn unusable_files_are_refused_with_their_reason_and_change_nothing() {
        let (certificate, key) = pair(&["a.test"]);
        let (other, other_key) = pair(&["b.test"]);
        let tls = ServerTls::new(certificate.as_bytes(), key.as_bytes()).expect("valid");
        let before = tls.facts();
        let half = &certificate[..certificate.len() / 2];
        let many = certificate.repeat(MAX_CHAIN + 1);
        for (chain, key, said) in [
            ("", key.as_str(), "no certificate"),
            (key.as_str(), key.as_str(), "no certificate"),
            (half, &key, "certificate"),
            (&many, &key, "more than 16"),
            (&certificate, "", "no private key"),
            (&certificate, &certificate, "no private key"),
            (&certificate, &other_key, "not that of the first certificate"),
            (&other, &key, "not that of the first certificate"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &key, "invalid"),
        ] {
            let error = tls.replace(chain.as_bytes(), key.as_bytes()).expect_err(said);
            assert!(error.to_string().contains(said), "{error}");
        }
        assert_eq!(tls.facts(), before);
        tls.replace(other.as_bytes(), other_key.as_bytes()).expect("another pair");
        assert!(tls.facts().is_valid_for("b.test"));
    }
}
