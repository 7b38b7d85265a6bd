//! The URLs of a run among the links of a page.

use std::collections::HashMap;

use contract::LinkType;
use extract::{Link, LinkKind};
use journal::{Found, Via};
use site::{Admission, ScopeRule};

use crate::{Frontier, Plan};

/// The URLs that are new, in the order of their future ordinals, and the ordinals of all
/// that the page links to.
pub(crate) fn discover(
    plan: &Plan,
    rule: &ScopeRule,
    frontier: &Frontier,
    page: u32,
    links: &[Link],
) -> (Vec<Found>, Vec<u32>) {
    let mut found: Vec<Found> = Vec::new();
    let mut linked = Vec::new();
    let mut new: HashMap<String, u32> = HashMap::new();
    for link in links {
        let Some(via) = way(plan, link) else { continue };
        let url = rule.normalised(&link.url);
        if rule.admits(&url) != Admission::Inside {
            continue;
        }
        let known = frontier.find(&url).or_else(|| new.get(url.page_key()).copied());
        let ordinal = known.unwrap_or_else(|| {
            let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
            let ordinal = frontier.next_ordinal().saturating_add(count);
            new.insert(url.page_key().to_owned(), ordinal);
            let anchor = Some(link.anchor.as_str()).filter(|anchor| !anchor.is_empty());
            found.push(Found { url: url.to_string(), via, anchor: anchor.map(Into::into) });
            ordinal
        });
        if via == Via::Link && ordinal != page {
            linked.push(ordinal);
        }
    }
    linked.sort_unstable();
    linked.dedup();
    (found, linked)
}

/// In what way a link leads to a URL of the run; none when it is not one to fetch.
fn way(plan: &Plan, link: &Link) -> Option<Via> {
    let via = match link.kind {
        LinkKind::Anchor
        | LinkKind::Area
        | LinkKind::Frame
        | LinkKind::Pagination
        | LinkKind::Refresh
        | LinkKind::Form => Via::Link,
        LinkKind::Canonical => Via::Canonical,
        LinkKind::Alternate => Via::Hreflang,
        LinkKind::Feed | LinkKind::Image | LinkKind::Media => return None,
    };
    let wanted = match extract::expected_kind(link.url.path()) {
        LinkType::Page | LinkType::Other => true,
        LinkType::Image => plan.scope.include_images,
        LinkType::File | LinkType::Feed | LinkType::Sitemap => plan.scope.include_files,
    };
    wanted.then_some(via)
}
