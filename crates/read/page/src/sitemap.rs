//! Sitemaps in every format: XML, index, RSS and Atom feeds, plain text.
//!
//! Parsed event by event without a tree, DTD or custom entities, so that memory is bounded by the
//! limits. A truncated file gives the entries before the break; no input causes a panic.

use std::borrow::Cow;
use std::io::Read as _;

use document::{SitemapFile, SitemapLimits};
use flate2::read::MultiGzDecoder;
use memchr::memrchr2;
use thiserror::Error;
use urls::CanonicalUrl;

use html::budget;
use html::charset::decode;

pub mod date;
mod field;
mod text;
mod xml;

/// Steps that an XML event or a line of text spends: most contain a URL, which is parsed.
const EVENT_STEPS: usize = 8;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The maximum compression ratio of DEFLATE.
const DEFLATE_RATIO: usize = 1_032;

/// Why a body is no sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SitemapError {
    /// The body has a gzip header but cannot be decompressed.
    #[error("the file is not valid gzip")]
    Gzip,
    /// The body has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The body is something else, mostly a page.
    #[error("the file is no sitemap")]
    NotSitemap,
}

/// Reads the file at `url`.
///
/// # Errors
///
/// If it is no sitemap at all. A malformed one is no error: it gives the entries that can be read.
pub fn read_sitemap(
    body: &[u8],
    content_type: Option<&str>,
    url: &CanonicalUrl,
    limits: &SitemapLimits,
) -> Result<SitemapFile, SitemapError> {
    let (body, cut) = unpacked(body, limits.bytes)?;
    budget::ensure(body.len(), || read_unpacked(&body, cut, content_type, url, limits))
}

/// Upper bound of the decompressed size of a sitemap.
#[must_use]
pub fn unpacked_sitemap_bytes(body: &[u8], limits: &SitemapLimits) -> usize {
    let ratio = if body.starts_with(&GZIP) { DEFLATE_RATIO } else { 1 };
    body.len().saturating_mul(ratio).min(limits.bytes)
}

fn read_unpacked(
    body: &[u8],
    cut: bool,
    content_type: Option<&str>,
    url: &CanonicalUrl,
    limits: &SitemapLimits,
) -> Result<SitemapFile, SitemapError> {
    let text = decode(body, content_type);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let mut file = match text.as_bytes() {
        [] => return Err(SitemapError::Empty),
        [b'<', ..] => xml::read(text, url, limits)?,
        _ => text::read(text, limits)?,
    };
    file.truncated |= cut;
    Ok(file)
}

/// The decompressed bytes, at most `limit`, and whether there are more.
fn unpacked(body: &[u8], limit: usize) -> Result<(Cow<'_, [u8]>, bool), SitemapError> {
    // By the first bytes: names and headers are unreliable.
    if !body.starts_with(&GZIP) {
        return Ok(match body.get(..limit) {
            Some(start) if start.len() < body.len() => {
                (Cow::Borrowed(without_truncated_char(start)), true)
            }
            _ => (Cow::Borrowed(body), false),
        });
    }
    let mut plain = Vec::new();
    let mut packed = MultiGzDecoder::new(body).take(limit as u64 + 1);
    // The bytes before an error remain in `plain`.
    let broken = packed.read_to_end(&mut plain).is_err();
    if broken && plain.is_empty() {
        return Err(SitemapError::Gzip);
    }
    let cut = broken || plain.len() > limit;
    if cut {
        plain.truncate(limit);
        let length = without_truncated_char(&plain).len();
        plain.truncate(length);
    }
    Ok((Cow::Owned(plain), cut))
}

/// The start without a truncated last character, which would mislead the encoding detection.
fn without_truncated_char(start: &[u8]) -> &[u8] {
    memrchr2(b'>', b'\n', start).and_then(|at| start.get(..=at)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
