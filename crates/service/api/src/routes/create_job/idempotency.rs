//! The `Idempotency-Key` of a request.

use axum::http::HeaderMap;
use contract::FieldError;
use serde_json::Value;
use store::{IdempotencyKey, Store};

use crate::api_error::ApiResult;
use crate::body::canonical_hash;

const NAME: &str = "Idempotency-Key";
const MAX_LENGTH: usize = 255;

/// The value of the header; an error if it is invalid.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<&str>, FieldError> {
    let mut values = headers.get_all(NAME).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(FieldError::new(NAME, "must be given once"));
    }
    let printable = value.as_bytes().iter().all(|byte| (b' '..=b'~').contains(byte));
    match value.to_str() {
        Ok(text) if printable && (1..=MAX_LENGTH).contains(&text.len()) => Ok(Some(text)),
        Ok(_) | Err(_) => {
            let message = format!("must be from 1 to {MAX_LENGTH} printable ASCII characters");
            Err(FieldError::new(NAME, message))
        }
    }
}

/// Members of a body that hold secrets.
const SECRETS: [&str; 5] = ["headers", "cookies", "basic_auth", "bearer", "login"];

/// The secrets of `webhook` in the request.
const WEBHOOK_SECRETS: [&str; 2] = ["headers", "secret"];

/// The key with the hash of its body, which has a key if the body holds secrets.
pub(crate) fn of_body(
    key: Option<&str>,
    body: &Value,
    store: &Store,
) -> ApiResult<Option<IdempotencyKey>> {
    let Some(key) = key else { return Ok(None) };
    let plain = canonical_hash(body);
    let webhook = body.get("webhook");
    let has_secrets = SECRETS.iter().any(|name| body.get(name).is_some())
        || WEBHOOK_SECRETS.iter().any(|name| webhook.is_some_and(|one| one.get(name).is_some()));
    let body_hash = if has_secrets { store.hash_of_secrets(&plain)? } else { plain };
    Ok(Some(IdempotencyKey { key: key.to_owned(), body_hash }))
}
