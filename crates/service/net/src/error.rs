//! Errors of a request, as the engine distinguishes them.
//!
//! An HTTP status is no error: a 404 is a response.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use contract::FetchFault;
use thiserror::Error;

/// Why a request has no usable response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// The name does not exist, or has no address.
    #[error("host name not found (DNS)")]
    NameNotFound,
    /// The name servers failed or did not respond.
    #[error("DNS lookup failed: name servers did not answer")]
    NameServer,
    /// One of the addresses of the host is not public, or the operator denies it.
    #[error("address {0} is refused")]
    AddressRefused(IpAddr),
    /// The port belongs to another protocol, for example a database.
    #[error("port {0} is refused")]
    PortRefused(u16),
    /// The URL or a header cannot be sent.
    #[error("invalid URL")]
    BadUrl,
    /// No address of the host accepted a connection.
    #[error("connection failed: {0}")]
    Connect(io::ErrorKind),
    /// Invalid certificate or failed handshake.
    #[error("TLS error: {0}")]
    Tls(String),
    #[error("timeout: {0}")]
    TimedOut(Phase),
    /// This node had no memory for the body before the deadline: no failure of the site.
    #[error("timeout while waiting for memory for the body")]
    Busy,
    /// The connection was closed before the response was complete.
    #[error("connection closed before the response was complete")]
    CutOff,
    /// The body is larger than this many bytes after decoding.
    #[error("body is larger than {0} bytes")]
    TooLarge(usize),
    /// The response headers are too large or too many.
    #[error("response headers are too large")]
    HeadersTooLarge,
    /// The content encoding is unknown, applied twice, or the body is corrupt.
    #[error("cannot decode the content encoding")]
    BadEncoding,
    /// The response is no valid HTTP.
    #[error("invalid HTTP response")]
    Protocol,
    /// The provider of the protected tier failed.
    #[error("provider of the protected tier: {0}")]
    Provider(#[from] ProviderFault),
    /// The operator's egress proxy did not open a tunnel; no request reached the site.
    #[error("egress proxy: {0}")]
    Egress(ProviderFault),
    /// The browser could not render the page.
    #[error("renderer: {0}")]
    Renderer(#[from] RenderFault),
}

/// What fetching returns, and the steps of it.
pub type FetchResult<T> = Result<T, FetchError>;

/// Failure of a provider of the protected tier, or of the egress proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ProviderFault {
    #[error("unreachable")]
    Unreachable,
    /// It refused the request with this status.
    #[error("refused with status {0}")]
    Refused(u16),
}

/// Failures of the browser, as opposed to failures of the site.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderFault {
    /// The browser does not start.
    #[error("browser does not start: {0}")]
    Unavailable(String),
    /// The browser process ended while it rendered the page.
    #[error("browser process ended while rendering")]
    BrowserGone,
    /// The process of the page crashed, or exceeded its memory limit.
    #[error("renderer process crashed")]
    Crashed,
    /// The browser exceeded its memory or CPU limit and was killed with the page.
    #[error("browser exceeded its memory or CPU limit")]
    OverLimit,
    /// The process of the page does not respond.
    #[error("page does not respond")]
    Hung,
    /// The page navigated to a URL that cannot be fetched.
    #[error("page navigated away to `{0}`")]
    NavigatedAway(String),
    /// The browser refused to load the page, with its own error text.
    #[error("{0}")]
    Refused(String),
}

/// The part of a request that timed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    Connect,
    Handshake,
    /// Waiting for the response headers.
    FirstByte,
    /// The body was slower than the minimum rate.
    Drip,
    Whole,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Handshake => "TLS handshake",
            Self::FirstByte => "waiting for the first byte",
            Self::Drip => "body too slow",
            Self::Whole => "whole request",
        })
    }
}

impl FetchError {
    /// The fault as reported in results.
    #[must_use]
    pub fn fault(&self) -> FetchFault {
        match self {
            Self::NameNotFound | Self::NameServer => FetchFault::Dns,
            Self::AddressRefused(_) | Self::PortRefused(_) => FetchFault::Dns,
            Self::Connect(_) | Self::CutOff | Self::Provider(_) | Self::Egress(_) => {
                FetchFault::Connect
            }
            Self::Tls(_) => FetchFault::Tls,
            Self::TimedOut(_) | Self::Busy => FetchFault::Timeout,
            Self::TooLarge(_) => FetchFault::TooLarge,
            Self::BadEncoding => FetchFault::BadEncoding,
            Self::BadUrl | Self::HeadersTooLarge | Self::Protocol => FetchFault::Http,
            Self::Renderer(RenderFault::Hung) => FetchFault::Timeout,
            Self::Renderer(RenderFault::Unavailable(_) | RenderFault::BrowserGone) => {
                FetchFault::Connect
            }
            Self::Renderer(
                RenderFault::Crashed
                | RenderFault::OverLimit
                | RenderFault::NavigatedAway(_)
                | RenderFault::Refused(_),
            ) => FetchFault::Http,
        }
    }

    /// Whether the server may have received the request.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        match self {
            Self::NameNotFound
            | Self::NameServer
            | Self::AddressRefused(_)
            | Self::PortRefused(_)
            | Self::BadUrl
            | Self::Connect(_)
            | Self::Tls(_)
            | Self::Egress(_)
            | Self::TimedOut(Phase::Connect | Phase::Handshake) => false,
            Self::Busy
            | Self::TimedOut(Phase::FirstByte | Phase::Drip | Phase::Whole)
            | Self::CutOff
            | Self::TooLarge(_)
            | Self::HeadersTooLarge
            | Self::BadEncoding
            | Self::Protocol
            | Self::Provider(_)
            | Self::Renderer(_) => true,
        }
    }
}

/// Invalid settings of a fetcher.
#[derive(Debug, Error)]
pub enum SetupError {
    /// An entry of the name table is not `name=ip` or `name=ip:port`.
    #[error("invalid entry of the name table, expected name=ip:port: `{0}`")]
    NameEntry(String),
    /// The file with additional certificate authorities is unreadable or has none.
    #[error("cannot read certificates from {}: {cause}", path.display())]
    Authorities { path: PathBuf, cause: String },
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error("cannot set up the DNS resolver: {0}")]
    Resolver(String),
    /// The user agent is no valid header value.
    #[error("invalid user agent: `{0}`")]
    UserAgent(String),
}
