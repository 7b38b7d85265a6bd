//! The URLs of a run in a sitemap or a feed.

use std::sync::Arc;

use contract::{LinkType, Mode, SkipReason};
use journal::{Found, Listed, Listing, Role, Via};
use page::{SitemapEntry, SitemapFile, SitemapLimits, SitemapLocations};
use urls::{Admission, CanonicalUrl, Robots};

use crate::RunState;
use crate::discovery::note_translations;
use crate::finder::{Finder, Finds, Lead, wanted};

/// The sitemaps that an origin names; when it names none, the first place where one may be.
pub(crate) fn places(site: &CanonicalUrl, robots: &Robots) -> Vec<Found> {
    let places = SitemapLocations::of(site, robots);
    let found = |role| move |url: &CanonicalUrl| found(url, role);
    if places.named.is_empty() {
        return places.well_known.iter().take(1).map(found(Role::SitemapGuess)).collect();
    }
    places.named.iter().take(SitemapLimits::default().files).map(found(Role::Sitemap)).collect()
}

fn found(url: &CanonicalUrl, role: Role) -> Found {
    Found { role, ..Found::page(url.to_string(), Via::Sitemap, None) }
}

/// Reads a sitemap file, or what came in its place. When it was the last hope and nothing is
/// listed anywhere, the next place is looked at.
pub(crate) fn read(mut finder: Finder<'_>, file: Option<&SitemapFile>) -> Finds {
    if let Some(file) = file {
        for entry in &file.entries {
            list(&mut finder, entry);
        }
        for child in &file.children {
            lead_on(&mut finder, child);
        }
    }
    let state = finder.state;
    let is_last = state.sitemaps_open <= 1 && finder.count(Role::is_sitemap) == 0;
    if is_last && !finder.has_listed() && state.listed == 0 {
        guess(&mut finder);
    }
    finder.into_finds()
}

/// Reads a feed that a page names: its entries are links, although no page has them.
pub(crate) fn follow(mut finder: Finder<'_>, file: &SitemapFile) -> Finds {
    for entry in &file.entries {
        let lead = |url| Lead { url, via: Via::Link, anchor: "", nofollow: false };
        let admission = finder.rule.admits(&entry.url);
        if admission != Admission::Inside {
            finder.leave(&lead(&entry.url), admission);
            continue;
        }
        let url = finder.rule.normalised(&entry.url);
        let lead = lead(&url);
        match finder.known(&url) {
            Some(ordinal) => finder.meet(ordinal, &lead),
            None => match role(&finder, &url).and_then(|role| {
                let trap = finder.state.traps.judge(&url);
                let follows = finder.state.follows_links(finder.plan);
                if follows { trap.map(|()| role) } else { Err(SkipReason::NotFollowed) }
            }) {
                Ok(role) => {
                    finder.enter(role, &lead);
                }
                Err(reason) => finder.refuse(&url, reason),
            },
        }
    }
    finder.into_finds()
}

fn list(finder: &mut Finder<'_>, entry: &SitemapEntry) {
    let lead = |url| Lead { url, via: Via::Sitemap, anchor: "", nofollow: false };
    let admission = finder.rule.admits(&entry.url);
    if admission != Admission::Inside {
        finder.leave(&lead(&entry.url), admission);
        return;
    }
    let url = finder.rule.normalised(&entry.url);
    let lead = lead(&url);
    let ordinal = match finder.known(&url) {
        Some(ordinal) => ordinal,
        None => match role(finder, &url)
            .and_then(|role| finder.state.traps.judge_listed(&url).map(|()| role))
        {
            Ok(role) => match finder.enter(role, &lead) {
                Some(ordinal) => ordinal,
                None => return,
            },
            Err(reason) => return finder.refuse(&url, reason),
        },
    };
    let listing = (finder.plan.mode == Mode::Sitemap).then(|| Arc::new(listing(entry)));
    finder.list(Listed { ordinal, listing });
    if finder.languages.asks() {
        note_translations(finder, &entry.alternates);
    }
    for (tag, url) in &entry.alternates {
        let url = finder.rule.normalised(url);
        let lead = Lead { url: &url, via: Via::Hreflang, anchor: "", nofollow: false };
        match finder.known(&url) {
            Some(ordinal) => finder.meet(ordinal, &lead),
            None if finder.rule.admits(&url) != Admission::Inside => {}
            None if !finder.languages.suits_declared(tag) => {
                finder.refuse(&url, SkipReason::Language);
            }
            None => match finder.state.traps.judge_listed(&url) {
                Ok(()) => drop(finder.enter(Role::Page, &lead)),
                Err(reason) => finder.refuse(&url, reason),
            },
        }
    }
}

/// What a URL of a list is asked for. Traps are judged by the caller.
fn role(finder: &Finder<'_>, url: &CanonicalUrl) -> Result<Role, SkipReason> {
    let kind = match finder.plan.expected_kind(url.path()) {
        LinkType::Other => LinkType::Page,
        kind => kind,
    };
    wanted(finder.plan, kind)?;
    if !finder.languages.may_suit(finder.state, url) {
        return Err(SkipReason::Language);
    }
    Ok(if kind == LinkType::Page { Role::Page } else { Role::File })
}

fn listing(entry: &SitemapEntry) -> Listing {
    let boxed = |text: &Option<String>| text.as_deref().map(Into::into);
    Listing {
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

/// A sitemap that an index names.
fn lead_on(finder: &mut Finder<'_>, child: &CanonicalUrl) {
    if finder.known(child).is_some() {
        // A loop, or one that several name.
        return;
    }
    if matches!(finder.rule.admits(child), Admission::External | Admission::Subdomain) {
        return finder.refuse(child, SkipReason::ForeignSitemap);
    }
    if let Err(reason) = room(finder) {
        return finder.refuse(child, reason);
    }
    if depth(finder.state, finder.source) >= SitemapLimits::default().depth {
        return finder.refuse(child, SkipReason::SitemapLimit);
    }
    let lead = Lead { url: child, via: Via::Sitemap, anchor: "", nofollow: false };
    finder.enter(Role::Sitemap, &lead);
}

/// Whether one more sitemap file is read.
pub(crate) fn room(finder: &Finder<'_>) -> Result<(), SkipReason> {
    let known = finder.state.sitemap_files as usize + finder.count(Role::is_sitemap);
    if known < SitemapLimits::default().files { Ok(()) } else { Err(SkipReason::SitemapLimit) }
}

/// How many indexes led to a sitemap.
fn depth(state: &RunState, ordinal: u32) -> usize {
    let frontier = &state.frontier;
    std::iter::successors(Some(ordinal), |at| {
        let parent = frontier.parent(*at)?;
        (frontier.role(*at) == Role::Sitemap && frontier.role(parent).is_sitemap())
            .then_some(parent)
    })
    .take(SitemapLimits::default().depth + 1)
    .count()
        - 1
}

/// The next place where a sitemap may be, if there is one that nobody looked at.
fn guess(finder: &mut Finder<'_>) {
    let places = SitemapLocations::of(finder.rule.start(), &Robots::allow_all());
    let next = places.well_known.iter().find(|place| finder.known(place).is_none());
    if let Some(url) = next {
        let lead = Lead { url, via: Via::Sitemap, anchor: "", nofollow: false };
        finder.enter(Role::SitemapGuess, &lead);
    }
}
