//! Why a URL, or a whole site, gave no usable response.

use serde::{Deserialize, Deserializer};

use crate::FetchFault;
use crate::string_enum::string_enum;

string_enum! {
    /// Why a URL, or a whole site, gave no usable response.
    pub enum FailureCause {
        /// The host name does not exist, or its name servers do not answer.
        DnsFailed = "dns_failed",
        /// The host name resolves to an address that may not be crawled.
        AddressRefused = "address_refused",
        /// The host refuses connections: nothing listens on this port.
        ConnectionRefused = "connection_refused",
        /// No connection, or it was reset or closed before the response was complete.
        ConnectionFailed = "connection_failed",
        /// The certificate is invalid, or the TLS handshake failed.
        TlsFailed = "tls_failed",
        /// The host did not answer in time, or sent the response too slowly.
        TimedOut = "timed_out",
        /// The body exceeds the size limit of a page.
        TooLarge = "too_large",
        /// The body cannot be decoded.
        BadEncoding = "bad_encoding",
        /// Redirects loop, or are too many.
        RedirectLoop = "redirect_loop",
        /// robots.txt forbids it or cannot be read; it was not requested.
        Robots = "robots",
        /// Bot protection, a rate limit or the denylist of this service.
        Blocked = "blocked",
        /// The response has a status of 400 or above.
        HttpStatus = "http_status",
        /// The response is no valid HTTP.
        InvalidHttp = "invalid_http",
        /// Reading it exceeded the CPU or memory budget of a page.
        TooComplex = "too_complex",
        /// The browser failed to render the page.
        BrowserFailed = "browser_failed",
        /// An action of the request could not be executed in the page.
        ActionFailed = "action_failed",
        /// This service could not send the request: its provider, browser or network was unavailable.
        ServiceUnavailable = "service_unavailable",
        /// An internal error of this service.
        InternalError = "internal_error",
    }
}

impl FailureCause {
    /// The coarser value of `error` of an item.
    #[must_use]
    pub const fn fault(self) -> FetchFault {
        match self {
            Self::DnsFailed | Self::AddressRefused => FetchFault::Dns,
            Self::ConnectionRefused | Self::ConnectionFailed | Self::ServiceUnavailable => {
                FetchFault::Connect
            }
            Self::TlsFailed => FetchFault::Tls,
            Self::TimedOut => FetchFault::Timeout,
            Self::TooLarge => FetchFault::TooLarge,
            Self::BadEncoding => FetchFault::BadEncoding,
            Self::RedirectLoop => FetchFault::RedirectLoop,
            Self::Robots => FetchFault::Robots,
            Self::Blocked => FetchFault::Blocked,
            Self::TooComplex => FetchFault::TooComplex,
            Self::HttpStatus
            | Self::InvalidHttp
            | Self::BrowserFailed
            | Self::ActionFailed
            | Self::InternalError => FetchFault::Http,
        }
    }

    /// The words for a sentence that begins with "the site cannot be reached".
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::DnsFailed => "its name servers do not answer (DNS)",
            Self::AddressRefused => "its address may not be crawled",
            Self::ConnectionRefused => "it refuses connections, as if no server runs there",
            Self::ConnectionFailed => "connections to it fail or are reset",
            Self::TlsFailed => "its certificate is invalid or the TLS handshake fails",
            Self::TimedOut => "it does not answer in time",
            Self::TooLarge => "its pages exceed the size limit",
            Self::BadEncoding => "its pages cannot be decoded",
            Self::RedirectLoop => "its redirects loop",
            Self::Robots => "its robots.txt forbids it",
            Self::Blocked => "it is blocked",
            Self::HttpStatus => "it answers with errors",
            Self::InvalidHttp => "its responses are no valid HTTP",
            Self::TooComplex => "its pages are too complex",
            Self::BrowserFailed => "the browser fails on its pages",
            Self::ActionFailed => "an action fails in its pages",
            Self::ServiceUnavailable => "this service could not send requests",
            Self::InternalError => "of an internal error of this service",
        }
    }
}

/// Reads a stored cause. Rows of version 0.1 have the values of [`FetchFault`].
pub(crate) fn stored<'de, D: Deserializer<'de>>(from: D) -> Result<Option<FailureCause>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredCause {
        Cause(FailureCause),
        Fault(FetchFault),
    }
    let stored = Option::<StoredCause>::deserialize(from)?;
    Ok(stored.map(|stored| match stored {
        StoredCause::Cause(cause) => cause,
        StoredCause::Fault(fault) => match fault {
            FetchFault::Dns => FailureCause::DnsFailed,
            FetchFault::Connect => FailureCause::ConnectionFailed,
            FetchFault::Tls => FailureCause::TlsFailed,
            FetchFault::Timeout => FailureCause::TimedOut,
            FetchFault::TooLarge => FailureCause::TooLarge,
            FetchFault::BadEncoding => FailureCause::BadEncoding,
            FetchFault::RedirectLoop => FailureCause::RedirectLoop,
            FetchFault::Robots => FailureCause::Robots,
            FetchFault::Blocked => FailureCause::Blocked,
            FetchFault::Http => FailureCause::HttpStatus,
            FetchFault::TooComplex => FailureCause::TooComplex,
        },
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::SkippedUrl;

    #[test]
    fn causes_of_version_0_1_are_read() {
        let row = |cause| json!({"url": "https://a.test/", "reason": "broken", "found_on": null, "cause": cause});
        let cause = |text: &str| serde_json::from_value::<SkippedUrl>(row(json!(text)));
        let read: Vec<_> = FetchFault::NAMES
            .iter()
            .map(|name| cause(name).expect("a row").cause.expect("a cause").fault().as_str())
            .collect();
        assert_eq!(read, FetchFault::NAMES);
        let refused = cause("connection_refused").expect("a row");
        assert_eq!(refused.cause, Some(FailureCause::ConnectionRefused));
        let none: SkippedUrl = serde_json::from_value(row(json!(null))).expect("a row");
        assert_eq!(none.cause, None);
        assert!(cause("of no kind").is_err());
    }
}
