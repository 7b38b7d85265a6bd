//! The signature of a delivery: HMAC-SHA256 over the timestamp, a dot and the raw body.

use std::fmt;

use data_encoding::HEXLOWER;
use ring::hmac;
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
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
        let mut mac = hmac::Context::with_key(&key);
        mac.update(format!("{timestamp}.").as_bytes());
        mac.update(body);
        Self { timestamp, mac: HEXLOWER.encode(mac.sign().as_ref()) }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={},v1={}", self.timestamp, self.mac)
    }
}

#[cfg(test)]
mod tests {
    use ring::digest::{SHA256, digest};

    use super::*;

    #[test]
    fn signature_is_the_hmac_of_timestamp_dot_body() {
        let secret = WebhookSecret::mint();
        let signature = Signature::of(&secret, 1_794_735_000, b"{}").to_string();
        let mac = HEXLOWER.encode(&hmac_sha256(secret.reveal().as_bytes(), b"1794735000.{}"));
        assert_eq!(signature, format!("t=1794735000,v1={mac}"));
        assert_ne!(signature, Signature::of(&secret, 1_794_735_001, b"{}").to_string());
        assert_ne!(
            signature,
            Signature::of(&WebhookSecret::mint(), 1_794_735_000, b"{}").to_string()
        );
    }

    /// HMAC-SHA256 as RFC 2104 defines it, for keys of at most 64 bytes.
    fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
        let pad = |byte: u8| {
            let key = key.iter().chain(std::iter::repeat(&0)).take(64);
            key.map(move |key| key ^ byte).collect::<Vec<u8>>()
        };
        let hash = |start: Vec<u8>, rest: &[u8]| {
            digest(&SHA256, &[start.as_slice(), rest].concat()).as_ref().to_vec()
        };
        hash(pad(0x5c), &hash(pad(0x36), message))
    }
}
