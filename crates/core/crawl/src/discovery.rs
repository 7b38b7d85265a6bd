//! Collects the URLs of a run from the links of a page.

use std::borrow::Cow;

use contract::{LinkType, SkipReason};
use document::{LinkKind, Outlink, Page};
use journal::{UrlId, UrlRole, Via};
use urls::Admission;

use crate::mode_policy::ModePolicy;
use crate::url_collector::{CollectedUrls, LinkCandidate, UrlCollector, check_wanted};

pub(crate) fn discover(mut collector: UrlCollector<'_>, page: &Page) -> CollectedUrls {
    let frontier = &collector.state.frontier;
    // All lookups at once: in a large run each misses the cache, and the CPU overlaps several
    // misses.
    let known: Vec<_> =
        page.links.iter().map(|link| frontier.find_page(&link.url, link.fingerprint)).collect();
    for (link, known) in page.links.iter().zip(known) {
        collect_link(&mut collector, page, link, known);
    }
    if collector.languages.is_active() {
        collector.note_translations(&page.alternates);
    }
    collector.finish()
}

fn collect_link(
    collector: &mut UrlCollector<'_>,
    page: &Page,
    link: &Outlink,
    known: Option<UrlId>,
) {
    let (via, anchor) = (via_of(link.kind), page.anchor(link));
    let embedded = matches!(link.kind, LinkKind::Image | LinkKind::Media);
    if embedded && check_wanted(collector.plan, expected(&collector.policy, link)).is_err() {
        return;
    }
    let rule = collector.rule;
    let admission = rule.admits(&link.url);
    if admission != Admission::Inside {
        // A canonical or alternate URL on another site is not a link.
        if via == Via::Link {
            let candidate = LinkCandidate { url: &link.url, via, anchor, nofollow: link.nofollow };
            let external = collector.add_outside(&candidate, admission);
            external.into_iter().for_each(|id| collector.link(id));
        }
        return;
    }
    let url = rule.normalised(&link.url);
    let candidate = LinkCandidate { url: &url, via, anchor, nofollow: link.nofollow };
    let known = match url {
        Cow::Borrowed(_) => known.or_else(|| collector.known_since(&url)),
        Cow::Owned(_) => collector.known(&url),
    };
    let id = match known {
        Some(id) => {
            collector.note_known(id, &candidate);
            id
        }
        None => match role(collector, page, link) {
            Ok(role) => match collector.add(role, &candidate) {
                Some(id) => id,
                None => return,
            },
            Err(reason) => return collector.reject(&url, reason),
        },
    };
    if via == Via::Link {
        collector.link(id);
    }
}

fn via_of(kind: LinkKind) -> Via {
    match kind {
        LinkKind::Canonical => Via::Canonical,
        LinkKind::Alternate => Via::Hreflang,
        _ => Via::Link,
    }
}

/// The kind of content that a link suggests.
fn expected(policy: &ModePolicy, link: &Outlink) -> LinkType {
    match link.kind {
        LinkKind::Feed => LinkType::Feed,
        LinkKind::Image => LinkType::Image,
        LinkKind::Media => LinkType::File,
        _ => policy.expected_kind(link.url.path()),
    }
}

/// Whether the language that the page declares for a link target is accepted. A target with several
/// languages is accepted if one of them is.
fn accepted_as_declared(collector: &UrlCollector<'_>, page: &Page, link: &Outlink) -> bool {
    let mut declared = page.alternates.iter().filter(|(_, url)| *url == link.url).peekable();
    declared.peek().is_none() || declared.any(|(tag, _)| collector.languages.accepts_declared(tag))
}

/// What a new URL of the site is requested for.
fn role(collector: &UrlCollector<'_>, page: &Page, link: &Outlink) -> Result<UrlRole, SkipReason> {
    let (plan, state) = (collector.plan, collector.state);
    let kind = expected(&collector.policy, link);
    let is_sitemap = kind == LinkType::Sitemap && collector.policy.reads_sitemaps(plan);
    if !is_sitemap {
        collector.check_filter(&link.url)?;
    }
    match kind {
        LinkType::Page | LinkType::Other => {}
        // Feeds of the start page list news of the site; feeds of single pages list comments.
        LinkType::Feed if state.is_start(collector.source) && state.follows_links(plan) => {}
        LinkType::Sitemap if is_sitemap => {
            return collector.check_sitemap_limit().map(|()| UrlRole::Sitemap);
        }
        kind => return check_wanted(plan, kind).map(|()| UrlRole::File),
    }
    if !state.follows_links(plan) {
        return Err(SkipReason::NotFollowed);
    }
    let accepts = collector.languages.may_accept(state, &link.url)
        && (!collector.languages.is_active() || accepted_as_declared(collector, page, link));
    if !accepts {
        return Err(SkipReason::Language);
    }
    state.traps.judge(&collector.rule.normalised(&link.url)).map(|()| UrlRole::Page)
}
