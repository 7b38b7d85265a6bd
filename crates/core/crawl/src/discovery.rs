//! The URLs of a run among the links of a page.

use std::borrow::Cow;

use contract::{LinkType, SkipReason};
use journal::{Role, Via};
use page::{LinkKind, Outlink, Page};
use urls::{Admission, CanonicalUrl, LanguageTag};

use crate::finder::{Finder, Finds, Lead, wanted};
use crate::{Plan, listing};

/// Reads where a page leads.
pub(crate) fn discover(mut finder: Finder<'_>, page: &Page) -> Finds {
    let frontier = &finder.state.frontier;
    // All at once: in a large run each of them waits for memory, which has several under way
    // when nothing else comes in between.
    let known: Vec<_> =
        page.links.iter().map(|link| frontier.find_page(&link.url, link.fingerprint)).collect();
    for (link, known) in page.links.iter().zip(known) {
        look_at(&mut finder, page, link, known);
    }
    if finder.languages.asks() {
        note_translations(&mut finder, &page.alternates);
    }
    finder.into_finds()
}

/// Keeps what is said of the languages of known pages: some of them do not say it themselves.
pub(crate) fn note_translations(finder: &mut Finder<'_>, alternates: &[(String, CanonicalUrl)]) {
    let parsed = alternates.iter().filter_map(|(tag, url)| {
        let tag = LanguageTag::parse(tag).ok()?;
        Some((finder.rule.normalised(url).into_owned(), tag))
    });
    // A page that serves several languages is known by the one that is wanted.
    let (suiting, others): (Vec<_>, Vec<_>) =
        parsed.partition(|(_, tag)| finder.languages.suits(tag));
    for (url, tag) in suiting.into_iter().chain(others) {
        match finder.known(&url) {
            Some(ordinal) if ordinal != finder.source => finder.translate(ordinal, tag),
            _ => {}
        }
    }
}

fn look_at(finder: &mut Finder<'_>, page: &Page, link: &Outlink, known: Option<u32>) {
    let (via, anchor) = (way(link.kind), page.anchor(link));
    let embedded = matches!(link.kind, LinkKind::Image | LinkKind::Media);
    if embedded && wanted(finder.plan, expected(finder.plan, link)).is_err() {
        return;
    }
    let rule = finder.rule;
    let admission = rule.admits(&link.url);
    if admission != Admission::Inside {
        // Nobody looks for the canonical address of somebody else's page among the links.
        if via == Via::Link {
            let lead = Lead { url: &link.url, via, anchor, nofollow: link.nofollow };
            let external = finder.leave(&lead, admission);
            external.into_iter().for_each(|ordinal| finder.link(ordinal));
        }
        return;
    }
    let url = rule.normalised(&link.url);
    let lead = Lead { url: &url, via, anchor, nofollow: link.nofollow };
    let known = match url {
        Cow::Borrowed(_) => known.or_else(|| finder.known_since(&url)),
        Cow::Owned(_) => finder.known(&url),
    };
    let ordinal = match known {
        Some(ordinal) => {
            finder.meet(ordinal, &lead);
            ordinal
        }
        None => match role(finder, page, link) {
            Ok(role) => match finder.enter(role, &lead) {
                Some(ordinal) => ordinal,
                None => return,
            },
            Err(reason) => return finder.refuse(&url, reason),
        },
    };
    if via == Via::Link {
        finder.link(ordinal);
    }
}

/// In what way a link leads.
fn way(kind: LinkKind) -> Via {
    match kind {
        LinkKind::Canonical => Via::Canonical,
        LinkKind::Alternate => Via::Hreflang,
        _ => Via::Link,
    }
}

/// What it leads to, as far as can be told from here.
fn expected(plan: &Plan, link: &Outlink) -> LinkType {
    match link.kind {
        LinkKind::Feed => LinkType::Feed,
        LinkKind::Image => LinkType::Image,
        LinkKind::Media => LinkType::File,
        _ => plan.expected_kind(link.url.path()),
    }
}

/// Whether a page may suit by what it is declared to be here, whatever kind of link leads to
/// it. One that serves several languages suits by any of them.
fn suits_as_declared(finder: &Finder<'_>, page: &Page, link: &Outlink) -> bool {
    let mut declared = page.alternates.iter().filter(|(_, url)| *url == link.url).peekable();
    declared.peek().is_none() || declared.any(|(tag, _)| finder.languages.suits_declared(tag))
}

/// What a new URL of the site is asked for.
fn role(finder: &Finder<'_>, page: &Page, link: &Outlink) -> Result<Role, SkipReason> {
    let (plan, state) = (finder.plan, finder.state);
    match expected(plan, link) {
        LinkType::Page | LinkType::Other => {}
        // The feeds that the start page names are the site's own news; those of single pages
        // hold nothing but comments on them.
        LinkType::Feed if state.is_start(finder.source) && state.follows_links(plan) => {}
        LinkType::Sitemap if plan.reads_sitemaps() => {
            return listing::room(finder).map(|()| Role::Sitemap);
        }
        kind => return wanted(plan, kind).map(|()| Role::File),
    }
    if !state.follows_links(plan) {
        return Err(SkipReason::NotFollowed);
    }
    let suits = finder.languages.may_suit(state, &link.url)
        && (!finder.languages.asks() || suits_as_declared(finder, page, link));
    if !suits {
        return Err(SkipReason::Language);
    }
    state.traps.judge(&finder.rule.normalised(&link.url)).map(|()| Role::Page)
}
