//! The response to the main document: its headers, how it is treated, its body.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION,
    TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, HeaderValue, Version};

use super::events::HeaderEntry;
use net::{Encoding, FetchResponse};

/// Status and headers of the main document.
#[derive(Debug)]
pub(crate) struct DocumentHead {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) version: Version,
    pub(crate) first_byte: Duration,
}

/// How a document is treated.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// A page: rendered by the browser.
    Render,
    /// A redirect or an empty response: only the headers are used.
    HeadersOnly,
    /// No page: the bytes are returned as received.
    RawBody,
}

impl DocumentHead {
    pub(crate) fn new(status: u16, headers: Vec<HeaderEntry>, first_byte: Duration) -> Self {
        let headers = headers
            .into_iter()
            .filter_map(|HeaderEntry { name, value }| {
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
            })
            .collect();
        Self { status, headers, version: Version::HTTP_11, first_byte }
    }

    pub(crate) fn treatment(&self) -> Treatment {
        let is_redirect = matches!(self.status, 300..=399) && self.headers.contains_key(LOCATION);
        if is_redirect || matches!(self.status, 204 | 205 | 304) {
            return Treatment::HeadersOnly;
        }
        let text =
            |name| self.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let media_type = text(CONTENT_TYPE).and_then(|value| value.split(';').next());
        let media_type = media_type.unwrap_or_default().trim().to_ascii_lowercase();
        let is_page = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
        let disposition = text(CONTENT_DISPOSITION).unwrap_or_default().trim_start();
        let is_download =
            disposition.get(..10).is_some_and(|d| d.eq_ignore_ascii_case("attachment"));
        if is_page && !is_download { Treatment::Render } else { Treatment::RawBody }
    }

    /// The response with `body` instead of the wire bytes.
    pub(crate) fn into_response(
        mut self,
        body: DocumentBody,
        remote: SocketAddr,
        elapsed: Duration,
    ) -> FetchResponse {
        // These headers describe the wire bytes.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            self.headers.remove(name);
        }
        if body.rendered {
            let page = HeaderValue::from_static("text/html; charset=utf-8");
            self.headers.insert(CONTENT_TYPE, page);
        }
        FetchResponse {
            status: self.status,
            version: self.version,
            headers: self.headers,
            wire_bytes: body.wire_bytes.unwrap_or(body.bytes.len() as u64),
            body: body.bytes,
            body_truncated: body.truncated,
            encoding: Encoding::Identity,
            remote,
            first_byte: self.first_byte,
            elapsed,
        }
    }
}

/// The body of a response.
#[derive(Debug, Default)]
pub(crate) struct DocumentBody {
    pub(crate) bytes: Bytes,
    pub(crate) truncated: bool,
    /// Whether this is the rendered DOM, in UTF-8.
    pub(crate) rendered: bool,
    /// Bytes on the wire, if known.
    pub(crate) wire_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treatment(status: u16, headers: &[(&str, &str)]) -> Treatment {
        let headers = headers.iter().map(|(name, value)| HeaderEntry {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        });
        DocumentHead::new(status, headers.collect(), Duration::ZERO).treatment()
    }

    #[test]
    fn only_html_pages_are_rendered() {
        let html = ("Content-Type", "Text/HTML ; charset=x");
        assert_eq!(treatment(200, &[html]), Treatment::Render);
        assert_eq!(treatment(404, &[html]), Treatment::Render);
        assert_eq!(treatment(301, &[html, ("Location", "/x")]), Treatment::HeadersOnly);
        assert_eq!(treatment(300, &[html]), Treatment::Render);
        assert_eq!(treatment(204, &[html]), Treatment::HeadersOnly);
        assert_eq!(treatment(200, &[("content-type", "application/pdf")]), Treatment::RawBody);
        assert_eq!(treatment(200, &[]), Treatment::RawBody);
        let download = ("Content-Disposition", "Attachment; filename=x.html");
        assert_eq!(treatment(200, &[html, download]), Treatment::RawBody);
    }
}
