//! What can be had of a web, worked out without the engine: a plain walk over its
//! places that knows neither time nor trouble.

use std::collections::{BTreeMap, BTreeSet};

use contract::{Mode, SkipReason};
use urls::CanonicalUrl;

use crate::web::Web;
use crate::wish::Wish;

mod scope;
mod sitemaps;
mod walk;

use scope::{Nature, suits};
use walk::{End, Node, Role, Walk};

/// What a run over a web comes to when it comes to its end.
#[derive(Debug)]
pub(crate) struct Truth {
    /// Where the site turned out to be, after all the places where it was looked for.
    sites: Vec<CanonicalUrl>,
    /// What becomes of every URL that is met, by its key.
    pub fates: BTreeMap<String, Fate>,
}

/// What becomes of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    Delivered(Known),
    /// It is one page with its folder or its index file. One of the two is delivered:
    /// the folder, if it is known by the time at which the file is asked for.
    Twin(Known),
    /// It is left out for one of these reasons: whoever leads there first decides.
    Skipped(BTreeSet<SkipReason>),
    /// It is left out or recorded unasked, if anybody meets it: whether the pages that lead
    /// there are read, which are in another language, depends on how soon a run finds out
    /// what their addresses mean.
    Unread,
    /// It leads round in a ring or too far. Which URL of a ring closes it depends on
    /// which of them was asked first.
    Ring,
}

/// What is known of a result in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub status: Option<u16>,
    pub units: u64,
    pub external: bool,
    pub in_sitemap: bool,
    pub orphan: bool,
    pub inlinks: u32,
    pub depth: Option<u32>,
    /// Whether links to it and ways to it were refused before it became known: how many,
    /// depends on when that was.
    pub vague: bool,
}

impl Fate {
    fn blur(&mut self) {
        let is_sure = match self {
            Self::Delivered(known) | Self::Twin(known) => known.status.is_some(),
            Self::Skipped(why) => !why
                .iter()
                .all(|reason| matches!(reason, SkipReason::Language | SkipReason::NotFollowed)),
            Self::Unread | Self::Ring => true,
        };
        if !is_sure {
            *self = Self::Unread;
        }
    }
}

impl Truth {
    /// The truth about a web.
    pub fn of(web: &Web) -> Self {
        let walk = Walk::over(web);
        let depths = depths(&walk);
        let refused = walk.refused.iter();
        let mut fates: BTreeMap<_, _> =
            refused.map(|(key, why)| (key.clone(), Fate::Skipped(why.clone()))).collect();
        for (key, node) in &walk.nodes {
            fates.remove(key);
            if let Some(fate) = fate(&walk, key, node, depths.get(key).copied()) {
                fates.insert(key.clone(), fate);
            }
        }
        if !walk.may_suit("de") {
            let german = fates.iter_mut().filter(|(key, _)| key.contains("/de/"));
            german.for_each(|(_, fate)| fate.blur());
        }
        if web.wish.scope.one_page {
            one_page(&walk, &mut fates);
        }
        Self { sites: walk.sites, fates }
    }

    /// Whether a run may read what stands there.
    pub fn may_read(&self, web: &Web, url: &CanonicalUrl) -> bool {
        let owns = |site: &CanonicalUrl| {
            let reason = scope::outside(site, &web.wish.scope, url);
            !matches!(reason, Some(SkipReason::External | SkipReason::Subdomain))
        };
        self.sites.iter().any(owns)
    }

    /// The units that a whole run is charged.
    pub fn units(&self) -> u64 {
        let units = self.fates.values().map(|fate| match fate {
            // Two fates, one unit.
            Fate::Twin(_) => 1,
            Fate::Delivered(known) => 2 * known.units,
            Fate::Skipped(_) | Fate::Unread | Fate::Ring => 0,
        });
        units.sum::<u64>() / 2
    }
}

/// One page is known by the address that was given, wherever it is.
fn one_page(walk: &Walk<'_>, fates: &mut BTreeMap<String, Fate>) {
    let last = walk.nodes.iter().find(|(_, node)| !matches!(node.end, Some(End::Redirected)));
    let fate = last.and_then(|(key, _)| fates.get(key).cloned());
    fates.clear();
    fates.extend(fate.map(|fate| (walk.web.start.page_key().to_owned(), fate)));
}

