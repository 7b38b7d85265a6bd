//! A sitemap, whatever form it has: XML, an index, a feed, a list of addresses.
//!
//! Read event by event, without a tree, a DTD or entities beyond XML's own, so
//! memory stays in proportion to the limits. What breaks off in the middle
//! gives what stood before; no input makes it panic.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use memchr::memrchr2;
use thiserror::Error;
use urls::CanonicalUrl;

use html::budget;
use html::charset::decode;

pub mod date;
mod entry;
mod field;
mod places;
mod text;
mod xml;

pub use entry::SitemapEntry;
pub use places::SitemapPlaces;

/// The steps that an event of XML or a line of text spends: most of them hold an address, which
/// is parsed.
const EVENT_STEPS: usize = 8;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The most that DEFLATE packs into one byte.
const DEFLATE_RATIO: usize = 1_032;

/// How much of a sitemap is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Bytes after decompression.
    pub bytes: usize,
    /// Pages of one file.
    pub entries: usize,
    /// Sitemaps that one index names.
    pub children: usize,
    /// Images, films and alternates of one page, each.
    pub extras: usize,
    /// Files of one site.
    pub files: usize,
    /// How far an index may lead to an index.
    pub depth: usize,
}

impl Default for SitemapLimits {
    fn default() -> Self {
        Self {
            bytes: 50 * 1024 * 1024,
            entries: 50_000,
            children: 50_000,
            extras: 1_000,
            files: 500,
            depth: 3,
        }
    }
}

/// Why a body is no sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SitemapError {
    /// It says that it is compressed, and nothing of it can be decompressed.
    #[error("the file is not sound gzip")]
    Gzip,
    /// Nothing is in it.
    #[error("the file is empty")]
    Empty,
    /// It is something else: a page, most of the time.
    #[error("the file is no sitemap")]
    NotSitemap,
}

/// The form that a sitemap has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// `<urlset>`.
    UrlSet,
    /// `<sitemapindex>`.
    Index,
    /// RSS 0.9x, 1.0 (RDF) and 2.0.
    Rss,
    /// Atom.
    Atom,
    /// One address a line.
    Text,
}

/// What a sitemap holds. Hosts are not judged here: only the run knows which
/// of them are its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapFile {
    /// Its form.
    pub kind: SitemapKind,
    /// The pages, in the order of the file; one that stands there twice comes twice.
    pub entries: Vec<SitemapEntry>,
    /// The sitemaps that an index leads to.
    pub children: Vec<CanonicalUrl>,
    /// More stood there, or the rest could not be read.
    pub truncated: bool,
    /// Entries without an address that could be used.
    pub rejected: u32,
}

impl SitemapFile {
    /// Reads the file that was found at `url`.
    ///
    /// # Errors
    ///
    /// When it is no sitemap at all. One that is broken is none: it gives what can be read.
    pub fn read(
        body: &[u8],
        content_type: Option<&str>,
        url: &CanonicalUrl,
        limits: &SitemapLimits,
    ) -> Result<Self, SitemapError> {
        let (body, cut) = unpacked(body, limits.bytes)?;
        budget::ensure(body.len(), || Self::read_unpacked(&body, cut, content_type, url, limits))
    }

    /// The most bytes that a body unpacks to: sitemaps come compressed.
    #[must_use]
    pub fn unpacked_bytes(body: &[u8], limits: &SitemapLimits) -> usize {
        let ratio = if body.starts_with(&GZIP) { DEFLATE_RATIO } else { 1 };
        body.len().saturating_mul(ratio).min(limits.bytes)
    }

    fn read_unpacked(
        body: &[u8],
        cut: bool,
        content_type: Option<&str>,
        url: &CanonicalUrl,
        limits: &SitemapLimits,
    ) -> Result<Self, SitemapError> {
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

    fn new(kind: SitemapKind) -> Self {
        Self { kind, entries: Vec::new(), children: Vec::new(), truncated: false, rejected: 0 }
    }
}

/// The bytes of the file itself, at most `limit`, and whether there were more.
fn unpacked(body: &[u8], limit: usize) -> Result<(Cow<'_, [u8]>, bool), SitemapError> {
    // By its first bytes: names and headers are wrong about it as often as not.
    if !body.starts_with(&GZIP) {
        return Ok(match body.get(..limit) {
            Some(start) if start.len() < body.len() => (Cow::Borrowed(whole(start)), true),
            _ => (Cow::Borrowed(body), false),
        });
    }
    let mut plain = Vec::new();
    let mut packed = MultiGzDecoder::new(body).take(limit as u64 + 1);
    // What was decompressed before an error stays in `plain`.
    let broken = packed.read_to_end(&mut plain).is_err();
    if broken && plain.is_empty() {
        return Err(SitemapError::Gzip);
    }
    let cut = broken || plain.len() > limit;
    if cut {
        plain.truncate(limit);
        let length = whole(&plain).len();
        plain.truncate(length);
    }
    Ok((Cow::Owned(plain), cut))
}

/// The start without what was cut in two: half a character would make the
/// whole look as if it were in another encoding.
fn whole(start: &[u8]) -> &[u8] {
    memrchr2(b'>', b'\n', start).and_then(|at| start.get(..=at)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
