//! Decides by the response headers how much of a body to read: pages to their end, of other content
//! only the beginning.

use http::HeaderMap;
use http::header::{CONTENT_TYPE, LOCATION};

/// Bytes read of a body that is no page: enough to detect its type.
pub(super) const SNIFF_BYTES: usize = 4 * 1024;

/// What a body is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A page, a feed or a sitemap.
    Page,
    /// Unknown type: a page if it begins with markup.
    PageIfMarkup,
    /// An image, archive, redirect or other content without links.
    NoPage,
}

impl Expected {
    pub(super) fn of(status: u16, headers: &HeaderMap) -> Self {
        // The target of a redirect is in its headers.
        if (300..400).contains(&status) && headers.contains_key(LOCATION) {
            return Self::NoPage;
        }
        let full = headers.get(CONTENT_TYPE).map(|value| value.as_bytes()).unwrap_or_default();
        let essence = full.split(|byte| *byte == b';').next().unwrap_or_default();
        let essence = essence.trim_ascii().to_ascii_lowercase();
        match &essence[..] {
            b"text/html" | b"application/xhtml+xml" | b"application/feed+json" => Self::Page,
            b"text/plain"
            | b"application/octet-stream"
            | b"binary/octet-stream"
            | b"application/force-download"
            | b"application/x-download" => Self::PageIfMarkup,
            other if other.starts_with(b"image/") => Self::NoPage,
            other if other.ends_with(b"/xml") || other.ends_with(b"+xml") => Self::Page,
            other if other.starts_with(b"unknown/") || other == b"*/*" => Self::PageIfMarkup,
            other if other.contains(&b'/') => Self::NoPage,
            _ => Self::PageIfMarkup,
        }
    }
}

/// Whether the first character after a BOM and white space is `<`.
pub(super) fn begins_with_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn expected(content_type: &'static str) -> Expected {
        let headers = [(CONTENT_TYPE, HeaderValue::from_static(content_type))];
        Expected::of(200, &headers.into_iter().collect())
    }

    #[test]
    fn content_type_decides_whether_the_body_is_read() {
        for page in ["Text/HTML ; charset=x", "text/xml", "application/rss+xml", "application/xml"]
        {
            assert_eq!(expected(page), Expected::Page, "{page}");
        }
        for doubtful in ["", ";", "text/plain", "nonsense", "*/*", "application/octet-stream"] {
            assert_eq!(expected(doubtful), Expected::PageIfMarkup, "{doubtful}");
        }
        for other in ["video/mp4", "image/svg+xml", "application/zip", "text/css", "font/woff"] {
            assert_eq!(expected(other), Expected::NoPage, "{other}");
        }
        assert_eq!(Expected::of(200, &HeaderMap::new()), Expected::PageIfMarkup);
    }

    #[test]
    fn redirect_with_location_has_no_page() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
        assert_eq!(Expected::of(302, &headers), Expected::Page);
        headers.insert(LOCATION, HeaderValue::from_static("/"));
        assert_eq!(Expected::of(302, &headers), Expected::NoPage);
        assert_eq!(Expected::of(201, &headers), Expected::Page);
    }

    #[test]
    fn markup_is_detected_after_bom_and_white_space() {
        assert!(begins_with_markup(b"\xef\xbb\xbf\r\n <p>"));
        for other in [&b""[..], b"  ", b"PK\x03\x04", b"a <b>", b"<\0"] {
            assert_eq!(begins_with_markup(other), other.starts_with(b"<"), "{other:?}");
        }
    }
}
