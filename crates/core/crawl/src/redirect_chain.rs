//! The redirects that led to a URL of a run.

use contract::RedirectHop;
use journal::{UrlId, Via};

use crate::RunState;
use crate::fetch_policy::MAX_HOPS;

/// Number of redirects in a row that led to a URL.
pub(crate) fn hops_before(state: &RunState, id: UrlId) -> usize {
    chain(state, id).count()
}

/// The URLs that redirected to `id`, the nearest first.
fn chain(state: &RunState, id: UrlId) -> impl Iterator<Item = UrlId> {
    std::iter::successors(Some(id), |at| {
        let parent = state.frontier.parent(*at)?;
        (state.frontier.via(*at) == Via::Redirect).then_some(parent)
    })
    .skip(1)
    .take(MAX_HOPS + 1)
}

/// The first URL of the redirect chain to `id`: the one that a page links to.
pub(crate) fn chain_start(state: &RunState, id: UrlId) -> UrlId {
    chain(state, id).last().unwrap_or(id)
}

/// The redirects that led to `id`, in order.
pub(crate) fn hops_to(state: &RunState, id: UrlId) -> Vec<RedirectHop> {
    let mut steps: Vec<_> = chain(state, id)
        .filter_map(|from| {
            let (status, _) = state.redirects.get(&from)?;
            Some(RedirectHop { url: state.frontier.text(from).to_owned(), status: *status })
        })
        .collect();
    steps.reverse();
    steps
}
