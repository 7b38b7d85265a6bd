//! The main document: the head of its answer, and what is to be done about it.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION,
    TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, HeaderValue, Version};

use super::events::Header;
use net::{Encoding, FetchResponse};

/// Status and headers of the main document.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) version: Version,
    pub(crate) first_byte: Duration,
}

/// What is done about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// It is shown.
    Show,
    /// It leads elsewhere, or says nothing: the head is all.
    HeadOnly,
    /// It is no page: its bytes are the answer.
    AsItIs,
}

impl Head {
    pub(crate) fn new(status: u16, headers: Vec<Header>, first_byte: Duration) -> Self {
        let headers = headers
            .into_iter()
            .filter_map(|Header { name, value }| {
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
            })
            .collect();
        Self { status, headers, version: Version::HTTP_11, first_byte }
    }

    pub(crate) fn treatment(&self) -> Treatment {
        let leads_on = matches!(self.status, 300..=399) && self.headers.contains_key(LOCATION);
        if leads_on || matches!(self.status, 204 | 205 | 304) {
            return Treatment::HeadOnly;
        }
        let text =
            |name| self.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let media_type = text(CONTENT_TYPE).and_then(|value| value.split(';').next());
        let media_type = media_type.unwrap_or_default().trim().to_ascii_lowercase();
        let is_page = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
        let disposition = text(CONTENT_DISPOSITION).unwrap_or_default().trim_start();
        let is_download =
            disposition.get(..10).is_some_and(|d| d.eq_ignore_ascii_case("attachment"));
        if is_page && !is_download { Treatment::Show } else { Treatment::AsItIs }
    }

    /// The answer with `body` in the place of what came over the wire.
    pub(crate) fn answer(
        mut self,
        body: Body,
        remote: SocketAddr,
        elapsed: Duration,
    ) -> FetchResponse {
        // They tell of bytes that nobody sees any more.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING] {
            self.headers.remove(name);
        }
        if body.shown {
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

/// What the answer carries.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) truncated: bool,
    /// Whether it is the page as it was shown, in UTF-8.
    pub(crate) shown: bool,
    /// What came over the wire, where that is known.
    pub(crate) wire_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treatment(status: u16, headers: &[(&str, &str)]) -> Treatment {
        let headers = headers
            .iter()
            .map(|(name, value)| Header { name: (*name).to_owned(), value: (*value).to_owned() });
        Head::new(status, headers.collect(), Duration::ZERO).treatment()
    }

    #[test]
    fn only_pages_are_shown() {
        let html = ("Content-Type", "Text/HTML ; charset=x");
        assert_eq!(treatment(200, &[html]), Treatment::Show);
        assert_eq!(treatment(404, &[html]), Treatment::Show);
        assert_eq!(treatment(301, &[html, ("Location", "/x")]), Treatment::HeadOnly);
        assert_eq!(treatment(300, &[html]), Treatment::Show);
        assert_eq!(treatment(204, &[html]), Treatment::HeadOnly);
        assert_eq!(treatment(200, &[("content-type", "application/pdf")]), Treatment::AsItIs);
        assert_eq!(treatment(200, &[]), Treatment::AsItIs);
        let download = ("Content-Disposition", "Attachment; filename=x.html");
        assert_eq!(treatment(200, &[html, download]), Treatment::AsItIs);
    }
}
