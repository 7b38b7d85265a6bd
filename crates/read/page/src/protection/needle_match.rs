//! The surroundings of a needle in a body.

use memchr::{memmem, memrchr2};

/// How far around a needle is searched: bounds the cost of a body that consists of needles.
const NEAR: usize = 512;

/// An occurrence of a needle in a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct NeedleMatch<'a> {
    pub body: &'a [u8],
    pub start: usize,
    pub end: usize,
}

impl<'a> NeedleMatch<'a> {
    /// Up to [`NEAR`] bytes before the needle.
    fn before(&self) -> &'a [u8] {
        self.body.get(self.start.saturating_sub(NEAR)..self.start).unwrap_or_default()
    }

    /// Up to [`NEAR`] bytes after the needle.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.body.get(self.end..self.body.len().min(self.end + NEAR)).unwrap_or_default()
    }

    pub(super) fn follows(&self, text: &str) -> bool {
        self.before().ends_with(text.as_bytes())
    }

    /// The tag that contains the needle, after its bracket; `None` in text.
    pub(super) fn tag(&self) -> Option<&'a [u8]> {
        let before = self.before();
        let bracket = memrchr2(b'<', b'>', before)?;
        (before[bracket] == b'<').then(|| &before[bracket + 1..])
    }

    /// Whether the needle is in a tag of that name.
    pub(super) fn in_tag(&self, name: &str) -> bool {
        self.tag().is_some_and(|tag| {
            tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
                && tag.get(name.len()).is_some_and(u8::is_ascii_whitespace)
        })
    }

    /// Whether the needle is the whole value of an `id`.
    pub(super) fn is_id(&self) -> bool {
        let value = self.before();
        let quote = value.last().copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let value = if quote.is_some() { &value[..value.len() - 1] } else { value };
        let ends = match (quote, self.rest().first()) {
            (Some(quote), Some(next)) => quote == *next,
            (None, Some(next)) => next.is_ascii_whitespace() || matches!(next, b'>' | b'/'),
            (_, None) => false,
        };
        let Some(name) = value.strip_suffix(b"=") else { return false };
        ends && name.len() > 2
            && name[name.len() - 2..].eq_ignore_ascii_case(b"id")
            && name[name.len() - 3].is_ascii_whitespace()
    }

    /// Whether the URL that contains the needle continues with `text`.
    pub(super) fn url_contains(&self, text: &str) -> bool {
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<'))
            .unwrap_or(rest.len());
        memmem::find(&rest[..end], text.as_bytes()).is_some()
    }

    /// Whether a path follows, so that something is requested there. A policy or a resource hint
    /// names only the host.
    pub(super) fn path_follows(&self) -> bool {
        let rest = self.rest();
        // In JSON the slash may be escaped.
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        rest.strip_prefix(b"/")
            .and_then(|path| path.first())
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
    }

    /// Whether a number follows, after an optional colon.
    pub(super) fn number_follows(&self) -> bool {
        let rest = self.rest();
        let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
        rest.first().is_some_and(u8::is_ascii_digit)
    }

    /// Whether a Cloudflare error code for a refusal follows; other codes are errors of the site.
    pub(super) fn is_cloudflare_refusal(&self) -> bool {
        let codes: [&[u8]; 8] =
            [b"1006", b"1007", b"1008", b"1009", b"1010", b"1012", b"1015", b"1020"];
        let rest = self.rest();
        codes.iter().any(|code| rest.starts_with(code))
            && !rest.get(4).is_some_and(u8::is_ascii_digit)
    }
}
