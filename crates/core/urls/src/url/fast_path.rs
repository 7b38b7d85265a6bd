//! The fast path from a text to a URL, without the WHATWG parser.
//!
//! A text with dot segments, unusual hosts or control characters is left to the parser. Both paths give
//! the same result; a property test checks that.

use memchr::{memchr, memchr2, memrchr};

use super::{CanonicalUrl, MAX_BYTES, MAX_INPUT_BYTES, UrlError, host};
use crate::percent::{self, Plain};

/// Bytes that are unchanged in a path and start neither a query nor a scheme nor a path parameter.
const PLAIN_PATH: &Plain = &{
    let mut table = *percent::PATH;
    table[b';' as usize] = false;
    table[b':' as usize] = false;
    table
};

impl CanonicalUrl {
    /// The fastest case, for most links of most pages: appends a canonical path to the origin or the
    /// folder.
    pub(super) fn join_plain_path(&self, href: &str) -> Option<Self> {
        let (start, mut before) = match href.as_bytes() {
            [] | [b'/', b'/', ..] => return None,
            [b'/', ..] => (usize::from(self.path_start), 0),
            _ => (usize::from(self.path_start) + folder(self.path()).len(), b'/'),
        };
        for &byte in href.as_bytes() {
            // A dot after a slash may be a dot segment.
            if !PLAIN_PATH[usize::from(byte)] || (byte == b'.' && before == b'/') {
                return None;
            }
            before = byte;
        }
        let length = start + href.len();
        let path_end = u16::try_from(length).ok().filter(|_| length <= MAX_BYTES)?;
        let mut text = String::with_capacity(length);
        text.push_str(self.slice(0, start));
        text.push_str(href);
        Some(Self { text, path_end, ..*self })
    }
}

/// Resolves a plain text by string operations. `None` means that the parser is needed.
pub(super) fn fast_path(
    base: Option<&CanonicalUrl>,
    text: &str,
) -> Option<Result<CanonicalUrl, UrlError>> {
    let scheme = scheme_of(text);
    let secure = match (scheme, base) {
        (Some(scheme), _) if scheme.eq_ignore_ascii_case("https") => true,
        (Some(scheme), _) if scheme.eq_ignore_ascii_case("http") => false,
        // Before the check of the length, since `data:` URLs are long and frequent.
        (Some(_), _) => return Some(Err(UrlError::Scheme)),
        (None, Some(base)) => base.is_secure(),
        (None, None) => return None,
    };
    if text.len() > MAX_INPUT_BYTES {
        return None;
    }
    if let Some(base) = base.filter(|_| text.starts_with('.')) {
        return join_relative(base, text);
    }
    if needs_parser(text.as_bytes()) {
        return None;
    }
    let rest = scheme.map_or(text, |scheme| text.get(scheme.len() + 1..).unwrap_or_default());
    if let Some(rest) = rest.strip_prefix("//") {
        let end = memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (host, port) = host::canonical_authority(authority)?;
        let (path, query) = path_and_query(rest);
        return Some(CanonicalUrl::assemble(secure, host, port, &[path], query));
    }
    let base = match scheme {
        // `https:page.html` has special rules.
        Some(_) => return None,
        None => base?,
    };
    let (path, query) = path_and_query(rest);
    let (pieces, query): ([&str; 2], _) = match path.as_bytes().first() {
        Some(b'/') => (["", path], query),
        Some(_) => ([folder(base.path()), path], query),
        None if query.is_some() => (["", base.path()], query),
        None => (["", base.path()], base.query()),
    };
    Some(CanonicalUrl::assemble(secure, base.host(), base.explicit_port(), &pieces, query))
}

/// Resolves leading `./` and `../`, if there are no other dot segments.
fn join_relative(base: &CanonicalUrl, text: &str) -> Option<Result<CanonicalUrl, UrlError>> {
    let mut folder = folder(base.path());
    let mut rest = text;
    loop {
        if let Some(above) = rest.strip_prefix("../") {
            folder = self::folder(folder.strip_suffix('/')?);
            rest = above;
        } else if let Some(here) = rest.strip_prefix("./") {
            rest = here;
        } else {
            break;
        }
    }
    if needs_parser(rest.as_bytes()) {
        return None;
    }
    let (path, query) = path_and_query(rest);
    let (secure, port) = (base.is_secure(), base.explicit_port());
    Some(CanonicalUrl::assemble(secure, base.host(), port, &[folder, path], query))
}

/// The path up to its last slash; `/` without one.
fn folder(path: &str) -> &str {
    memrchr(b'/', path.as_bytes()).and_then(|at| path.get(..=at)).unwrap_or("/")
}

fn path_and_query(text: &str) -> (&str, Option<&str>) {
    match memchr(b'?', text.as_bytes()) {
        Some(at) => (&text[..at], text.get(at + 1..)),
        None => (text, None),
    }
}

/// The scheme of a text, if it has one.
fn scheme_of(text: &str) -> Option<&str> {
    let end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')))?;
    (text.as_bytes().get(end) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic())
        .then(|| &text[..end])
}

/// Whether a text has dot segments in any spelling, backslashes or control characters.
fn needs_parser(text: &[u8]) -> bool {
    let mut before = b'/';
    for (at, &byte) in text.iter().enumerate() {
        let found = match byte {
            b'.' => before == b'/',
            b'%' => matches!(text.get(at + 1..at + 3), Some(b"2e" | b"2E")),
            _ => byte < b' ' || byte == b'\\',
        };
        if found {
            return true;
        }
        before = byte;
    }
    false
}
