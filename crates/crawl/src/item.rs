//! The item that is made of a finished URL in `links` mode.

use contract::{DiscoveredBy, IndexReason, Item, LinkItem, LinkType, Millis, RedirectHop, Scope};
use extract::Page;
use journal::{Cause, Outcome, Via};
use site::CanonicalUrl;

use crate::RunState;
use crate::reading::{AnswerHead, Content};
use crate::redirect;

/// What is known of a URL at the moment in which it is finished.
pub(crate) struct Sight<'a> {
    pub ordinal: u32,
    pub outcome: &'a Outcome,
    pub answer: Option<(&'a AnswerHead, &'a Content)>,
    /// Where it was asked in the end, when that is not the address it was found by.
    pub asked_at: Option<&'a str>,
    /// The respellings that led there.
    pub respellings: &'a [RedirectHop],
}

/// Whether a URL that ended so is delivered, and how many units it costs.
pub(crate) fn is_delivered(scope: &Scope, sight: &Sight<'_>) -> (bool, u32) {
    match sight.outcome {
        // A 3xx without a place to go to is a redirect that leads nowhere, not a failure.
        Outcome::Redirected { .. } | Outcome::Answered(300..400) => (false, 0),
        Outcome::Answered(200..300) => {
            let wanted = match kind(sight) {
                LinkType::Page => true,
                LinkType::Image => scope.include_images,
                LinkType::File | LinkType::Feed | LinkType::Sitemap | LinkType::Other => {
                    scope.include_files
                }
            };
            (wanted, u32::from(wanted))
        }
        Outcome::Answered(_) | Outcome::Failed(_) => (scope.include_broken, 0),
    }
}

/// The item.
pub(crate) fn link_item(
    state: &RunState,
    scope: &Scope,
    sight: &Sight<'_>,
    content: Option<u64>,
    now: Millis,
) -> Item {
    let frontier = &state.frontier;
    let ordinal = sight.ordinal;
    let page = match sight.answer {
        Some((_, Content::Page(page))) => Some(page.as_ref()),
        Some((_, Content::Robots(_) | Content::Other(_))) | None => None,
    };
    let head = sight.answer.map(|(head, _)| head);
    let (status_code, cause) = match sight.outcome {
        Outcome::Answered(status) | Outcome::Redirected { status, .. } => (Some(*status), None),
        Outcome::Failed(cause) => (head.map(|head| head.status), Some(*cause)),
    };
    let found = frontier.text(ordinal);
    let mut redirects = redirect::steps_to(state, ordinal);
    redirects.extend_from_slice(sight.respellings);
    // One page was asked for, or a chain leads nowhere: it is known by the address that was
    // given, or that somebody links to.
    let known_by = match cause {
        _ if scope.one_page && state.is_start(ordinal) => 0,
        Some(Cause::RedirectLoop) => redirect::head(state, ordinal),
        _ => ordinal,
    };
    let (url, final_url) = if known_by == ordinal {
        (found, sight.asked_at)
    } else {
        (frontier.text(known_by), Some(sight.asked_at.unwrap_or(found)))
    };
    let canonical = page.and_then(|page| page.canonical.as_ref());
    let (indexable, index_reason) = index(sight.outcome, page, found, sight.asked_at);
    let first = content.and_then(|content| state.contents.get(&content));
    Item::Link(Box::new(LinkItem {
        url: url.to_owned(),
        title: page.and_then(|page| page.title.clone()),
        kind: kind(sight),
        status_code,
        final_url: final_url.map(str::to_owned),
        redirects,
        content_type: head.and_then(|head| head.content_type.clone()),
        size_bytes: head.map(|head| head.size_bytes),
        response_ms: head.map(|head| u64::try_from(head.elapsed.as_millis()).unwrap_or(u64::MAX)),
        error: cause.map(Cause::fault),
        depth: Some(frontier.depth(known_by)),
        inlinks: frontier.inlinks(ordinal).into(),
        found_on: frontier.parent(known_by).map(|parent| frontier.text(parent).to_owned()),
        anchor: frontier.anchor(ordinal).map(str::to_owned),
        discovered_by: vec![discovered_by(frontier.via(ordinal))],
        external: false,
        broken: !matches!(sight.outcome, Outcome::Answered(200..400) | Outcome::Redirected { .. })
            && !matches!(cause, Some(Cause::Robots)),
        orphan: false,
        in_sitemap: false,
        indexable,
        index_reason,
        canonical_url: canonical.map(ToString::to_string),
        duplicate_of: first
            .filter(|first| **first != ordinal)
            .map(|first| frontier.text(*first).to_owned()),
        language: page.and_then(|page| page.language.clone()),
        description: page.and_then(|page| page.description.clone()),
        h1: page.and_then(|page| page.h1.clone()),
        word_count: page.map(|page| page.word_count),
        content_hash: page.map(|page| page.content_hash.clone()),
        fetched_at: head.map(|_| now),
    }))
}

fn kind(sight: &Sight<'_>) -> LinkType {
    match sight.answer {
        Some((_, Content::Page(_))) => LinkType::Page,
        Some((_, Content::Other(kind))) => *kind,
        Some((_, Content::Robots(_))) => LinkType::Other,
        None => LinkType::Page,
    }
}

fn index(
    outcome: &Outcome,
    page: Option<&Page>,
    found: &str,
    asked_at: Option<&str>,
) -> (Option<bool>, Option<IndexReason>) {
    // http and https, `www.` and the bare host are one page: its own address in another
    // spelling is no other address.
    let is_own = |canonical: &CanonicalUrl| {
        let own = [Some(found), asked_at];
        own.into_iter().flatten().any(|own| site::same_page(own, canonical.as_str()))
    };
    match (outcome, page) {
        (Outcome::Failed(Cause::Robots), _) => (Some(false), Some(IndexReason::Robots)),
        (Outcome::Failed(_), _) => (None, None),
        (Outcome::Answered(200), Some(page)) => match &page.canonical {
            _ if page.noindex => (Some(false), Some(IndexReason::Noindex)),
            Some(canonical) if !is_own(canonical) => (Some(false), Some(IndexReason::Canonical)),
            Some(_) | None => (Some(true), None),
        },
        (Outcome::Answered(200), None) => (None, None),
        (Outcome::Answered(_) | Outcome::Redirected { .. }, _) => {
            (Some(false), Some(IndexReason::Status))
        }
    }
}

fn discovered_by(via: Via) -> DiscoveredBy {
    match via {
        Via::Start => DiscoveredBy::Start,
        Via::Link => DiscoveredBy::Link,
        Via::Redirect => DiscoveredBy::Redirect,
        Via::Canonical => DiscoveredBy::Canonical,
        Via::Hreflang => DiscoveredBy::Hreflang,
        Via::Sitemap => DiscoveredBy::Sitemap,
    }
}
