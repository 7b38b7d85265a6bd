//! The URLs of a site within seconds: sitemaps, feeds, the start page and pages that it links to.
//!
//! Requests are sequential and keep the distance of runs, so that a map is as polite as a run.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{CreateMap, LinkType, MapGap, MapSource, MappedUrl, Scope, Unreachable};
use net::{BodyLimit, Fetch, FetchError, FetchRequest, FetchResponse};
use page::SitemapLimits;
use privacy::Denylist;
use reader::ReadExecutor;
use tokio::time::{Instant, sleep_until};
use urls::{Admission, CanonicalUrl, Fingerprint, Robots, ScopeRule};

use crate::reading::{self, MapPage};
use crate::{MAX_REDIRECTS, ProbeError, ProbeSession, status_error, unreachable};

/// Maximum URLs that a map collects before it is searched.
const MAX_FOUND: usize = 100_000;
/// Maximum bytes of the URLs and titles that a map collects.
const MAX_FOUND_BYTES: usize = 16 << 20;
/// Maximum pages that are read after the start page.
const MAX_PAGES: usize = 40;
/// Maximum feeds that are read.
const MAX_FEEDS: usize = 3;
/// Minimum time between two requests, as in a run.
const DELAY: Duration = Duration::from_millis(100);
/// The longest `Crawl-delay` that is honoured; with a longer one only few pages are read.
const MAX_DELAY: Duration = Duration::from_secs(5);

/// The URLs that a map found, and what it may lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundUrls {
    pub urls: Vec<MappedUrl>,
    pub gaps: Vec<MapGap>,
    pub unreachable: Option<Unreachable>,
}

/// Maps the site of `url` for at most `within`. Hosts on `denylist` are not requested.
///
/// # Errors
/// [`ProbeError`] if there is no site to map.
pub async fn map_urls(
    fetch: &dyn Fetch,
    readers: &ReadExecutor,
    url: &CanonicalUrl,
    request: &CreateMap,
    within: Duration,
    denylist: &Denylist,
) -> Result<FoundUrls, ProbeError> {
    if denylist.covers(url) {
        return Err(ProbeError::NotCrawled);
    }
    let include_subdomains = request.include_subdomains.unwrap_or(false);
    // A run counts variants by query as one page unless asked; a map shows what the site links to.
    let scope = Scope { include_subdomains, include_query_strings: true, ..Scope::default() };
    let rule = Arc::new(ScopeRule::new(url.clone(), scope));
    let probe = ProbeSession::new(fetch, readers, denylist, Arc::clone(&rule), within);
    let mut session = MapSession {
        probe,
        rule,
        robots: Robots::allow_all(),
        next_request: Instant::now(),
        found: FoundUrlTable::default(),
        gaps: Vec::new(),
    };
    let unreachable = session.run(url).await?;
    let MapSession { found, mut gaps, .. } = session;
    let (urls, is_cut) = found.select(request);
    if is_cut && !gaps.contains(&MapGap::Limit) {
        gaps.push(MapGap::Limit);
    }
    gaps.sort_unstable();
    Ok(FoundUrls { urls, gaps, unreachable })
}

/// The distinct URLs of the site in the order in which they were found.
#[derive(Debug, Default)]
struct FoundUrlTable {
    urls: Vec<MapEntry>,
    numbers: HashMap<Fingerprint, usize>,
    /// Bytes of the URLs, and of titles as far as they were known when their URL was added.
    bytes: usize,
    is_full: bool,
}

#[derive(Debug)]
struct MapEntry {
    url: CanonicalUrl,
    title: Option<String>,
    /// Whether the page was read; then `title` is its title, not the text of a link.
    is_read: bool,
    /// Whether a sitemap lists it.
    is_listed: bool,
    source: MapSource,
}

impl FoundUrlTable {
    /// Adds a URL; of a known one, only what is missing.
    fn add(&mut self, url: CanonicalUrl, title: Option<String>, source: MapSource) {
        let title = title.filter(|title| !title.trim().is_empty());
        let fingerprint = Fingerprint::of(&url);
        if let Some(known) = self.numbers.get(&fingerprint) {
            let known = &mut self.urls[*known];
            known.is_listed |= source == MapSource::Sitemap;
            if known.title.is_none() {
                known.title = title;
            }
            return;
        }
        let bytes = url.as_str().len() + title.as_ref().map_or(0, String::len);
        if self.urls.len() >= MAX_FOUND || self.bytes + bytes > MAX_FOUND_BYTES {
            self.is_full = true;
            return;
        }
        self.bytes += bytes;
        self.numbers.insert(fingerprint, self.urls.len());
        let is_listed = source == MapSource::Sitemap;
        self.urls.push(MapEntry { url, title, is_read: false, is_listed, source });
    }

