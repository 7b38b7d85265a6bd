//! The readers of an estimate: robots.txt, the start page and sitemaps. Each runs off the async
//! runtime, by `Look::read`.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use net::Answer;
use page::{
    HeaderSigns, ProtectionEvidence, ProtectionMarker, SitemapFile, SitemapLimits, SitemapLocations,
};
use urls::{Admission, CanonicalUrl, Fingerprint, Robots, ScopeRule};

/// What robots.txt says to an estimate.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Whether the start page may be fetched.
    pub allow_start: bool,
    pub sitemaps: SitemapLocations,
}

impl Rules {
    /// Reads a robots.txt.
    pub fn read(body: &[u8], start: &CanonicalUrl) -> Self {
        Self::of(&Robots::parse(body, Robots::AGENT), start)
    }

    pub fn of(robots: &Robots, start: &CanonicalUrl) -> Self {
        Self { allow_start: robots.allows(start), sitemaps: SitemapLocations::of(start, robots) }
    }
}

/// The bot protection that answered in place of a page.
pub(crate) fn protection(answer: &Answer, url: &CanonicalUrl) -> Option<ProtectionMarker> {
    let marker = ProtectionMarker::of(&ProtectionEvidence {
        status: answer.status,
        url,
        location: answer.location().as_deref(),
        headers: HeaderSigns::of(answer.header_texts()),
        body: &answer.body,
        text_chars: None,
    });
    marker.filter(|marker| marker.kind.is_protection())
}

/// The most bytes that a sitemap unpacks to.
pub(crate) fn sitemap_bytes(answer: &Answer) -> usize {
    SitemapFile::unpacked_bytes(&answer.body, &SitemapLimits::default())
}

/// The pages that the sitemaps of a site list, each once. Cheap to clone; clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct PageCount {
    rule: Arc<ScopeRule>,
    pages: Arc<Mutex<HashSet<Fingerprint>>>,
}

impl PageCount {
    /// Counts the pages that `rule` admits; none yet.
    pub fn new(rule: Arc<ScopeRule>) -> Self {
        Self { rule, pages: Arc::default() }
    }

    pub fn count(&self) -> u64 {
        self.pages().len() as u64
    }

    /// Reads a sitemap and adds its pages. Gives the sitemaps of the site that it leads to; none
    /// when it is no sitemap.
    pub fn add_sitemap(&self, answer: &Answer, url: &CanonicalUrl) -> Option<Vec<CanonicalUrl>> {
        let limits = SitemapLimits::default();
        let content_type = answer.content_type();
        let file = SitemapFile::read(&answer.body, content_type.as_deref(), url, &limits).ok()?;
        let rule = &self.rule;
        let listed = file.entries.into_iter().map(|entry| rule.normalise(entry.url));
        let inside = listed.filter(|page| rule.admits(page) == Admission::Inside);
        let inside: Vec<_> = inside.map(|page| Fingerprint::of(&page)).collect();
        self.pages().extend(inside);
        // Another host's sitemap says nothing about this site.
        let own = file.children.into_iter();
        Some(own.filter(|child| rule.admits(child) == Admission::Inside).collect())
    }

    fn pages(&self) -> MutexGuard<'_, HashSet<Fingerprint>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
