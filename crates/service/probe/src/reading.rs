//! Readers of a probe: robots.txt, start page and sitemaps. `ProbeSession::read` runs each off the
//! async runtime.

use std::collections::HashSet;
use std::sync::Arc;

use contract::{LinkType, Scope};
use net::FetchResponse;
use page::{
    HeaderSigns, LinkKind, PageHead, PageLimits, ProtectionEvidence, ProtectionMarker,
    SitemapLimits, SitemapLocations,
};
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
    /// The rules for a site; `start` is the start page.
    pub fn of(robots: &Robots, start: &CanonicalUrl) -> Self {
        Self { allow_start: robots.allows(start), sitemaps: SitemapLocations::of(start, robots) }
    }
}

/// The robots.txt of a site.
pub(crate) fn robots(body: &[u8]) -> Robots {
    Robots::parse(body, Robots::AGENT)
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
    /// The rule for pages below the path of the start page.
    path_rule: Arc<ScopeRule>,
    pages: Arc<Mutex<HashSet<Fingerprint>>>,
    under_path: Arc<Mutex<u64>>,
}

impl PageCount {
    /// An empty count of the pages that `rule` admits.
    pub fn new(rule: Arc<ScopeRule>) -> Self {
        // Pages of subdomains are counted only if `rule` admits them.
        let scope = Scope { specific_route: true, include_subdomains: true, ..Scope::default() };
        let path_rule = Arc::new(ScopeRule::new(rule.start().clone(), scope));
        Self { rule, path_rule, pages: Arc::default(), under_path: Arc::default() }
    }

    pub fn count(&self) -> u64 {
        self.pages.lock().len() as u64
    }

    /// The number of pages below the path of the start page.
    pub fn under_path(&self) -> u64 {
        *self.under_path.lock()
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
        let wanted = inside.filter(|page| rule.passes_filter(page));
        let (mut pages, mut under_path) = (self.pages.lock(), self.under_path.lock());
        for page in wanted {
            let is_new = pages.insert(Fingerprint::of(&page));
            let is_under_path = self.path_rule.admits(&page) == Admission::Inside;
            *under_path += u64::from(is_new && is_under_path);
        }
        drop((pages, under_path));
        // A sitemap of another host says nothing about this site.
        let own = file.children.into_iter();
        Some(own.filter(|child| rule.admits(child) == Admission::Inside).collect())
    }
}

/// The pages of a sitemap or feed that belong to the site.
pub(crate) struct ListedUrls {
    pub pages: Vec<CanonicalUrl>,
    /// Sitemaps of an index, on the same site.
    pub children: Vec<CanonicalUrl>,
    pub is_truncated: bool,
}

/// Reads a sitemap or feed; `None` if it is another document.
pub(crate) fn listed_urls(
    response: &FetchResponse,
    url: &CanonicalUrl,
    rule: &ScopeRule,
) -> Option<ListedUrls> {
    let limits = SitemapLimits::default();
    let content_type = response.content_type();
    let file = page::read_sitemap(&response.body, content_type.as_deref(), url, &limits).ok()?;
    let is_inside = |page: &CanonicalUrl| rule.admits(page) == Admission::Inside;
    let pages = file.entries.into_iter().map(|entry| rule.normalise(entry.url));
    Some(ListedUrls {
        pages: pages.filter(is_inside).collect(),
        children: file.children.into_iter().filter(is_inside).collect(),
        is_truncated: file.truncated,
    })
}

/// What a map takes from a page.
pub(crate) struct MapPage {
    pub title: Option<String>,
    /// The pages of the site that it links to, with the text of the link.
    pub links: Vec<(CanonicalUrl, String)>,
    pub feeds: Vec<CanonicalUrl>,
    /// Bot protection responded instead of the page.
    pub is_protected: bool,
}

/// Reads an HTML page; `None` if the response is another document.
pub(crate) fn map_page(
    response: &FetchResponse,
    url: &CanonicalUrl,
    rule: &ScopeRule,
) -> Option<MapPage> {
    let content_type = response.content_type();
    let kind = page::classify(content_type.as_deref(), &response.body, url.path());
    if kind != LinkType::Page {
        return None;
    }
    let head = PageHead { content_type: content_type.as_deref(), ..PageHead::default() };
    let limits = PageLimits { images: false, text_bytes: 0, ..PageLimits::default() };
    let read = page::read_page(&response.body, &head, url, &limits);
    let is_inside = |url: &CanonicalUrl| rule.admits(url) == Admission::Inside;
    let (mut links, mut feeds) = (Vec::new(), Vec::new());
    for link in &read.links {
        let target = rule.normalise(link.url.clone());
        if !is_inside(&target) {
            continue;
        }
        match link.kind {
            LinkKind::Feed => feeds.push(target),
            LinkKind::Anchor
            | LinkKind::Area
            | LinkKind::Frame
            | LinkKind::Pagination
            | LinkKind::Refresh
            | LinkKind::Canonical
            | LinkKind::Alternate => links.push((target, read.anchor(link).to_owned())),
            LinkKind::Form | LinkKind::Image | LinkKind::Media => {}
        }
    }
    let is_protected = protection(response, url).is_some();
    Some(MapPage { title: read.title, links, feeds, is_protected })
}
