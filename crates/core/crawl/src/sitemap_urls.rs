//! Collects the URLs of a run from a sitemap or a feed.

use std::sync::Arc;

use contract::{LinkType, SkipReason};
use document::{SitemapEntry, SitemapFile, SitemapLimits, SitemapLocations};
use journal::{DiscoveredUrl, ListedUrl, SitemapMetadata, UrlId, UrlRole, Via};
use urls::{Admission, CanonicalUrl, Robots};

use crate::RunState;
use crate::url_collector::{CollectedUrls, LinkCandidate, UrlCollector, check_wanted};

/// The sitemaps that robots.txt names; if it names none, the first well-known location.
pub(crate) fn initial_sitemaps(site: &CanonicalUrl, robots: &Robots) -> Vec<DiscoveredUrl> {
    let places = SitemapLocations::of(site, robots);
    let found = |role| move |url: &CanonicalUrl| found(url, role);
    if places.named.is_empty() {
        return places.well_known.iter().take(1).map(found(UrlRole::SitemapGuess)).collect();
    }
    places.named.iter().take(SitemapLimits::default().files).map(found(UrlRole::Sitemap)).collect()
}

fn found(url: &CanonicalUrl, role: UrlRole) -> DiscoveredUrl {
    DiscoveredUrl { role, ..DiscoveredUrl::page(url.to_string(), Via::Sitemap, None) }
}

/// Collects the entries of a sitemap. If it was the last one and none had an entry, the next
/// well-known location is tried.
pub(crate) fn collect_sitemap(
    mut collector: UrlCollector<'_>,
    file: Option<&SitemapFile>,
) -> CollectedUrls {
    if let Some(file) = file {
        for entry in &file.entries {
            collect_entry(&mut collector, entry);
        }
        for child in &file.children {
            collect_child(&mut collector, child);
        }
    }
    let state = collector.state;
    let is_last = state.sitemaps_open <= 1 && collector.count(UrlRole::is_sitemap) == 0;
    if is_last && !collector.has_listed() && state.listed == 0 {
        guess_next_sitemap(&mut collector);
    }
    collector.finish()
}

/// Collects the entries of a feed. They count as links.
pub(crate) fn collect_feed(mut collector: UrlCollector<'_>, file: &SitemapFile) -> CollectedUrls {
    for entry in &file.entries {
        let candidate = |url| LinkCandidate { url, via: Via::Link, anchor: "", nofollow: false };
        let admission = collector.rule.admits(&entry.url);
        if admission != Admission::Inside {
            collector.add_outside(&candidate(&entry.url), admission);
            continue;
        }
        let url = collector.rule.normalised(&entry.url);
        let candidate = candidate(&url);
        match collector.known(&url) {
            Some(id) => collector.note_known(id, &candidate),
            None => match role(&collector, &url).and_then(|role| {
                let trap = collector.state.traps.judge(&url);
                let follows = collector.state.follows_links(collector.plan);
                if follows { trap.map(|()| role) } else { Err(SkipReason::NotFollowed) }
            }) {
                Ok(role) => {
                    collector.add(role, &candidate);
                }
                Err(reason) => collector.reject(&url, reason),
            },
        }
    }
    collector.finish()
}

