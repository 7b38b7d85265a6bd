//! HTTP/2: limits of streams, and requests in the shape that handlers know from HTTP/1.1.

use axum::http::header::{COOKIE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Uri};

/// Maximum concurrent requests of a connection.
pub(super) const MAX_STREAMS: u32 = 100;

/// Bytes of a request body, and of all bodies of a connection, that may arrive before they are read.
pub(super) const STREAM_WINDOW: u32 = 256 * 1024;
pub(super) const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// Gives a request the header `Host`, a URI without authority, and one `Cookie` (RFC 9113 section
/// 8.2.3 permits several).
pub(super) fn as_http1(head: &mut Parts) {
    if let Some(authority) = head.uri.authority()
        && !head.headers.contains_key(HOST)
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        head.headers.insert(HOST, host);
    }
    if let Some(path) = head.uri.path_and_query() {
        head.uri = Uri::from(path.clone());
    }
    let mut cookies = head.headers.get_all(COOKIE).iter();
    if let (Some(first), Some(second)) = (cookies.next(), cookies.next()) {
        let mut joined = first.as_bytes().to_vec();
        for more in std::iter::once(second).chain(cookies) {
            joined.extend_from_slice(b"; ");
            joined.extend_from_slice(more.as_bytes());
        }
        if let Ok(joined) = HeaderValue::from_bytes(&joined) {
            head.headers.insert(COOKIE, joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[test]
    fn request_of_http2_looks_like_one_of_http1() {
        let request = Request::get("https://crawl.example.com:8443/v1/jobs?page=2")
            .header(COOKIE, "a=1")
            .header(COOKIE, "b=2")
            .header(COOKIE, "c=3")
            .body(())
            .expect("a request");
        let (mut head, ()) = request.into_parts();
        as_http1(&mut head);
        assert_eq!(head.uri, "/v1/jobs?page=2");
        assert_eq!(head.headers[HOST], "crawl.example.com:8443");
        let cookies: Vec<_> = head.headers.get_all(COOKIE).iter().collect();
        assert_eq!(cookies, ["a=1; b=2; c=3"]);
    }
}
