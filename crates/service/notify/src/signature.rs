//! The signature of a delivery: HMAC-SHA256 over the timestamp, a dot and the raw body.

use std::fmt;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use store::WebhookSecret;

/// The value of `X-Service-Signature`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Unix seconds of the attempt: a receiver can reject old requests.
    timestamp: i64,
    mac: String,
}

impl Signature {
    /// Name of the header with the signature.
    pub const HEADER: &'static str = "x-service-signature";

    /// Signs a body with a timestamp in Unix seconds.
    #[must_use]
    pub fn of(secret: &WebhookSecret, timestamp: i64, body: &[u8]) -> Self {
        // HMAC accepts keys of any length, so that this cannot fail.
        let mac = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()).map(|mut mac| {
            mac.update(timestamp.to_string().as_bytes());
            mac.update(b".");
            mac.update(body);
            HEXLOWER.encode(mac.finalize().into_bytes().as_slice())
        });
        Self { timestamp, mac: mac.unwrap_or_default() }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={},v1={}", self.timestamp, self.mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_the_hmac_of_timestamp_dot_body() {
        let secret = WebhookSecret::mint();
        let signature = Signature::of(&secret, 1_794_735_000, b"{}").to_string();
        // Compared with another implementation.
        let key = ring_key(&secret);
        let mac = ring::hmac::sign(&key, b"1794735000.{}");
        assert_eq!(signature, format!("t=1794735000,v1={}", HEXLOWER.encode(mac.as_ref())));
        assert_ne!(signature, Signature::of(&secret, 1_794_735_001, b"{}").to_string());
        assert_ne!(
            signature,
            Signature::of(&WebhookSecret::mint(), 1_794_735_000, b"{}").to_string()
        );
    }

    fn ring_key(secret: &WebhookSecret) -> ring::hmac::Key {
        ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.reveal().as_bytes())
    }
}
