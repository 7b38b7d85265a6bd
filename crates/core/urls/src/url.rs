//! Canonical URLs.
//!
//! A `CanonicalUrl` is created only by parsing, and different spellings of one URL give equal values.
//! Most URLs are plain and take a fast path; all others go through the WHATWG parser, with the same
//! result.

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

mod fast_path;
mod host;
mod query;

use fast_path::fast_path;

/// Maximum length of a canonical URL in bytes.
const MAX_BYTES: usize = 2_048;

/// Maximum length of the input in bytes: a URL may be long only because of tracking parameters, which
/// are removed.
const MAX_INPUT_BYTES: usize = 4 * MAX_BYTES;

/// Why a text is no crawlable URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Not a valid absolute URL.
    #[error("not an absolute http or https URL")]
    Syntax,
    /// A scheme other than http and https.
    #[error("only http and https URLs are supported")]
    Scheme,
    /// A user name or a password before the host.
    #[error("the URL must not contain a user name or a password")]
    Credentials,
    /// The host is missing or no valid name.
    #[error("the host of the URL is not a valid name or IP address")]
    Host,
    /// Port 0, which nothing can listen on.
    #[error("port 0 cannot be connected to")]
    Port,
    /// Longer than 2,048 bytes.
    #[error("the URL is longer than 2,048 bytes")]
    TooLong,
}

/// The normalised spelling of an http(s) URL.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CanonicalUrl {
    text: String,
    host_end: u16,
    path_start: u16,
    /// Position of the `?`; the length of the text if there is none.
    path_end: u16,
    /// 0 for the default port of the scheme.
    port: u16,
}

impl CanonicalUrl {
    /// Parses an absolute URL.
    ///
    /// # Errors
    ///
    /// If the text is no http(s) URL, or nothing can be fetched from it.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = trim_and_cut_fragment(text);
        if let Some(done) = fast_path(None, text) {
            return done;
        }
        if text.len() > MAX_INPUT_BYTES {
            return Err(UrlError::TooLong);
        }
        Self::from_url(&Url::parse(text).map_err(cause)?)
    }

    /// Resolves an absolute or relative reference against `self`.
    ///
    /// # Errors
    ///
    /// If the result is no http(s) URL.
    pub fn join(&self, href: &str) -> Result<Self, UrlError> {
        // Many sites write their own links as absolute ones.
        let own_path = href.strip_prefix(self.origin()).filter(|path| path.starts_with('/'));
        if let Some(joined) = self.join_plain_path(own_path.unwrap_or(href)) {
            return Ok(joined);
        }
        let href = trim_and_cut_fragment(href);
        if let Some(done) = fast_path(Some(self), href) {
            return done;
        }
        if href.len() > MAX_INPUT_BYTES {
            return Err(UrlError::TooLong);
        }
        let base = Url::parse(&self.text).map_err(cause)?;
        Self::from_url(&base.join(href).map_err(cause)?)
    }

    /// Restores a URL from the text of [`Self::as_str`] without validation. `None` if this type cannot
    /// have written the text.
    #[must_use]
    pub fn kept(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http").filter(|_| text.len() <= MAX_BYTES)?;
        let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix("://")?;
        let host_start = text.len() - rest.len();
        let path_start = host_start + memchr(b'/', rest.as_bytes())?;
        let authority = text.get(host_start..path_start)?;
        let (host, port) = match authority.rsplit_once(':') {
            // The colons of an IPv6 address are in brackets.
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

    /// The slow path: from the result of the WHATWG parser.
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

    /// Writes the canonical spelling. `path` is given in pieces without dot segments.
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
        session::remove_from_path(&mut text, path_start);
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

    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text with the query parameters in the order of `href`, the reference that it was made
    /// from: for readers, who expect the link as the page has it.
    #[must_use]
    pub fn in_order_of(&self, href: &str) -> String {
        let own = self.text.get(self.path_end.into()..).unwrap_or_default();
        let written = trim_and_cut_fragment(href).split_once('?').map(|(_, query)| query);
        let Some(written) = written.filter(|_| memchr(b'&', own.as_bytes()).is_some()) else {
            return self.text.clone();
        };
        let mut text = String::with_capacity(self.text.len());
        text.push_str(self.slice(0, self.path_end.into()));
        query::push_in_order(&mut text, written);
        // Another length: the reference has characters that the URL parser removes.
        if text.len() == self.text.len() { text } else { self.text.clone() }
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

    #[must_use]
    #[inline]
    pub fn scheme(&self) -> &str {
        if self.is_secure() { "https" } else { "http" }
    }

    /// The host in lower-case ASCII; an IPv6 address is in brackets.
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

    /// The host as an IP address, if it is one.
    #[must_use]
    pub fn ip(&self) -> Option<IpAddr> {
        host::ip(self.host())
    }

    /// The port, explicit or by default.
    #[must_use]
    #[inline]
    pub fn port(&self) -> u16 {
        self.explicit_port().unwrap_or_else(|| default_port(self.is_secure()))
    }

    /// The port if it is not the default of the scheme.
    #[must_use]
    #[inline]
    pub fn explicit_port(&self) -> Option<u16> {
        (self.port != 0).then_some(self.port)
    }

    /// The path, at least `/`.
    #[must_use]
    #[inline]
    pub fn path(&self) -> &str {
        self.slice(self.path_start.into(), self.path_end.into())
    }

    /// The text after the `?`, never empty.
    #[must_use]
    #[inline]
    pub fn query(&self) -> Option<&str> {
        self.text.get(usize::from(self.path_end) + 1..)
    }

    /// Path and query, as in a request line.
    #[must_use]
    #[inline]
    pub fn path_and_query(&self) -> &str {
        self.slice(self.path_start.into(), self.text.len())
    }

    /// The URL without its query.
    #[must_use]
    pub fn without_query(&self) -> Self {
        Self { text: self.slice(0, self.path_end.into()).to_owned(), ..*self }
    }

    /// The URL with only those query parameters that `keep` accepts.
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

    /// The text after the scheme and a leading `www.`, which is equal for all spellings of a page.
    #[must_use]
    #[inline]
    pub fn page_key(&self) -> &str {
        self.slice(usize::from(self.host_end) - self.bare_host().len(), self.text.len())
    }

    /// Host and port without a leading `www.`.
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

/// Removes the fragment, and surrounding white space and control characters.
fn trim_and_cut_fragment(text: &str) -> &str {
    let end = memchr(b'#', text.as_bytes()).unwrap_or(text.len());
    let address = text.get(..end).unwrap_or(text);
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