fn collect_entry(collector: &mut UrlCollector<'_>, entry: &SitemapEntry) {
    let candidate = |url| LinkCandidate { url, via: Via::Sitemap, anchor: "", nofollow: false };
    let admission = collector.rule.admits(&entry.url);
    if admission != Admission::Inside {
        collector.add_outside(&candidate(&entry.url), admission);
        return;
    }
    let url = collector.rule.normalised(&entry.url);
    let candidate = candidate(&url);
    let id = match collector.known(&url) {
        Some(id) => id,
        None => match role(collector, &url)
            .and_then(|role| collector.state.traps.judge_listed(&url).map(|()| role))
        {
            Ok(role) => match collector.add(role, &candidate) {
                Some(id) => id,
                None => return,
            },
            Err(reason) => return collector.reject(&url, reason),
        },
    };
    let keeps_metadata = collector.policy.reads_sitemap_data;
    let metadata = keeps_metadata.then(|| Arc::new(metadata(entry)));
    collector.list(ListedUrl { id, metadata });
    if collector.languages.is_active() {
        collector.note_translations(&entry.alternates);
    }
    for (tag, url) in &entry.alternates {
        let url = collector.rule.normalised(url);
        let candidate =
            LinkCandidate { url: &url, via: Via::Hreflang, anchor: "", nofollow: false };
        match collector.known(&url) {
            Some(id) => collector.note_known(id, &candidate),
            None if collector.rule.admits(&url) != Admission::Inside => {}
            None if !collector.languages.accepts_declared(tag) => {
                collector.reject(&url, SkipReason::Language);
            }
            None => match collector
                .check_filter(&url)
                .and_then(|()| collector.state.traps.judge_listed(&url))
            {
                Ok(()) => drop(collector.add(UrlRole::Page, &candidate)),
                Err(reason) => collector.reject(&url, reason),
            },
        }
    }
}

/// What a listed URL is requested for. The caller checks the trap rules.
fn role(collector: &UrlCollector<'_>, url: &CanonicalUrl) -> Result<UrlRole, SkipReason> {
    let kind = match collector.policy.expected_kind(url.path()) {
        LinkType::Other => LinkType::Page,
        kind => kind,
    };
    collector.check_filter(url)?;
    check_wanted(collector.plan, kind)?;
    if !collector.languages.may_accept(collector.state, url) {
        return Err(SkipReason::Language);
    }
    Ok(if kind == LinkType::Page { UrlRole::Page } else { UrlRole::File })
}

fn metadata(entry: &SitemapEntry) -> SitemapMetadata {
    let boxed = |text: &Option<String>| text.as_deref().map(Into::into);
    SitemapMetadata {
        lastmod: boxed(&entry.lastmod),
        changefreq: boxed(&entry.changefreq),
        priority: boxed(&entry.priority),
        images: entry.images.clone(),
        alternates: entry
            .alternates
            .iter()
            .map(|(tag, url)| (tag.clone(), url.to_string()))
            .collect(),
    }
}

/// Adds a child sitemap of an index.
fn collect_child(collector: &mut UrlCollector<'_>, child: &CanonicalUrl) {
    if collector.known(child).is_some() {
        // A loop, or a sitemap that several indexes list.
        return;
    }
    if matches!(collector.rule.admits(child), Admission::External | Admission::Subdomain) {
        return collector.reject(child, SkipReason::ForeignSitemap);
    }
    if let Err(reason) = collector.check_sitemap_limit() {
        return collector.reject(child, reason);
    }
    if depth(collector.state, collector.source) >= SitemapLimits::default().depth {
        return collector.reject(child, SkipReason::SitemapLimit);
    }
    let candidate = LinkCandidate { url: child, via: Via::Sitemap, anchor: "", nofollow: false };
    collector.add(UrlRole::Sitemap, &candidate);
}

/// Number of indexes that lead to a sitemap.
fn depth(state: &RunState, id: UrlId) -> usize {
    let frontier = &state.frontier;
    std::iter::successors(Some(id), |at| {
        let parent = frontier.parent(*at)?;
        (frontier.role(*at) == UrlRole::Sitemap && frontier.role(parent).is_sitemap())
            .then_some(parent)
    })
    .take(SitemapLimits::default().depth + 1)
    .count()
        - 1
}

/// Adds the next well-known location that was not tried.
fn guess_next_sitemap(collector: &mut UrlCollector<'_>) {
    let places = SitemapLocations::of(collector.rule.start(), &Robots::allow_all());
    let next = places.well_known.iter().find(|place| collector.known(place).is_none());
    if let Some(url) = next {
        let candidate = LinkCandidate { url, via: Via::Sitemap, anchor: "", nofollow: false };
        collector.add(UrlRole::SitemapGuess, &candidate);
    }
}
