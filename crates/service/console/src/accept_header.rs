//! The `Accept` header: pages for browsers, JSON for programs, Markdown for assistants.

use axum::http::{HeaderMap, header};

/// Whether the client accepts HTML.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Whether the client names Markdown and no HTML before it.
pub fn prefers_markdown(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let accepted = accepted.unwrap_or_default().to_ascii_lowercase();
    let position = |kind: &str| accepted.find(kind);
    match (position("text/markdown"), position("text/html")) {
        (Some(markdown), Some(page)) => markdown < page,
        (found, _) => found.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_for_clients_that_name_it_first() {
        for (accepted, expected) in [
            ("text/markdown", true),
            ("text/markdown, text/html;q=0.8, */*;q=0.1", true),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("text/html, text/markdown", false),
            ("*/*", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accepted.parse().expect("a value"));
            assert_eq!(prefers_markdown(&headers), expected, "{accepted}");
        }
    }
}
