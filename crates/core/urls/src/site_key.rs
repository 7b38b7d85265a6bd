//! The key of a site: its host without `www.`, and a non-default port. Jobs on one site have equal keys.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CanonicalUrl;

/// The key of a site, as `example.com` or `example.com:8080`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteKey(String);

impl SiteKey {
    #[must_use]
    pub fn of(url: &CanonicalUrl) -> Self {
        Self(url.site_key().to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn www_scheme_and_default_port_do_not_change_the_key() {
        for (url, key) in [
            ("https://www.Example.com/a", "example.com"),
            ("http://example.com:80/", "example.com"),
            ("http://example.com:8080/b?c", "example.com:8080"),
            ("http://[::1]:9000/", "[::1]:9000"),
        ] {
            assert_eq!(SiteKey::of(&CanonicalUrl::parse(url).unwrap()).as_str(), key);
        }
    }
}
