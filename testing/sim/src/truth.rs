//! The expected results of a run, computed without the engine: a plain walk over the web without
//! time and transient failures.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Mode, SkipReason};
use urls::CanonicalUrl;

use crate::fake_web::FakeWeb;
use crate::requested_run::RequestedRun;

mod scope;
mod sitemaps;
mod walk;

pub(crate) use scope::is_filtered_out;
use scope::{ContentKind, suits};
use walk::{ReferenceWalk, WalkEnd, WalkNode, WalkRole};

/// The expected results of a whole run.
#[derive(Debug)]
pub(crate) struct Truth {
    /// Every URL that the site turned out to be at.
    sites: Vec<CanonicalUrl>,
    /// The expected outcome of every known URL, by key.
    pub outcomes: BTreeMap<String, ExpectedOutcome>,
}

/// The expected outcome of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpectedOutcome {
    Delivered(ExpectedItem),
    /// The URL is a folder or its index file with the same page. One of the two is delivered: the
    /// folder, if it is known when the file is requested.
    SamePage(ExpectedItem),
    /// It is skipped for one of these reasons, which depends on the order of discovery.
    Skipped(BTreeSet<SkipReason>),
    /// It is skipped or recorded without a request, or not found at all: whether the pages that
    /// link to it, which are in another language, are read depends on how soon the run learns their
    /// language.
    Unread,
    /// It is part of a redirect loop or of too long a chain. Which URL of a loop fails depends on
    /// the order of requests.
    RedirectLoop,
}

/// The expected values of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpectedItem {
    pub status: Option<u16>,
    pub units: u64,
    pub external: bool,
    pub in_sitemap: bool,
    pub orphan: bool,
    pub inlinks: u32,
    pub depth: Option<u32>,
    /// Whether links to it were rejected before it became known: their number depends on the order
    /// of requests.
    pub order_dependent: bool,
}

impl ExpectedOutcome {
    fn blur(&mut self) {
        let is_sure = match self {
            Self::Delivered(known) | Self::SamePage(known) => known.status.is_some(),
            Self::Skipped(why) => !why
                .iter()
                .all(|reason| matches!(reason, SkipReason::Language | SkipReason::NotFollowed)),
            Self::Unread | Self::RedirectLoop => true,
        };
        if !is_sure {
            *self = Self::Unread;
        }
    }
}

impl Truth {
    /// Computes the expected results of a web.
    pub fn of(web: &FakeWeb) -> Self {
        let walk = ReferenceWalk::over(web);
        let depths = depths(&walk);
        let refused = walk.refused.iter();
        let mut outcomes: BTreeMap<_, _> = refused
            .map(|(key, why)| (key.clone(), ExpectedOutcome::Skipped(why.clone())))
            .collect();
        for (key, node) in &walk.nodes {
            outcomes.remove(key);
            if let Some(expected) = expected(&walk, key, node, depths.get(key).copied()) {
                outcomes.insert(key.clone(), expected);
            }
        }
        if !walk.may_suit("de") {
            let german = outcomes.iter_mut().filter(|(key, _)| key.contains("/de/"));
            german.for_each(|(_, expected)| expected.blur());
        }
        if web.requested.scope.one_page {
            single_page(&walk, &mut outcomes);
        }
        Self { sites: walk.sites, outcomes }
    }

    /// Whether a run may read a URL.
    pub fn may_read(&self, web: &FakeWeb, url: &CanonicalUrl) -> bool {
        if !web.listed.is_empty() {
            // Redirects of listed URLs are followed anywhere.
            return true;
        }
        let owns = |site: &CanonicalUrl| {
            let reason = scope::outside(site, &web.requested.scope, url);
            !matches!(reason, Some(SkipReason::External | SkipReason::Subdomain))
        };
        self.sites.iter().any(owns)
    }

    /// The units of a whole run.
    pub fn units(&self) -> u64 {
        let units = self.outcomes.values().map(|expected| match expected {
            // Two URLs, one unit.
            ExpectedOutcome::SamePage(_) => 1,
            ExpectedOutcome::Delivered(known) => 2 * known.units,
            ExpectedOutcome::Skipped(_)
            | ExpectedOutcome::Unread
            | ExpectedOutcome::RedirectLoop => 0,
        });
        units.sum::<u64>() / 2
    }
}

/// A single page is known by the requested URL.
fn single_page(walk: &ReferenceWalk<'_>, outcomes: &mut BTreeMap<String, ExpectedOutcome>) {
    let last = walk.nodes.iter().find(|(_, node)| !matches!(node.end, Some(WalkEnd::Redirected)));
    let expected = last.and_then(|(key, _)| outcomes.get(key).cloned());
    outcomes.clear();
    outcomes.extend(expected.map(|expected| (walk.web.start.page_key().to_owned(), expected)));
}

/// The depth of every URL with a path from the start.
fn depths(walk: &ReferenceWalk<'_>) -> BTreeMap<String, u32> {
    let mut depths = BTreeMap::from([(walk.web.start.page_key().to_owned(), 0)]);
    let mut reached: Vec<String> = depths.keys().cloned().collect();
    while let Some(key) = reached.pop() {
        let (Some(depth), Some(node)) = (depths.get(&key).copied(), walk.nodes.get(&key)) else {
            continue;
        };
        for (target, clicks) in &node.leads {
            if depths.get(target).is_none_or(|known| depth + clicks < *known) {
                depths.insert(target.clone(), depth + clicks);
                reached.push(target.clone());
            }
        }
    }
    depths
}

