//! What goes wrong on the way to an answer, in words that the engine can act on.
//!
//! A site's 404 is an answer and never stands here.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use contract::FetchFault;
use thiserror::Error;

/// Why there is no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// The name does not exist, or has no address.
    #[error("no such name")]
    NameNotFound,
    /// The name servers failed or stayed silent.
    #[error("name servers gave no answer")]
    NameServer,
    /// The name leads, all or in part, to an address that is not public or that the operator
    /// denies.
    #[error("address {0} is refused")]
    AddressRefused(IpAddr),
    /// No web server is asked on this port.
    #[error("port {0} is refused")]
    PortRefused(u16),
    /// The URL cannot be put into a request.
    #[error("not a URL that can be asked for")]
    BadUrl,
    /// No address of the host took the connection.
    #[error("no connection: {0}")]
    Connect(io::ErrorKind),
    /// The certificate or the handshake was not acceptable.
    #[error("tls: {0}")]
    Tls(String),
    /// A limit of time was reached.
    #[error("timed out: {0}")]
    TimedOut(Phase),
    /// This node had no memory for the body in time: no fault of the site.
    #[error("no memory for the body in time")]
    Busy,
    /// The connection ended in the middle of the answer, or before it.
    #[error("connection ended before the answer did")]
    CutOff,
    /// The body is larger than this many bytes after decoding.
    #[error("body is larger than {0} bytes")]
    TooLarge(usize),
    /// The headers are too long or too many.
    #[error("headers are too large")]
    HeadersTooLarge,
    /// The content encoding is unknown, doubled, or not what it claims to be.
    #[error("content encoding cannot be undone")]
    BadEncoding,
    /// What came back is not HTTP.
    #[error("not an HTTP answer")]
    Protocol,
    /// Whoever was to pass the protection for us did not serve.
    #[error("provider of the protected tier: {0}")]
    Provider(#[from] ProviderFault),
    /// The operator's egress proxy did not open a tunnel; the site was not asked.
    #[error("egress proxy: {0}")]
    Egress(ProviderFault),
    /// The browser could not show the page.
    #[error("renderer: {0}")]
    Renderer(#[from] RenderFault),
}

/// What is wrong with a provider of the protected tier, or with the egress proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ProviderFault {
    /// It cannot be reached.
    #[error("cannot be reached")]
    Unreachable,
    /// It answers that it will not serve.
    #[error("refuses with status {0}")]
    Refused(u16),
}

/// What went wrong in the browser, as opposed to the site.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenderFault {
    /// There is no browser: it does not start.
    #[error("no browser: {0}")]
    Unavailable(String),
    /// The browser ended in the middle of the page.
    #[error("the browser ended in the middle of the page")]
    BrowserGone,
    /// The page's process ended: it crashed, or took more memory than it may have.
    #[error("the page brought its process down")]
    Crashed,
    /// The browser took more memory or CPU time than it may, and was ended with the page.
    #[error("the browser took more memory or CPU time than it may")]
    OverLimit,
    /// The page's process gives no answer.
    #[error("the page does not let go of its process")]
    Hung,
    /// The page left for a place that cannot be asked for, and is gone.
    #[error("the page replaced itself with `{0}`")]
    Left(String),
    /// The browser gave up with a reason of its own.
    #[error("{0}")]
    Refused(String),
}

/// What took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Reaching an address of the host.
    Connect,
    /// The TLS handshake.
    Handshake,
    /// The wait for the head of the answer.
    FirstByte,
    /// The body came too slowly.
    Drip,
    /// All of it together.
    Whole,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Handshake => "tls handshake",
            Self::FirstByte => "waiting for the first byte",
            Self::Drip => "body came too slowly",
            Self::Whole => "whole answer",
        })
    }
}

impl FetchError {
    /// The word for it in a result.
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
                | RenderFault::Left(_)
                | RenderFault::Refused(_),
            ) => FetchFault::Http,
        }
    }

    /// Whether the other side can have got the request.
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

    /// Whether asking again may help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::NameServer | Self::Connect(_) | Self::TimedOut(_) | Self::CutOff => true,
            Self::Busy => true,
            Self::Provider(_) | Self::Egress(_) => true,
            // It was the browser, and the next one is fresh.
            Self::Renderer(RenderFault::Unavailable(_) | RenderFault::BrowserGone) => true,
            // It was the page, and would be again, at the same price.
            Self::Renderer(
                RenderFault::Crashed
                | RenderFault::OverLimit
                | RenderFault::Hung
                | RenderFault::Left(_)
                | RenderFault::Refused(_),
            ) => false,
            Self::NameNotFound
            | Self::AddressRefused(_)
            | Self::PortRefused(_)
            | Self::BadUrl
            | Self::Tls(_)
            | Self::TooLarge(_)
            | Self::HeadersTooLarge
            | Self::BadEncoding
            | Self::Protocol => false,
        }
    }
}

/// Why the fetcher cannot be set up: the operator's settings are wrong.
#[derive(Debug, Error)]
pub enum SetupError {
    /// An entry of the name table is not `name=ip` or `name=ip:port`.
    #[error("not an entry of the form name=ip:port: `{0}`")]
    NameEntry(String),
    /// The file with further certificate authorities cannot be read, or holds none.
    #[error("no certificates in {}: {cause}", path.display())]
    Authorities { path: PathBuf, cause: String },
    /// TLS cannot be set up.
    #[error("tls cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The resolver cannot be set up.
    #[error("resolver cannot be set up: {0}")]
    Resolver(String),
    /// The user agent is not a header value.
    #[error("not a user agent that can be sent: `{0}`")]
    UserAgent(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_retry_can_mend_is_retried() {
        assert!(FetchError::TimedOut(Phase::FirstByte).is_retryable());
        assert!(FetchError::CutOff.is_retryable());
        assert!(FetchError::Busy.is_retryable());
        assert!(!FetchError::AddressRefused([10, 0, 0, 1].into()).is_retryable());
        assert!(!FetchError::TooLarge(1).is_retryable());
    }
}
