//! The item of a URL in mode `links`.

use contract::{LinkItem, Millis, RobotsDirective};
use crawl::FinishedPage;
use journal::{Cause, Outcome, UrlRole};
use page::Page;

/// The item of a URL. `hash` is its content hash.
pub(crate) fn link_item(finished: &FinishedPage<'_>, hash: Option<u64>, now: Millis) -> LinkItem {
    let (state, id) = (finished.state, finished.id);
    let (frontier, page, head) = (state.frontier(), finished.page(), finished.head());
    let (status_code, cause) = match finished.outcome {
        Outcome::Answered(status) | Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => (head.map(|head| head.status), Some(*cause)),
        Outcome::NotRequested | Outcome::Skipped(_) => (None, None),
    };
    let (known_by, url, final_url) = finished.known_as(cause);
    let (indexable, index_reason) = finished.index();
    let first = hash.and_then(|hash| state.first_with(hash));
    let revision = state.revision(id);
    LinkItem {
        url: url.to_owned(),
        title: page.and_then(|page| page.title.clone()),
        kind: finished.kind(),
        status_code,
        final_url: final_url.map(str::to_owned),
        redirects: finished.redirects(),
        content_type: head.and_then(|head| head.content_type.clone()),
        size_bytes: head.map(|head| head.size_bytes),
        response_ms: head.map(|head| u64::try_from(head.elapsed.as_millis()).unwrap_or(u64::MAX)),
        error: cause.map(|cause| cause.failure().fault()),
        depth: frontier.depth(known_by),
        inlinks: revision.inlinks.into(),
        found_on: frontier.parent(known_by).map(|parent| frontier.text(parent).to_owned()),
        anchor: frontier.anchor(id).map(str::to_owned),
        discovered_by: revision.ways.discovered_by(),
        external: frontier.role(id) == UrlRole::External,
        broken: is_broken(finished.outcome),
        orphan: revision.orphan,
        in_sitemap: state.has_read_sitemap().then_some(revision.in_sitemap),
        indexable,
        index_reason,
        canonical_url: page.and_then(|page| page.canonical.as_ref()).map(ToString::to_string),
        duplicate_of: first.filter(|first| *first != id).map(|at| frontier.text(at).to_owned()),
        language: page.and_then(|page| page.language.clone()),
        description: page.and_then(|page| page.description.clone()),
        h1: page.and_then(|page| page.h1.clone()),
        word_count: page.map(|page| page.word_count),
        content_hash: page.map(|page| page.content_hash.clone()),
        fetched_at: head.map(|_| now),
        nofollow: frontier.nofollow(id),
        robots: page.map(robots_directives).unwrap_or_default(),
        files: None,
    }
}

/// Whether the link is broken. A URL that was not requested may exist.
fn is_broken(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Answered(status) => *status >= 400,
        Outcome::Failed(cause) => !matches!(cause, Cause::Robots),
        Outcome::Redirected { .. } | Outcome::NotRequested | Outcome::Skipped(_) => false,
    }
}

fn robots_directives(page: &Page) -> Vec<RobotsDirective> {
    let said =
        [(page.noindex, RobotsDirective::Noindex), (page.nofollow, RobotsDirective::Nofollow)];
    said.into_iter().filter(|(said, _)| *said).map(|(_, directive)| directive).collect()
}
