//! The content of a sitemap or feed, and the limits for reading it.

use urls::CanonicalUrl;

use crate::sitemap_entry::SitemapEntry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Maximum bytes after decompression.
    pub bytes: usize,
    /// Maximum number of pages in one file.
    pub entries: usize,
    /// Maximum number of sitemaps in one index.
    pub children: usize,
    /// Maximum number of images, videos and alternates per page, each.
    pub extras: usize,
    /// Maximum number of files per site.
    pub files: usize,
    /// Maximum nesting of indexes.
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

/// The format of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// `<urlset>` of sitemaps.org.
    UrlSet,
    /// An XML `<sitemapindex>`.
    Index,
    /// RSS 0.9x, 1.0 (RDF) and 2.0.
    Rss,
    /// An Atom 1.0 feed (RFC 4287).
    Atom,
    /// Plain text with one URL per line.
    Text,
}

/// The content of a sitemap. Hosts are not checked here; that is up to the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapFile {
    /// The format that was recognised.
    pub kind: SitemapKind,
    /// The pages in the order of the file, duplicates included.
    pub entries: Vec<SitemapEntry>,
    /// The sitemaps that an index links to.
    pub children: Vec<CanonicalUrl>,
    /// A limit was reached, or the rest is malformed.
    pub truncated: bool,
    /// Number of entries without a valid URL.
    pub rejected: u32,
}

impl SitemapFile {
    /// A file without entries.
    #[must_use]
    pub fn new(kind: SitemapKind) -> Self {
        Self { kind, entries: Vec::new(), children: Vec::new(), truncated: false, rejected: 0 }
    }
}