/// The clicks from the start to all that has a way from there.
fn depths(walk: &Walk<'_>) -> BTreeMap<String, u32> {
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

fn fate(walk: &Walk<'_>, key: &str, node: &Node, depth: Option<u32>) -> Option<Fate> {
    let wish = &walk.web.wish;
    let of_site = matches!(node.role, Role::Page | Role::Check);
    let in_sitemap = node.listed && of_site;
    let inlinks = u32::try_from(node.linked_from.len()).unwrap_or(u32::MAX);
    let unmarked = !key.contains("/de/");
    let known = |status, units| Known {
        status,
        units,
        external: node.role == Role::External,
        in_sitemap,
        orphan: in_sitemap && inlinks == 0 && !node.redirected_to && !node.is_start,
        inlinks,
        depth,
        vague: walk.refused.contains_key(key) || (wish.options.region_aware && !unmarked),
    };
    let free = |status| Fate::Delivered(known(status, 0));
    let skipped = |reason| {
        let refused = walk.refused.get(key).into_iter().flatten().copied();
        let same_page = node.end.and_then(|end| match end {
            End::Read(text) => has_twin(walk, node, text).then_some(SkipReason::SamePage),
            _ => None,
        });
        Fate::Skipped(refused.chain([reason]).chain(same_page).collect())
    };
    let failed = |status| match wish.scope.include_broken {
        true => free(status),
        false if matches!(status, Some(401 | 403 | 429 | 451)) => skipped(SkipReason::Blocked),
        false => skipped(SkipReason::Broken),
    };
    let end = node.end.as_ref()?;
    Some(match (end, node.role) {
        (End::Ring, _) => Fate::Ring,
        (End::Skipped(reason), _) => skipped(*reason),
        (End::Answered(status, _), Role::External) => free(Some(*status)),
        (_, Role::External) => free(None),
        (End::Answered(200, Nature::Sitemap), Role::Map | Role::Guess)
            if wish.scope.include_sitemap =>
        {
            Fate::Delivered(known(Some(200), 1))
        }
        (_, Role::Guess) | (End::Answered(200..400, _), Role::Map) => return None,
        (End::Redirected | End::Answered(300..400, _), _) => skipped(SkipReason::Redirect),
        (End::Read(text), _) => {
            let delivered = known(Some(200), 1);
            match of_page(walk, node) {
                Some(reason) => skipped(reason),
                None if has_twin(walk, node, *text) => Fate::Twin(delivered),
                None => Fate::Delivered(delivered),
            }
        }
        (End::Answered(200, nature), _) => match nature.unwanted(wish) {
            None => Fate::Delivered(known(Some(200), 1)),
            Some(reason) => skipped(reason),
        },
        (End::Answered(status, _), _) => failed(Some(*status)),
        (End::Failed, _) => failed(None),
        (End::Forbidden, _) if wish.scope.include_broken => free(None),
        (End::Forbidden, _) => skipped(SkipReason::Robots),
        (End::Unasked, _) if wish.mode == Mode::Sitemap => skipped(SkipReason::NotFollowed),
        (End::Unasked, _) => free(None),
    })
}

/// Why a page that was read is not delivered.
fn of_page(walk: &Walk<'_>, node: &Node) -> Option<SkipReason> {
    let wish = &walk.web.wish;
    if !in_language(walk, wish, node) {
        return Some(SkipReason::Language);
    }
    (wish.mode == Mode::Sitemap && !node.indexable).then_some(SkipReason::NotIndexable)
}

/// Only pages in the language that was asked for: what a page says of itself counts, else
/// what its address says; strictly, its address has to say so first, and an address that says
/// nothing means the language of the start page.
fn in_language(walk: &Walk<'_>, wish: &Wish, node: &Node) -> bool {
    let Some(wanted) = wish.options.preferred_language.as_deref() else { return true };
    let regions = wish.options.region_aware;
    let marked = node.url.path().starts_with("/de/").then_some("de");
    if wish.options.strict_default_language {
        return marked.or(walk.default_language).is_some_and(|own| suits(own, wanted, regions))
            && node.language.is_none_or(|own| suits(own, wanted, regions));
    }
    node.language.or(marked).is_none_or(|own| suits(own, wanted, regions))
}

/// Whether it is a folder whose index file is the same page and would be delivered as well,
/// or the other way round.
fn has_twin(walk: &Walk<'_>, node: &Node, text: usize) -> bool {
    let key = node.url.page_key();
    let twin = match key.strip_suffix("/index.html") {
        Some(folder) => format!("{folder}/"),
        None if key.ends_with('/') => format!("{key}index.html"),
        None => return false,
    };
    let twin = walk.nodes.get(&twin);
    twin.is_some_and(|twin| {
        matches!(twin.end, Some(End::Read(other)) if other == text) && of_page(walk, twin).is_none()
    })
}
