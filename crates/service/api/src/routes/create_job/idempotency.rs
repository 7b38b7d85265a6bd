//! The `Idempotency-Key` of a request.

use axum::http::HeaderMap;
use contract::FieldError;

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