    /// Marks a page as read; its title replaces the text of a link.
    fn set_read(&mut self, url: &CanonicalUrl, title: Option<&String>) {
        if let Some(number) = self.numbers.get(&Fingerprint::of(url)) {
            let found = &mut self.urls[*number];
            found.is_read = true;
            found.title = title.cloned().or(found.title.take());
        }
    }

    /// The URLs that match the request, and whether its limit cut them.
    fn select(self, request: &CreateMap) -> (Vec<MappedUrl>, bool) {
        let words: Vec<_> =
            request.search.iter().flat_map(|text| text.split_whitespace()).collect();
        let words: Vec<_> = words.into_iter().map(str::to_lowercase).collect();
        let limit = request.limit.unwrap_or(CreateMap::MAX_URLS).min(CreateMap::MAX_URLS);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let matching = self.urls.into_iter().filter(|found| {
            let title = found.title.as_deref().unwrap_or_default();
            let text = format!("{} {title}", found.url).to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        let mut urls: Vec<_> = matching
            .take(limit + 1)
            .map(|found| MappedUrl {
                url: String::from(found.url),
                title: found.title,
                source: found.source,
            })
            .collect();
        let is_cut = urls.len() > limit;
        urls.truncate(limit);
        (urls, is_cut)
    }
}

struct MapSession<'a> {
    probe: ProbeSession<'a>,
    rule: Arc<ScopeRule>,
    robots: Robots,
    next_request: Instant,
    found: FoundUrlTable,
    gaps: Vec<MapGap>,
}

impl MapSession<'_> {
    /// Reads robots.txt, the start page, sitemaps, feeds and linked pages, as long as there is time.
    /// Returns why the start page could not be read.
    async fn run(&mut self, start: &CanonicalUrl) -> Result<Option<Unreachable>, ProbeError> {
        match self.probe.robots(start).await? {
            Ok(robots) => self.robots = robots,
            Err(failed) => {
                self.gaps.push(MapGap::Unreachable);
                return Ok(Some(failed.reason));
            }
        }
        let mut feeds = Vec::new();
        let unreachable = match self.page(start.clone(), MapSource::Start).await {
            MapPageOutcome::Read(page) => {
                feeds.extend(page.feeds);
                None
            }
            MapPageOutcome::Refused(reason) => Some(reason),
            MapPageOutcome::NotRead => Some(Unreachable::Http),
            MapPageOutcome::OutOfTime => Some(Unreachable::Timeout),
        };
        if unreachable.is_some() {
            self.gaps.push(MapGap::Unreachable);
        }
        if self.read_lists(start, feeds).await.is_none() || self.read_pages().await.is_none() {
            self.gaps.push(MapGap::Time);
        }
        if self.found.is_full {
            self.gaps.push(MapGap::Limit);
        }
        if self.found.urls.iter().any(|found| self.is_unread(found)) {
            self.gaps.push(MapGap::UnreadPages);
        }
        Ok(unreachable)
    }

    /// Whether a page could have further links that are not known.
    fn is_unread(&self, found: &MapEntry) -> bool {
        let is_page = page::expected_kind(found.url.path()) == LinkType::Page;
        is_page && !found.is_read && !found.is_listed && self.robots.allows(&found.url)
    }

    /// Reads sitemaps and feeds. `None` when time is up.
    async fn read_lists(&mut self, start: &CanonicalUrl, feeds: Vec<CanonicalUrl>) -> Option<()> {
        let locations = page::SitemapLocations::of(start, &self.robots);
        let mut has_sitemap = false;
        for location in locations.named {
            has_sitemap |= self.read_tree(location, MapSource::Sitemap).await?;
        }
        for location in locations.well_known {
            if has_sitemap {
                break;
            }
            has_sitemap = self.read_tree(location, MapSource::Sitemap).await?;
        }
        for feed in feeds.into_iter().take(MAX_FEEDS) {
            self.read_tree(feed, MapSource::Feed).await?;
        }
        Some(())
    }

