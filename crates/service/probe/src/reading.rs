//! Readers of a probe: robots.txt, start page and sitemaps. `ProbeSession::read` runs each off the
//! async runtime.

use std::collections::HashSet;
use std::sync::Arc;

use net::FetchResponse;
use page::{HeaderSigns, ProtectionEvidence, ProtectionMarker, SitemapLimits, SitemapLocations};
use parking_lot::Mutex;
use urls::{Admission, CanonicalUrl, Fingerprint, Robots, ScopeRule};

/// The robots.txt rules that matter to a probe.
#[derive(Debug)]
pub(crate) struct ProbeRules {
    /// Whether the start page may be fetched.
    pub allow_start: bool,
    pub sitemaps: SitemapLocations,
}

impl ProbeRules {
    /// Parses a robots.txt; `start` is the start page.
    pub fn read(body: &[u8], start: &CanonicalUrl) -> Self {
        Self::of(&Robots::parse(body, Robots::AGENT), start)
    }

    pub fn of(robots: &Robots, start: &CanonicalUrl) -> Self {
        Self { allow_start: robots.allows(start), sitemaps: SitemapLocations::of(start, robots) }
    }
}

/// The bot protection that responded instead of a page.
pub(crate) fn protection(response: &FetchResponse, url: &CanonicalUrl) -> Option<ProtectionMarker> {
    let marker = page::detect_protection(&ProtectionEvidence {
        status: response.status,
        url,
        location: response.location().as_deref(),
        headers: HeaderSigns::of(response.header_texts()),
        body: &response.body,
        text_chars: None,
    });
    marker.filter(|marker| marker.kind.is_protection())
}

/// Upper bound of the decompressed size of a sitemap.
pub(crate) fn sitemap_bytes(response: &FetchResponse) -> usize {
    page::unpacked_sitemap_bytes(&response.body, &SitemapLimits::default())
}

/// The distinct pages in the sitemaps of a site. Cheap to clone; clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct PageCount {
    rule: Arc<ScopeRule>,
    pages: Arc<Mutex<HashSet<Fingerprint>>>,
}

impl PageCount {
    /// An empty count of the pages that `rule` admits.
    pub fn new(rule: Arc<ScopeRule>) -> Self {
        Self { rule, pages: Arc::default() }
    }

    pub fn count(&self) -> u64 {
        self.pages.lock().len() as u64
    }

    /// Reads a sitemap and adds its pages. Returns the child sitemaps on the same site; `None` if
    /// it is no sitemap.
    pub fn add_sitemap(
        &self,
        response: &FetchResponse,
        url: &CanonicalUrl,
    ) -> Option<Vec<CanonicalUrl>> {
        let limits = SitemapLimits::default();
        let content_type = response.content_type();
        let file =
            page::read_sitemap(&response.body, content_type.as_deref(), url, &limits).ok()?;
        let rule = &self.rule;
        let listed = file.entries.into_iter().map(|entry| rule.normalise(entry.url));
        let inside = listed.filter(|page| rule.admits(page) == Admission::Inside);
        let inside: Vec<_> = inside.map(|page| Fingerprint::of(&page)).collect();
        self.pages.lock().extend(inside);
        // A sitemap of another host says nothing about this site.
        let own = file.children.into_iter();
        Some(own.filter(|child| rule.admits(child) == Admission::Inside).collect())
    }
}
