//! A short name for a page, so that millions of known pages fit into memory.
//!
//! http and https, `www.` and the bare host give one fingerprint: they are one
//! site. Different pages may share one by accident; `same_page` rules that out.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::CanonicalUrl;

/// 64 bits that stand for a page.
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
}

/// Whether two addresses lead to one page: equal but for the scheme and `www.`.
#[must_use]
pub fn same_page(a: &CanonicalUrl, b: &CanonicalUrl) -> bool {
    a.page_key() == b.page_key()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn scheme_and_www_do_not_count() {
        let page = url("https://example.com/a?b=1");
        for twin in ["http://example.com/a?b=1", "https://www.example.com/a?b=1#x"] {
            assert_eq!(Fingerprint::of(&url(twin)), Fingerprint::of(&page));
            assert!(same_page(&url(twin), &page));
        }
        for other in [
            "https://example.com/a",
            "https://example.com:8080/a?b=1",
            "https://w.example.com/a?b=1",
        ] {
            assert_ne!(Fingerprint::of(&url(other)), Fingerprint::of(&page));
            assert!(!same_page(&url(other), &page));
        }
        assert!(same_page(&url("http://www.example.com:8080/"), &url("http://example.com:8080/")));
    }
}