    /// Reads a sitemap or feed with its children. Returns whether it is one; `None` when time is
    /// up.
    async fn read_tree(&mut self, root: CanonicalUrl, source: MapSource) -> Option<bool> {
        let limits = SitemapLimits::default();
        let mut is_list = false;
        let mut pending = vec![(root, 0)];
        while let Some((url, depth)) = pending.pop() {
            let is_known = self.probe.files.contains(&url);
            if is_known || self.probe.denylist.covers(&url) || !self.robots.allows(&url) {
                continue;
            }
            if self.probe.files.len() >= limits.files || self.found.is_full {
                self.found.is_full = true;
                break;
            }
            self.probe.files.insert(url.clone());
            self.wait().await?;
            let Ok(response) = self.probe.get(&url, limits.bytes).await? else { continue };
            if response.status != 200 {
                continue;
            }
            let (bytes, rule) = (reading::sitemap_bytes(&response), Arc::clone(&self.rule));
            let read = move || reading::listed_urls(&response, &url, &rule);
            let Ok(Some(file)) = self.probe.read(bytes, read).await? else { continue };
            is_list = true;
            self.found.is_full |= file.is_truncated;
            for url in file.pages {
                self.found.add(url, None, source);
            }
            if depth < limits.depth {
                pending.extend(file.children.into_iter().map(|child| (child, depth + 1)));
            }
        }
        Some(is_list)
    }

    /// Reads the pages that are known so far and that no sitemap lists. `None` when time is up.
    async fn read_pages(&mut self) -> Option<()> {
        let unread = self.found.urls.iter().filter(|found| self.is_unread(found));
        let unread: Vec<_> = unread.map(|found| found.url.clone()).take(MAX_PAGES).collect();
        for url in unread {
            if let MapPageOutcome::OutOfTime = self.page(url, MapSource::Link).await {
                return None;
            }
        }
        Some(())
    }

    /// Reads a page and adds it with its links.
    async fn page(&mut self, requested: CanonicalUrl, source: MapSource) -> MapPageOutcome {
        if !self.robots.allows(&requested) {
            return MapPageOutcome::Refused(Unreachable::Robots);
        }
        let mut url = requested.clone();
        for _ in 0..=MAX_REDIRECTS {
            if self.wait().await.is_none() {
                return MapPageOutcome::OutOfTime;
            }
            let request = FetchRequest::get(url.clone()).body(BodyLimit::Page);
            let response = match self.probe.fetch(request).await {
                Some(Ok(response)) => response,
                Some(Err(FetchError::TooLarge(_))) => return MapPageOutcome::NotRead,
                Some(Err(error)) => return MapPageOutcome::Refused(unreachable(&error)),
                None => return MapPageOutcome::OutOfTime,
            };
            if let Some(next) = self.probe.redirect(&url, &response) {
                if self.rule.admits(&next) != Admission::Inside || !self.robots.allows(&next) {
                    return MapPageOutcome::Refused(Unreachable::Redirect);
                }
                url = next;
                continue;
            }
            if let Some(reason) = status_error(response.status) {
                return MapPageOutcome::Refused(reason);
            }
            return self.read(requested, url, response, source).await;
        }
        MapPageOutcome::Refused(Unreachable::Redirect)
    }

    /// Parses a page and adds it with its links.
    async fn read(
        &mut self,
        requested: CanonicalUrl,
        url: CanonicalUrl,
        response: FetchResponse,
        source: MapSource,
    ) -> MapPageOutcome {
        let (bytes, rule, at) = (response.body.len(), Arc::clone(&self.rule), url.clone());
        let read = self.probe.read(bytes, move || reading::map_page(&response, &at, &rule)).await;
        let page = match read {
            Some(Ok(Some(page))) => page,
            Some(Ok(None) | Err(_)) => return MapPageOutcome::NotRead,
            None => return MapPageOutcome::OutOfTime,
        };
        if page.is_protected {
            return MapPageOutcome::Refused(Unreachable::Forbidden);
        }
        for address in [requested, url] {
            let address = self.rule.normalise(address);
            self.found.add(address.clone(), page.title.clone(), source);
            self.found.set_read(&address, page.title.as_ref());
        }
        for (link, anchor) in &page.links {
            self.found.add(link.clone(), Some(anchor.clone()), MapSource::Link);
        }
        MapPageOutcome::Read(page)
    }

    /// Waits until the next request may start. `None` when time is up.
    async fn wait(&mut self) -> Option<()> {
        let delay = self.robots.crawl_delay().unwrap_or(DELAY).clamp(DELAY, MAX_DELAY);
        if self.next_request >= self.probe.deadline {
            return None;
        }
        sleep_until(self.next_request).await;
        self.next_request = Instant::now() + delay;
        Some(())
    }
}

enum MapPageOutcome {
    Read(MapPage),
    Refused(Unreachable),
    /// It is no page, or too large or complex.
    NotRead,
    OutOfTime,
}