fn expected(
    walk: &ReferenceWalk<'_>,
    key: &str,
    node: &WalkNode,
    depth: Option<u32>,
) -> Option<ExpectedOutcome> {
    let requested = &walk.web.requested;
    let of_site = matches!(node.role, WalkRole::Page | WalkRole::Check);
    let in_sitemap = node.listed && of_site;
    let inlinks = u32::try_from(node.linked_from.len()).unwrap_or(u32::MAX);
    let unmarked = !key.contains("/de/");
    let known = |status, units| ExpectedItem {
        status,
        units,
        external: node.role == WalkRole::External,
        in_sitemap,
        orphan: in_sitemap && inlinks == 0 && !node.redirected_to && !node.is_start,
        inlinks,
        depth,
        order_dependent: walk.refused.contains_key(key)
            || (requested.options.region_aware && !unmarked),
    };
    let free = |status| ExpectedOutcome::Delivered(known(status, 0));
    let skipped = |reason| {
        let refused = walk.refused.get(key).into_iter().flatten().copied();
        let same_page = node.end.and_then(|end| match end {
            WalkEnd::Read(text) => has_same_page(walk, node, text).then_some(SkipReason::SamePage),
            _ => None,
        });
        ExpectedOutcome::Skipped(refused.chain([reason]).chain(same_page).collect())
    };
    let failed =
        |status| match requested.scope.include_broken && !(of_site && is_excluded(walk, node)) {
            true => free(status),
            false if matches!(status, Some(401 | 403 | 429 | 451)) => skipped(SkipReason::Blocked),
            false => skipped(SkipReason::Broken),
        };
    let end = node.end.as_ref()?;
    Some(match (end, node.role) {
        (WalkEnd::RedirectLoop, _) => ExpectedOutcome::RedirectLoop,
        (WalkEnd::Skipped(reason), _) => skipped(*reason),
        (WalkEnd::Answered(status, _), WalkRole::External) => free(Some(*status)),
        (_, WalkRole::External) => free(None),
        (WalkEnd::Answered(200, ContentKind::Sitemap), WalkRole::Map | WalkRole::Guess)
            if requested.scope.include_sitemap =>
        {
            ExpectedOutcome::Delivered(known(Some(200), 1))
        }
        (_, WalkRole::Guess) | (WalkEnd::Answered(200..400, _), WalkRole::Map) => return None,
        (WalkEnd::Redirected | WalkEnd::Answered(300..400, _), _) => skipped(SkipReason::Redirect),
        (WalkEnd::Read(text), _) => {
            let delivered = known(Some(200), 1);
            match of_page(walk, node) {
                Some(reason) => skipped(reason),
                None if has_same_page(walk, node, *text) => ExpectedOutcome::SamePage(delivered),
                None => ExpectedOutcome::Delivered(delivered),
            }
        }
        (WalkEnd::Answered(200, _), WalkRole::Page) if is_excluded(walk, node) => {
            skipped(SkipReason::Excluded)
        }
        (WalkEnd::Answered(200, content), _) => match content.unwanted(requested) {
            None => ExpectedOutcome::Delivered(known(Some(200), 1)),
            Some(reason) => skipped(reason),
        },
        (WalkEnd::Answered(status, _), _) => failed(Some(*status)),
        (WalkEnd::Failed, _) => failed(None),
        (WalkEnd::Forbidden, _)
            if requested.scope.include_broken && !(of_site && is_excluded(walk, node)) =>
        {
            free(None)
        }
        (WalkEnd::Forbidden, _) => skipped(SkipReason::Robots),
        (WalkEnd::NotRequested, _) if requested.mode == Mode::Sitemap => {
            skipped(SkipReason::NotFollowed)
        }
        (WalkEnd::NotRequested, _) => free(None),
    })
}

/// Why a page that was read is skipped.
fn of_page(walk: &ReferenceWalk<'_>, node: &WalkNode) -> Option<SkipReason> {
    let requested = &walk.web.requested;
    if is_excluded(walk, node) {
        return Some(SkipReason::Excluded);
    }
    if !in_language(walk, requested, node) {
        return Some(SkipReason::Language);
    }
    (requested.mode == Mode::Sitemap && !node.indexable).then_some(SkipReason::NotIndexable)
}

/// Whether the filter leaves out a page that is read for its links: the start page.
fn is_excluded(walk: &ReferenceWalk<'_>, node: &WalkNode) -> bool {
    let scope = &walk.web.requested.scope;
    // A single page is known by the requested URL.
    let url = if scope.one_page { &walk.web.start } else { &node.url };
    scope::is_filtered_out(scope, url)
}

/// Whether a page is in the requested language: its own declaration counts first, then its URL. In
/// strict mode its URL has to name the language, and a URL without one means the language of the
/// start page.
fn in_language(walk: &ReferenceWalk<'_>, requested: &RequestedRun, node: &WalkNode) -> bool {
    let Some(wanted) = requested.options.preferred_language.as_deref() else { return true };
    let regions = requested.options.region_aware;
    let marked = node.url.path().starts_with("/de/").then_some("de");
    if requested.options.strict_default_language {
        return marked.or(walk.default_language).is_some_and(|own| suits(own, wanted, regions))
            && node.language.is_none_or(|own| suits(own, wanted, regions));
    }
    node.language.or(marked).is_none_or(|own| suits(own, wanted, regions))
}

/// Whether it is a folder whose index file is the same page and would be delivered as well, or the
/// other way round.
fn has_same_page(walk: &ReferenceWalk<'_>, node: &WalkNode, text: usize) -> bool {
    let key = node.url.page_key();
    let other = match key.strip_suffix("/index.html") {
        Some(folder) => format!("{folder}/"),
        None if key.ends_with('/') => format!("{key}index.html"),
        None => return false,
    };
    let other = walk.nodes.get(&other);
    other.is_some_and(|other| {
        matches!(other.end, Some(WalkEnd::Read(other)) if other == text)
            && of_page(walk, other).is_none()
    })
}
