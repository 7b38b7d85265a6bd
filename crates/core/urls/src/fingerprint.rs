//! 64-bit fingerprints of URLs, so that millions of known URLs fit into memory.
//!
//! The scheme and a leading `www.` do not change the fingerprint. Different pages may collide;
//! [`same_page`] compares exactly.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::CanonicalUrl;

/// The 64-bit hash of a page key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of the page at `url`.
    #[must_use]
    pub fn of(url: &CanonicalUrl) -> Self {
        Self::of_page_key(url.page_key())
    }

    /// The fingerprint of the page whose [`CanonicalUrl::page_key`] this is.
    #[must_use]
    pub fn of_page_key(key: &str) -> Self {
        Self(xxh3_64(key.as_bytes()))
    }

    /// The fingerprint of a sequence of words.
    #[must_use]
    pub fn of_words(words: &[&str]) -> Self {
        // Words contain no NUL, so that the separator is unambiguous.
        Self(xxh3_64(words.join("\0").as_bytes()))
    }
}

/// [`CanonicalUrl::page_key`] of a canonical URL that is stored as text.
#[must_use]
pub fn page_key(canonical: &str) -> &str {
    let rest = canonical.split_once("://").map_or(canonical, |(_, rest)| rest);
    match rest.strip_prefix("www.") {
        Some(bare) if bare.split([':', '/']).next().is_some_and(|host| host.contains('.')) => bare,
        _ => rest,
    }
}

/// Whether two canonical URLs are equal except for the scheme and a leading `www.`.
#[must_use]
pub fn same_page(a: &str, b: &str) -> bool {
    page_key(a) == page_key(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn scheme_and_www_do_not_change_the_fingerprint() {
        let page = url("https://example.com/a?b=1");
        for other in ["http://example.com/a?b=1", "https://www.example.com/a?b=1#x"] {
            assert_eq!(Fingerprint::of(&url(other)), Fingerprint::of(&page));
            assert!(same_page(url(other).as_str(), page.as_str()));
        }
        for other in [
            "https://example.com/a",
            "https://example.com:8080/a?b=1",
            "https://w.example.com/a?b=1",
        ] {
            assert_ne!(Fingerprint::of(&url(other)), Fingerprint::of(&page));
            assert!(!same_page(url(other).as_str(), page.as_str()));
        }
        assert!(same_page("http://www.example.com:8080/", "http://example.com:8080/"));
    }

    #[test]
    fn page_key_of_a_text_equals_that_of_its_url() {
        for text in [
            "https://www.example.com/a?b",
            "http://example.com:8080/",
            "http://www.com/a.b",
            "http://www.com:8080/",
            "http://[::1]:9000/www.",
            "http://127.0.0.1/",
        ] {
            assert_eq!(page_key(text), url(text).page_key());
        }
    }
}
