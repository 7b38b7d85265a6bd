//! Tokens that the operator configures: for metrics and for registering applications.

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};

/// A configured token. Only its hash is stored, so that neither logs nor the time of a comparison
/// reveal it.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorToken([u8; 32]);

impl OperatorToken {
    #[must_use]
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether the request has it as `Authorization: Bearer`.
    pub(crate) fn matches(&self, headers: &HeaderMap) -> bool {
        let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = value.and_then(|value| value.split_once(' '));
        token.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && Self::new(token.trim()) == *self
        })
    }
}

runtime::partial_debug!(OperatorToken);
