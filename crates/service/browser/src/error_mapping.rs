//! Maps network errors of Chromium to [`FetchError`].

use std::net::SocketAddr;

use net::{FetchError, FetchResult, RenderFault};

/// The error of the guard proxy for this connection wins: it is more precise than Chromium's.
pub(crate) fn fetch_error(error: &str, connection: Option<FetchResult<SocketAddr>>) -> FetchError {
    if let Some(Err(known)) = connection {
        return known;
    }
    let name = error.strip_prefix("net::ERR_").unwrap_or(error);
    match name {
        "EMPTY_RESPONSE" | "INCOMPLETE_CHUNKED_ENCODING" | "CONTENT_LENGTH_MISMATCH" => {
            FetchError::CutOff
        }
        "CONTENT_DECODING_FAILED" | "CONTENT_DECODING_INIT_FAILED" => FetchError::BadEncoding,
        "RESPONSE_HEADERS_TOO_BIG" => FetchError::HeadersTooLarge,
        "INVALID_HTTP_RESPONSE" | "INVALID_CHUNKED_ENCODING" => FetchError::Protocol,
        _ if name.starts_with("RESPONSE_HEADERS_MULTIPLE") => FetchError::Protocol,
        _ if name.starts_with("HTTP2_") => FetchError::Protocol,
        _ if name.starts_with("CONNECTION_") || name.starts_with("TUNNEL_") => FetchError::CutOff,
        _ if name.starts_with("CERT_") || name.starts_with("SSL_") => {
            FetchError::Tls(name.to_ascii_lowercase().replace('_', " "))
        }
        _ => RenderFault::Refused(error.to_owned()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_the_guard_proxy_wins() {
        let refused = FetchError::AddressRefused([10, 0, 0, 1].into());
        let said = fetch_error("net::ERR_TUNNEL_CONNECTION_FAILED", Some(Err(refused.clone())));
        assert_eq!(said, refused);
        let there = Some(Ok(([93, 184, 215, 14], 443).into()));
        let said = fetch_error("net::ERR_CERT_DATE_INVALID", there.clone());
        assert_eq!(said, FetchError::Tls("cert date invalid".to_owned()));
        assert_eq!(fetch_error("net::ERR_EMPTY_RESPONSE", there), FetchError::CutOff);
    }
}
