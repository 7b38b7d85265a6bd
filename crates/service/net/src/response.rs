//! The response of a site, with typed access to its headers.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use contract::Millis;
use http::header::{
    AsHeaderName, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER,
};
use http::{HeaderMap, HeaderValue, Version};

use crate::Encoding;

/// A response with any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    pub status: u16,
    pub version: Version,
    /// As received, without the headers of an encoding that was decoded. `Content-Length` stays if
    /// the body is truncated.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether the body is longer than the limit of the request.
    pub body_truncated: bool,
    /// The encoding before decoding.
    pub encoding: Encoding,
    /// Body bytes received, before decoding.
    pub wire_bytes: u64,
    /// The address of the server.
    pub remote: SocketAddr,
    /// Time until the response headers were received.
    pub first_byte: Duration,
    /// Time until the body was read.
    pub elapsed: Duration,
}

impl FetchResponse {
    /// `Content-Type` as received.
    #[must_use]
    pub fn content_type(&self) -> Option<Cow<'_, str>> {
        self.text(CONTENT_TYPE)
    }

    /// The media type alone: lower case, without parameters.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let content_type = self.content_type()?;
        let media_type = content_type.split(';').next()?.trim();
        (!media_type.is_empty()).then(|| media_type.to_ascii_lowercase())
    }

    /// `Location` as received; it may be relative.
    #[must_use]
    pub fn location(&self) -> Option<Cow<'_, str>> {
        self.text(LOCATION)
    }

    /// `Content-Length`: for a HEAD the size of the body of a GET; for a truncated body its size on
    /// the wire.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        self.text(CONTENT_LENGTH)?.trim().parse().ok()
    }

    /// The size of the whole body if the headers have it, by `Content-Range` or `Content-Length`.
    #[must_use]
    pub fn whole_size(&self) -> Option<u64> {
        match self.text(CONTENT_RANGE) {
            Some(range) => range.rsplit('/').next()?.trim().parse().ok(),
            None => self.content_length(),
        }
    }

    /// How long the response may be cached (`Cache-Control`); zero if not at all.
    #[must_use]
    pub fn max_age(&self) -> Option<Duration> {
        let directives = self.text(CACHE_CONTROL)?.to_ascii_lowercase();
        let mut directives = directives.split(',').map(str::trim);
        directives.find_map(|directive| match directive.split_once('=') {
            None if matches!(directive, "no-store" | "no-cache") => Some(Duration::ZERO),
            Some(("max-age", seconds)) => {
                seconds.trim_matches('"').parse().ok().map(Duration::from_secs)
            }
            _ => None,
        })
    }

    #[must_use]
    pub fn last_modified(&self) -> Option<Millis> {
        instant(&self.text(LAST_MODIFIED)?)
    }

    #[must_use]
    pub fn links(&self) -> Vec<String> {
        self.all(LINK)
    }

    #[must_use]
    pub fn robots_tags(&self) -> Vec<String> {
        self.all("x-robots-tag")
    }

    #[must_use]
    pub fn language(&self) -> Option<Cow<'_, str>> {
        self.text(CONTENT_LANGUAGE)
    }

    /// Every header whose value is text, by its name in lower case.
    pub fn header_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    fn all(&self, name: impl AsHeaderName) -> Vec<String> {
        self.headers.get_all(name).iter().map(|value| text(value).into_owned()).collect()
    }

    /// `Retry-After` as a duration from `now`.
    #[must_use]
    pub fn retry_after(&self, now: Millis) -> Option<Duration> {
        let value = self.text(RETRY_AFTER)?;
        match value.trim().parse() {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(_) => Some(instant(&value)?.since(now)),
        }
    }

    /// A header as text: UTF-8 if valid, otherwise Latin-1.
    fn text(&self, name: impl AsHeaderName) -> Option<Cow<'_, str>> {
        self.headers.get(name).map(text)
    }
}

fn instant(text: &str) -> Option<Millis> {
    let then = httpdate::parse_http_date(text.trim()).ok()?;
    let then = then.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_millis();
    i64::try_from(then).ok().map(Millis)
}

fn text(value: &HeaderValue) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: http::HeaderName, value: &[u8]) -> FetchResponse {
        let value = HeaderValue::from_bytes(value).expect("a header value");
        FetchResponse {
            status: 200,
            version: Version::HTTP_11,
            headers: [(name, value)].into_iter().collect(),
            body: Bytes::new(),
            body_truncated: false,
            encoding: Encoding::Identity,
            wire_bytes: 0,
            remote: ([127, 0, 0, 1], 80).into(),
            first_byte: Duration::ZERO,
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = Millis(784_111_777_000);
        let wait = |value: &[u8]| with(RETRY_AFTER, value).retry_after(now);
        assert_eq!(wait(b" 120 "), Some(Duration::from_secs(120)));
        assert_eq!(wait(b"Sun, 06 Nov 1994 08:49:47 GMT"), Some(Duration::from_secs(10)));
        assert_eq!(wait(b"Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for wrong in [&b"soon"[..], b"-5", b"99999999999999999999999", b"Sun, 99 Nov"] {
            assert_eq!(wait(wrong), None);
        }
    }

    #[test]
    fn max_age_is_read_from_cache_control() {
        let kept = |value| with(CACHE_CONTROL, value).max_age();
        assert_eq!(kept(b"public, Max-Age=\"60\""), Some(Duration::from_secs(60)));
        assert_eq!(kept(b"no-cache, max-age=60"), Some(Duration::ZERO));
        assert_eq!(kept(b"private"), None);
        assert_eq!(kept(b"max-age=soon"), None);
    }

    #[test]
    fn size_and_date_are_read_from_headers() {
        assert_eq!(with(CONTENT_LENGTH, b"77").whole_size(), Some(77));
        assert_eq!(with(CONTENT_RANGE, b"bytes 0-9/1234").whole_size(), Some(1_234));
        assert_eq!(with(CONTENT_RANGE, b"bytes 0-9/*").whole_size(), None);
        let date = with(LAST_MODIFIED, b"Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(date.last_modified(), Some(Millis(784_111_777_000)));
        assert_eq!(with(LAST_MODIFIED, b"yesterday").last_modified(), None);
    }

    #[test]
    fn header_is_decoded_as_utf8_or_latin1() {
        assert_eq!(with(LOCATION, "/grüße".as_bytes()).location().as_deref(), Some("/grüße"));
        assert_eq!(with(LOCATION, b"/gr\xfc\xdfe").location().as_deref(), Some("/grüße"));
    }

    #[test]
    fn media_type_has_no_parameters() {
        let media_type = |value| with(CONTENT_TYPE, value).media_type();
        assert_eq!(media_type(b"Text/HTML ; charset=x").as_deref(), Some("text/html"));
        assert_eq!(media_type(b"; charset=x"), None);
    }
}
