//! An address in its one spelling.
//!
//! A `CanonicalUrl` is made only by parsing, and two texts that name one page
//! give equal values. Most addresses on the web are plain and take a short way
//! through; whatever is not goes through the WHATWG parser and ends the same.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::str::FromStr;

use ::url::Url;
use memchr::memchr;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::percent::{self, push_normalised};
use crate::session;

mod host;
mod query;
mod short_way;

use short_way::short_way;

/// The longest address that is kept, in bytes.
const MAX_BYTES: usize = 2_048;

/// The longest text that is looked at: tracking parameters may make an address
/// long that is short without them, but not without end.
const MAX_INPUT_BYTES: usize = 4 * MAX_BYTES;

/// Why a text is no address of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Not an absolute address, or not one that can be understood.
    #[error("this is not an absolute http or https address")]
    Syntax,
    /// A scheme other than http and https.
    #[error("only http and https addresses are supported")]
    Scheme,
    /// A user name or a password stands before the host.
    #[error("the address must not contain a user name or a password")]
    Credentials,
    /// The host is missing or is no name that could exist.
    #[error("the host of the address is not a valid name or IP address")]
    Host,
    /// Port 0, which nothing can listen on.
    #[error("port 0 cannot be connected to")]
    Port,
    /// Longer than 2,048 bytes.
    #[error("the address is longer than 2,048 bytes")]
    TooLong,
}

/// The address of a page, in its one spelling.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CanonicalUrl {
    text: String,
    host_end: u16,
    path_start: u16,
    /// Where the `?` stands; the length of the text when there is none.
    path_end: u16,
    /// 0 when the scheme's default port is meant.
    port: u16,
}

