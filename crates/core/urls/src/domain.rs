//! Domains as clients list them for mode `contacts`. A pasted URL is accepted and reduced to its domain.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::CanonicalUrl;
use crate::target::check_public_name;

/// Why an entry is no valid domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DomainError {
    #[error("the entry is empty; give a domain such as example.com")]
    Empty,
    /// The entry is no domain name.
    #[error("this is not a domain name; give one such as example.com")]
    NotAName,
    /// An IP address instead of a name.
    #[error("this is an IP address; give the domain name instead")]
    Address,
    /// A public suffix, below which names are registered.
    #[error("this is a public suffix, not a domain; give one below it such as example.co.uk")]
    PublicSuffix,
    /// A name for local use only.
    #[error("this name is for local use; give the name of a public website")]
    Local,
}

/// A domain: lower case, ASCII, without scheme, `www.`, port and path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Domain(String);

impl Domain {
    /// Parses a domain or the domain of a URL.
    ///
    /// # Errors
    ///
    /// If the text has no public domain name.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        Self::parse_knowing(text, |_| false)
    }

    /// Like [`Self::parse`]; `known_name` accepts the names of the operator's name table, which may be
    /// local.
    ///
    /// # Errors
    ///
    /// If the text has no domain name that may be visited.
    pub fn parse_knowing(
        text: &str,
        known_name: impl Fn(&str) -> bool,
    ) -> Result<Self, DomainError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(DomainError::Empty);
        }
        let name = without_scheme(text)?;
        let end = name.find(['/', '?', '#']).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default();
        if name.contains(|c: char| c.is_control() || c.is_whitespace() || "\\@%[]".contains(c)) {
            return Err(DomainError::NotAName);
        }
        let url =
            CanonicalUrl::parse(&format!("http://{name}/")).map_err(|_| DomainError::NotAName)?;
        if url.ip().is_some() {
            return Err(DomainError::Address);
        }
        if !known_name(url.host()) && check_public_name(url.host()).is_err() {
            let single = !url.host().contains('.') && url.host() != "localhost";
            return Err(if single { DomainError::NotAName } else { DomainError::Local });
        }
        if !known_name(url.host()) && is_public_suffix(url.host()) {
            return Err(DomainError::PublicSuffix);
        }
        Ok(Self(url.bare_host().to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether this is an ICANN suffix of the public suffix list. Suffixes of hosting services do not count,
/// because they are sites as well.
fn is_public_suffix(host: &str) -> bool {
    psl::suffix(host.as_bytes())
        .is_some_and(|suffix| suffix.typ() == Some(psl::Type::Icann) && suffix == host)
}

fn without_scheme(text: &str) -> Result<&str, DomainError> {
    match text.split_once("://") {
        None => Ok(text.strip_prefix("//").unwrap_or(text)),
        Some((scheme, rest))
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            Ok(rest)
        }
        Some(_) => Err(DomainError::NotAName),
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Domain {
    type Error = DomainError;

    // A stored domain was validated when it was created, with the operator's name table.
    fn try_from(text: String) -> Result<Self, DomainError> {
        Self::parse_knowing(&text, |_| true)
    }
}

impl From<Domain> for String {
    fn from(domain: Domain) -> String {
        domain.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn domain_is_extracted_and_normalised() {
        for (text, domain) in [
            ("example.com", "example.com"),
            (" WWW.Example.COM. ", "example.com"),
            ("https://www.example.com/about?x#y", "example.com"),
            ("//example.com/", "example.com"),
            ("example.com:8080", "example.com"),
            ("Bücher.example", "xn--bcher-kva.example"),
            ("shop.example.co.uk/a:b@c", "shop.example.co.uk"),
            ("www.com", "www.com"),
            ("someone.github.io", "someone.github.io"),
            ("github.io", "github.io"),
            ("www.gov.uk", "gov.uk"),
            ("example.co.uk:443/x?y", "example.co.uk"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(Domain::parse(text).map(String::from).as_deref(), Ok(domain), "{text}");
        }
    }

    #[test]
    fn invalid_domains_are_rejected() {
        for (text, why) in [
            ("  ", DomainError::Empty),
            ("example", DomainError::NotAName),
            ("exa mple.com", DomainError::NotAName),
            ("info@example.com", DomainError::NotAName),
            ("ftp://example.com", DomainError::NotAName),
            ("a..b", DomainError::NotAName),
            ("-", DomainError::NotAName),
            ("https://", DomainError::NotAName),
            ("127.0.0.1", DomainError::Address),
            ("8.8.8.8", DomainError::Address),
            ("2130706433", DomainError::Address),
            ("[::1]", DomainError::NotAName),
            ("192.168.0.1:8080", DomainError::Address),
            ("com", DomainError::NotAName),
            ("co.uk", DomainError::PublicSuffix),
            ("https://com.br/", DomainError::PublicSuffix),
            ("intranet.internal", DomainError::Local),
            ("localhost", DomainError::Local),
            ("printer.local", DomainError::Local),
        ] {
            assert_eq!(Domain::parse(text), Err(why), "{text}");
        }
        assert!(Domain::parse_knowing("shop.local", |name| name == "shop.local").is_ok());
    }

    proptest! {
        #[test]
        fn parsed_domain_parses_to_itself(text in "(https://)?[a-zA-Z0-9.üß/-]{1,20}") {
            if let Ok(domain) = Domain::parse(&text) {
                prop_assert_eq!(Domain::parse_knowing(domain.as_str(), |_| true), Ok(domain));
            }
        }
    }
}
