//! `error` of an item in mode `links`.

use crate::string_enum::string_enum;

string_enum! {
    /// Why a URL gave no usable response.
    pub enum FetchFault {
        /// The host could not be resolved, or its address must not be crawled.
        Dns = "dns",
        /// No connection, or the connection was lost.
        Connect = "connect",
        /// The certificate or the TLS handshake failed.
        Tls = "tls",
        /// The request timed out.
        Timeout = "timeout",
        /// The body exceeded the size limit.
        TooLarge = "too_large",
        /// The body could not be decoded.
        BadEncoding = "bad_encoding",
        /// Redirects loop or are too many.
        RedirectLoop = "redirect_loop",
        /// robots.txt forbids it; it was not requested.
        Robots = "robots",
        /// Bot protection responded instead of the page.
        Blocked = "blocked",
        /// The response was not valid HTTP.
        Http = "http",
        /// Parsing exceeded the CPU or memory budget of a page.
        TooComplex = "too_complex",
    }
}
