//! A domain as clients list them for `contacts`.
//!
//! People paste whole addresses; what counts is the name in them.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::CanonicalUrl;
use crate::target::judge_name;

/// Why an entry is no domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DomainError {
    /// Nothing was given.
    #[error("the entry is empty; give a domain such as example.com")]
    Empty,
    /// No domain name.
    #[error("this is not a domain name; give one such as example.com")]
    NotAName,
    /// An address in place of a name.
    #[error("this is an IP address; give the domain name instead")]
    Address,
    /// An ending under which anybody registers names.
    #[error("this is a public suffix, not a domain; give one below it such as example.co.uk")]
    PublicSuffix,
    /// A name that can only be local.
    #[error("this name is for local use; give the name of a public website")]
    Local,
}

/// A domain: lower case, ASCII, without scheme, `www.`, port and path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Domain(String);

impl Domain {
    /// Reads a domain, or the domain of a pasted address.
    ///
    /// # Errors
    ///
    /// When the text holds no public domain name.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        Self::parse_knowing(text, |_| false)
    }

    /// As `parse`; `known_name` tells the names that the operator resolves
    /// itself: those may be local.
    ///
    /// # Errors
    ///
    /// When the text holds no domain name that may be visited.
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
        if !known_name(url.host()) && judge_name(url.host()).is_err() {
            let single = !url.host().contains('.') && url.host() != "localhost";
            return Err(if single { DomainError::NotAName } else { DomainError::Local });
        }
        if !known_name(url.host()) && is_public_suffix(url.host()) {
            return Err(DomainError::PublicSuffix);
        }
        Ok(Self(url.bare_host().to_owned()))
    }

    /// The domain as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether registries sell names below this one. Hosting services, whose names are sites of
/// their own as well, do not count.
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

    // What is read back was judged when it came in, with the operator's own names.
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
    fn the_name_counts() {
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
    fn what_is_no_domain_is_refused() {
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
        fn a_domain_stays_itself(text in "(https://)?[a-zA-Z0-9.üß/-]{1,20}") {
            if let Ok(domain) = Domain::parse(&text) {
                prop_assert_eq!(Domain::parse_knowing(domain.as_str(), |_| true), Ok(domain));
            }
        }
    }
}
