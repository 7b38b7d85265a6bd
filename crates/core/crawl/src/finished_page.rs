//! A finished URL: its outcome and response, and what the run knows about it.

use std::borrow::Cow;

use contract::{IndexReason, LinkType, Millis, RedirectHop, SkipReason};
use document::{FetchContext, Page};
use journal::{Cause, Outcome, UrlId};
use urls::{CanonicalUrl, LanguageTag, ScopeRule};

use crate::languages::LanguageRule;
use crate::parsed_response::{ResponseContent, ResponseHead};
use crate::redirect_chain;
use crate::state::RunState;

/// Everything that is known of a URL when it is finished.
#[derive(Debug)]
pub struct FinishedPage<'a> {
    pub id: UrlId,
    pub outcome: &'a Outcome,
    pub(crate) response: Option<(&'a ResponseHead, &'a ResponseContent)>,
    /// The URL of the last request, if that is not the URL in the frontier.
    pub(crate) requested_url: Option<&'a str>,
    /// The redirects that led there.
    pub(crate) alias_hops: &'a [RedirectHop],
    /// The language that the page was judged to be in.
    pub language: Option<&'a LanguageTag>,
    /// Whether a browser rendered the page.
    pub(crate) rendered: bool,
    /// The delivered page that the page declares as its canonical page or preferred version, with
    /// the reason to skip this one.
    pub canonical: Option<(UrlId, SkipReason)>,
    pub state: &'a RunState,
    pub(crate) rule: &'a ScopeRule,
    pub(crate) languages: &'a LanguageRule,
    /// Whether the run consists of one page.
    pub(crate) one_page: bool,
}

impl<'a> FinishedPage<'a> {
    #[must_use]
    pub fn page(&self) -> Option<&'a Page> {
        match self.response {
            Some((_, ResponseContent::Page(page))) => Some(page),
            _ => None,
        }
    }

    /// Status and headers of the response, if there is one.
    #[must_use]
    pub fn head(&self) -> Option<&'a ResponseHead> {
        self.response.map(|(head, _)| head)
    }

    /// The kind of its content, or the expected kind.
    #[must_use]
    pub fn kind(&self) -> LinkType {
        if let Some((_, content)) = self.response {
            return content.kind();
        }
        let frontier = &self.state.frontier;
        if frontier.role(self.id).is_sitemap() {
            return LinkType::Sitemap;
        }
        let expected =
            frontier.url(self.id).map_or(LinkType::Page, |url| document::expected_kind(url.path()));
        match expected {
            LinkType::Other => LinkType::Page,
            kind => kind,
        }
    }

    /// The part of an item's identity that separates languages; empty unless languages or regions
    /// are delivered separately.
    #[must_use]
    pub fn language_key(&self) -> &'a str {
        self.languages.language_key(self.language)
    }

    /// Whether a translation into this language is delivered separately.
    #[must_use]
    pub fn delivers_separately(&self, tag: &LanguageTag) -> bool {
        self.languages.delivers_separately(tag)
    }

    /// A URL as the run knows it.
    #[must_use]
    pub fn normalised<'u>(&self, url: &'u CanonicalUrl) -> Cow<'u, CanonicalUrl> {
        self.rule.normalised(url)
    }

    /// The redirects that led to the response, in order.
    #[must_use]
    pub fn redirects(&self) -> Vec<RedirectHop> {
        let mut redirects = redirect_chain::hops_to(self.state, self.id);
        redirects.extend_from_slice(self.alias_hops);
        redirects
    }

    /// The URL that an item is known by, its text, and the final URL if that differs.
    #[must_use]
    pub fn known_as(&self, cause: Option<Cause>) -> (UrlId, &'a str, Option<&'a str>) {
        let (frontier, id) = (&self.state.frontier, self.id);
        let found = frontier.text(id);
        // In a single-page run, and in a redirect loop, the item is known by the URL that was
        // requested or linked.
        let known_by = match cause {
            _ if self.one_page && self.state.is_start(id) => UrlId::START,
            Some(Cause::RedirectLoop) => redirect_chain::chain_start(self.state, id),
            _ => id,
        };
        if known_by == id {
            (known_by, found, self.requested_url)
        } else {
            (known_by, frontier.text(known_by), Some(self.requested_url.unwrap_or(found)))
        }
    }

    /// How the page was fetched.
    #[must_use]
    pub fn fetch_context(&self, now: Millis) -> FetchContext {
        let (known_by, url, final_url) = self.known_as(None);
        FetchContext {
            url: url.to_owned(),
            final_url: final_url.map(str::to_owned),
            depth: self.state.frontier.depth(known_by),
            status_code: self.head().map_or(200, |head| head.status),
            language: self.language.map(ToString::to_string),
            rendered: self.rendered,
            fetched_at: now,
        }
    }

    /// Whether a search engine would index it, and why not.
    #[must_use]
    pub fn index(&self) -> (Option<bool>, Option<IndexReason>) {
        // http and https, and the host with and without `www.`, are one page: another spelling of
        // the page's URL is not another canonical URL.
        let is_own = |canonical: &CanonicalUrl| {
            let own = [Some(self.state.frontier.text(self.id)), self.requested_url];
            own.into_iter().flatten().any(|own| urls::same_page(own, canonical.as_str()))
        };
        match (self.outcome, self.page()) {
            (Outcome::Failed(Cause::Robots), _) => (Some(false), Some(IndexReason::Robots)),
            (Outcome::Failed(_) | Outcome::NotRequested | Outcome::Skipped(_), _) => (None, None),
            (Outcome::Answered(200), Some(page)) => match &page.canonical {
                _ if page.noindex => (Some(false), Some(IndexReason::Noindex)),
                Some(canonical) if !is_own(canonical) => {
                    (Some(false), Some(IndexReason::Canonical))
                }
                Some(_) | None => (Some(true), None),
            },
            (Outcome::Answered(200), None) => match self.head() {
                Some(head) if document::noindex(&head.robots) => {
                    (Some(false), Some(IndexReason::Noindex))
                }
                _ => (None, None),
            },
            (Outcome::Answered(_) | Outcome::Redirected { .. }, _) => {
                (Some(false), Some(IndexReason::Status))
            }
        }
    }
}
