//! Classifies redirects. Each hop is a URL that is fetched under the same rules as any other.

use journal::{Cause, UrlId};
use urls::{Admission, CanonicalUrl};

use crate::RunState;
use crate::fetch_policy::MAX_HOPS;
use crate::redirect_chain::hops_before;
use crate::site_crawl::SiteCrawl;

/// What a redirect means for the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// The same page under another URL: request it there.
    Alias(CanonicalUrl),
    /// Another page of the run.
    Inside(CanonicalUrl),
    /// The start URL redirects out of the scope: the site moved there.
    SiteMoved(CanonicalUrl),
    Outside,
    /// The redirect cannot be followed.
    Dead(Cause),
}

/// Classifies the redirect of `id`, requested at `requested`, to `location`.
pub(crate) fn classify(
    crawl: &SiteCrawl,
    id: UrlId,
    requested: &CanonicalUrl,
    location: &str,
) -> RedirectKind {
    let (state, rule) = (&crawl.state, &crawl.rule);
    let Ok(target) = requested.join(location) else {
        return RedirectKind::Dead(Cause::Protocol);
    };
    if target == *requested {
        return RedirectKind::Dead(Cause::RedirectLoop);
    }
    if target.page_key() == requested.page_key() {
        return RedirectKind::Alias(target);
    }
    let role = state.frontier.role(id);
    if role.is_head_only() || crawl.plan.is_listed() {
        // Only the existence is checked, or the URL of a list has one result: the final response
        // counts wherever it comes from.
        return RedirectKind::Alias(target);
    }
    let exact = target;
    let target = if role.is_sitemap() { exact.clone() } else { rule.normalise(exact.clone()) };
    // The site adds a query that the run ignores: still the same page.
    if target.page_key() == urls::page_key(state.frontier.text(id)) {
        return RedirectKind::Alias(exact);
    }
    let admission = match rule.admits(&target) {
        // A sitemap may be anywhere on its site.
        Admission::OutsideRoute if role.is_sitemap() => Admission::Inside,
        admission => admission,
    };
    match admission {
        Admission::Inside if is_loop(state, id, &target) => RedirectKind::Dead(Cause::RedirectLoop),
        Admission::Inside => RedirectKind::Inside(target),
        Admission::OutsideRoute | Admission::Subdomain | Admission::External
            if state.is_start(id) =>
        {
            if is_loop(state, id, &target) {
                return RedirectKind::Dead(Cause::RedirectLoop);
            }
            RedirectKind::SiteMoved(target)
        }
        Admission::OutsideRoute | Admission::Subdomain | Admission::External => {
            RedirectKind::Outside
        }
    }
}

/// Whether the redirects from `target` lead back to `id`, or the chain to it is too long.
fn is_loop(state: &RunState, id: UrlId, target: &CanonicalUrl) -> bool {
    if hops_before(state, id) >= MAX_HOPS {
        return true;
    }
    let mut at = state.frontier.find(target);
    for _ in 0..=MAX_HOPS {
        match at {
            None => return false,
            Some(known) if known == id => return true,
            Some(known) => at = state.redirects.get(&known).and_then(|(_, to)| *to),
        }
    }
    true
}