impl CanonicalUrl {
    /// Reads an absolute address.
    ///
    /// # Errors
    ///
    /// When the text is no http(s) address, or one that nothing can be fetched from.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = trimmed(text);
        if let Some(done) = short_way(None, text) {
            return done;
        }
        if text.len() > MAX_INPUT_BYTES {
            return Err(UrlError::TooLong);
        }
        Self::from_url(&Url::parse(text).map_err(cause)?)
    }

    /// Reads an address as it stands in a page at `self`: absolute or relative.
    ///
    /// # Errors
    ///
    /// When what results is no http(s) address.
    pub fn join(&self, href: &str) -> Result<Self, UrlError> {
        if let Some(beside) = self.plainly_joined(href) {
            return Ok(beside);
        }
        let href = trimmed(href);
        if let Some(done) = short_way(Some(self), href) {
            return done;
        }
        if href.len() > MAX_INPUT_BYTES {
            return Err(UrlError::TooLong);
        }
        let base = Url::parse(&self.text).map_err(cause)?;
        Self::from_url(&base.join(href).map_err(cause)?)
    }

    /// An address that this type wrote and that was kept as a text: its parts are found
    /// again, and nothing is looked at twice. `None` for what it cannot have written.
    #[must_use]
    pub fn kept(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http").filter(|_| text.len() <= MAX_BYTES)?;
        let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix("://")?;
        let host_start = text.len() - rest.len();
        let path_start = host_start + memchr(b'/', rest.as_bytes())?;
        let authority = text.get(host_start..path_start)?;
        let (host, port) = match authority.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (authority, 0),
        };
        let query = memchr(b'?', text.as_bytes().get(path_start..)?);
        Some(Self {
            host_end: offset(host_start + host.len()).ok()?,
            path_start: offset(path_start).ok()?,
            path_end: offset(query.map_or(text.len(), |at| path_start + at)).ok()?,
            port,
            text: text.to_owned(),
        })
    }

    /// The long way: from what the WHATWG parser made of a text.
    fn from_url(url: &Url) -> Result<Self, UrlError> {
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(UrlError::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::Credentials);
        }
        let host = host::accepted(url.host_str().unwrap_or_default()).ok_or(UrlError::Host)?;
        Self::assemble(secure, host, url.port(), &[url.path()], url.query())
    }

    /// Writes the one spelling. `path` is given in pieces, free of dot segments.
    fn assemble(
        secure: bool,
        host: &str,
        port: Option<u16>,
        path: &[&str],
        query: Option<&str>,
    ) -> Result<Self, UrlError> {
        let length: usize = path.iter().map(|piece| piece.len()).sum();
        let query_length = query.map_or(0, |query| query.len() + 1);
        let mut text = String::with_capacity(15 + host.len() + length + query_length);
        text.push_str(if secure { "https://" } else { "http://" });
        text.push_str(host);
        let host_end = text.len();
        let port = match port {
            Some(0) => return Err(UrlError::Port),
            Some(port) if port != default_port(secure) => {
                // Writing to a String cannot fail.
                let _ = write!(text, ":{port}");
                port
            }
            Some(_) | None => 0,
        };
        let path_start = text.len();
        for piece in path {
            push_normalised(&mut text, piece.as_bytes(), percent::PATH);
        }
        session::cut_from_path(&mut text, path_start);
        if text.len() == path_start {
            text.push('/');
        }
        let path_end = text.len();
        if let Some(query) = query {
            query::push(&mut text, query);
        }
        if text.len() > MAX_BYTES {
            return Err(UrlError::TooLong);
        }
        Ok(Self {
            text,
            host_end: offset(host_end)?,
            path_start: offset(path_start)?,
            path_end: offset(path_end)?,
            port,
        })
    }

    /// The whole address.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    #[inline]
    fn is_secure(&self) -> bool {
        self.text.as_bytes().get(4) == Some(&b's')
    }

    #[inline]
    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    #[inline]
    fn host_start(&self) -> usize {
        if self.is_secure() { 8 } else { 7 }
    }

    /// `http` or `https`.
    #[must_use]
    #[inline]
    pub fn scheme(&self) -> &str {
        if self.is_secure() { "https" } else { "http" }
    }

    /// The host, lower case and in ASCII; an IPv6 address stands in brackets.
    #[must_use]
    #[inline]
    pub fn host(&self) -> &str {
        self.slice(self.host_start(), self.host_end.into())
    }

    /// The host without a leading `www.`.
    #[must_use]
    #[inline]
    pub fn bare_host(&self) -> &str {
        host::without_www(self.host())
    }

    /// The host when it is an address itself.
    #[must_use]
    pub fn ip(&self) -> Option<IpAddr> {
        host::ip(self.host())
    }

    /// The port to connect to.
    #[must_use]
    #[inline]
    pub fn port(&self) -> u16 {
        self.explicit_port().unwrap_or_else(|| default_port(self.is_secure()))
    }

    /// The port when it is not the scheme's default.
    #[must_use]
    #[inline]
    pub fn explicit_port(&self) -> Option<u16> {
        (self.port != 0).then_some(self.port)
    }

    /// The path: at least `/`.
    #[must_use]
    #[inline]
    pub fn path(&self) -> &str {
        self.slice(self.path_start.into(), self.path_end.into())
    }

    /// What follows the `?`, never empty.
    #[must_use]
    #[inline]
    pub fn query(&self) -> Option<&str> {
        self.text.get(usize::from(self.path_end) + 1..)
    }

    /// Path and query, as a request names them.
    #[must_use]
    #[inline]
    pub fn path_and_query(&self) -> &str {
        self.slice(self.path_start.into(), self.text.len())
    }

    /// The same page without its query.
    #[must_use]
    pub fn without_query(&self) -> Self {
        Self { text: self.slice(0, self.path_end.into()).to_owned(), ..*self }
    }

    /// The same page with only those members of its query that `keep` names.
    #[must_use]
    pub(crate) fn with_members(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut url = self.without_query();
        let mut separator = '?';
        for member in self.query().into_iter().flat_map(|query| query.split('&')) {
            if keep(member) {
                url.text.push(separator);
                url.text.push_str(member);
                separator = '&';
            }
        }
        url
    }

    /// What two addresses of one page have in common: everything behind the
    /// scheme and a leading `www.`.
    #[must_use]
    #[inline]
    pub fn page_key(&self) -> &str {
        self.slice(usize::from(self.host_end) - self.bare_host().len(), self.text.len())
    }

    /// The part of `page_key` that names the site.
    #[inline]
    pub(crate) fn site_key(&self) -> &str {
        self.slice(usize::from(self.host_end) - self.bare_host().len(), self.path_start.into())
    }

    /// Scheme, host and port.
    #[must_use]
    #[inline]
    pub fn origin(&self) -> &str {
        self.slice(0, self.path_start.into())
    }
}

fn default_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

fn offset(at: usize) -> Result<u16, UrlError> {
    u16::try_from(at).map_err(|_| UrlError::TooLong)
}

fn cause(error: ::url::ParseError) -> UrlError {
    use ::url::ParseError as E;
    match error {
        E::EmptyHost
        | E::IdnaError
        | E::InvalidIpv4Address
        | E::InvalidIpv6Address
        | E::InvalidDomainCharacter => UrlError::Host,
        _ => UrlError::Syntax,
    }
}

/// Without what browsers ignore around an address, and without the fragment.
fn trimmed(text: &str) -> &str {
    let address = text.split_once('#').map_or(text, |(address, _)| address);
    address.trim_matches(|c: char| c <= ' ')
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.text)
    }
}

impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CanonicalUrl {}

impl Hash for CanonicalUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for CanonicalUrl {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CanonicalUrl {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl FromStr for CanonicalUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for CanonicalUrl {
    type Error = UrlError;

    fn try_from(text: String) -> Result<Self, UrlError> {
        Self::parse(&text)
    }
}

impl From<CanonicalUrl> for String {
    fn from(url: CanonicalUrl) -> String {
        url.text
    }
}

#[cfg(test)]
mod tests;
