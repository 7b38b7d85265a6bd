//! Who asks: a person with a browser, or a program.

use axum::http::{HeaderMap, header};

/// Whether a person asks, rather than a program.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}
