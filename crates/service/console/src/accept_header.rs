//! The `Accept` header: pages for browsers, JSON for programs.

use axum::http::{HeaderMap, header};

/// Whether the client accepts HTML.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}
