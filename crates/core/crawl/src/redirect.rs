//! Redirects: each hop is a URL of its own, fetched under the same rules as any.

use contract::RedirectHop;
use journal::{Cause, Via};
use urls::{Admission, CanonicalUrl, ScopeRule};

use crate::RunState;

/// A chain longer than this leads nowhere.
pub(crate) const HOPS: usize = 10;

/// What a redirect means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The same page under another spelling of its address: ask there.
    Respelled(CanonicalUrl),
    /// Another page of the run.
    Inside(CanonicalUrl),
    /// The start leads out of what was asked for: the site is there.
    SiteMoved(CanonicalUrl),
    /// Out of the run.
    Outside,
    /// Nowhere.
    Dead(Cause),
}

/// What it means that `ordinal`, asked at `asked`, points to `location`.
pub(crate) fn meaning(
    state: &RunState,
    rule: &ScopeRule,
    ordinal: u32,
    asked: &CanonicalUrl,
    location: &str,
) -> Meaning {
    let Ok(target) = asked.join(location) else {
        return Meaning::Dead(Cause::Protocol);
    };
    if target == *asked {
        return Meaning::Dead(Cause::RedirectLoop);
    }
    if target.page_key() == asked.page_key() {
        return Meaning::Respelled(target);
    }
    let role = state.frontier.role(ordinal);
    if role.is_check() {
        // Only whether it is there was asked: the answer counts, wherever it comes from.
        return Meaning::Respelled(target);
    }
    let exact = target;
    let target = if role.is_sitemap() { exact.clone() } else { rule.normalise(exact.clone()) };
    // The site adds a query that the run does not count: still the page it was found as.
    if target.page_key() == urls::page_key(state.frontier.text(ordinal)) {
        return Meaning::Respelled(exact);
    }
    let admission = match rule.admits(&target) {
        // A sitemap may stand anywhere on its site.
        Admission::OutsideRoute if role.is_sitemap() => Admission::Inside,
        admission => admission,
    };
    match admission {
        Admission::Inside if leads_back(state, ordinal, &target) => {
            Meaning::Dead(Cause::RedirectLoop)
        }
        Admission::Inside => Meaning::Inside(target),
        Admission::OutsideRoute | Admission::Subdomain | Admission::External
            if state.is_start(ordinal) =>
        {
            if leads_back(state, ordinal, &target) {
                return Meaning::Dead(Cause::RedirectLoop);
            }
            Meaning::SiteMoved(target)
        }
        Admission::OutsideRoute | Admission::Subdomain | Admission::External => Meaning::Outside,
    }
}

/// Whether the way from `target` on comes back to `ordinal`, or the way to it is too long.
fn leads_back(state: &RunState, ordinal: u32, target: &CanonicalUrl) -> bool {
    if hops_before(state, ordinal) >= HOPS {
        return true;
    }
    let mut at = state.frontier.find(target);
    for _ in 0..=HOPS {
        match at {
            None => return false,
            Some(known) if known == ordinal => return true,
            Some(known) => at = state.redirects.get(&known).and_then(|(_, to)| *to),
        }
    }
    true
}

/// How many redirects in a row led to a URL.
fn hops_before(state: &RunState, ordinal: u32) -> usize {
    chain(state, ordinal).count()
}

/// The URLs that led to `ordinal` by redirects, the nearest first.
fn chain(state: &RunState, ordinal: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(ordinal), |at| {
        let parent = state.frontier.parent(*at)?;
        (state.frontier.via(*at) == Via::Redirect).then_some(parent)
    })
    .skip(1)
    .take(HOPS + 1)
}

/// The URL that a chain of redirects to `ordinal` began with: the one that a page links to.
pub(crate) fn head(state: &RunState, ordinal: u32) -> u32 {
    chain(state, ordinal).last().unwrap_or(ordinal)
}

/// The steps that led to `ordinal`, in their order.
pub(crate) fn steps_to(state: &RunState, ordinal: u32) -> Vec<RedirectHop> {
    let mut steps: Vec<_> = chain(state, ordinal)
        .filter_map(|from| {
            let (status, _) = state.redirects.get(&from)?;
            Some(RedirectHop { url: state.frontier.text(from).to_owned(), status: *status })
        })
        .collect();
    steps.reverse();
    steps
}
