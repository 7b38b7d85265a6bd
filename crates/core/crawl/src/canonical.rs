//! Pages with a canonical page, or a version in the run's language: the target is delivered instead
//! of them, whichever is found first. If the target is not delivered, the page itself is.

use contract::{LinkType, Millis, SkipReason};
use document::Page;
use journal::{DiscoveredUrl, Outcome, Step, UrlId, UrlRole, Via};
use urls::{Admission, CanonicalUrl, LanguageTag, folder_of_index};

use crate::parsed_response::{ParsedResponse, ResponseContent};
use crate::site_crawl::SiteCrawl;
use crate::url_table::{HoldReason, UrlState, WaitList};

/// The page that is delivered instead of another.
pub(crate) struct CanonicalTarget {
    pub url: CanonicalUrl,
    via: Via,
    /// Why the other page is skipped if the target is delivered.
    pub reason: SkipReason,
}

impl SiteCrawl {
    /// The page that another page declares as its canonical page or as its version in the run's
    /// language. The home page is not believed to be the canonical page of other pages: a faulty
    /// template that declares it everywhere would hide the whole site.
    pub(crate) fn canonical_target(&self, id: UrlId, page: &Page) -> Option<CanonicalTarget> {
        if !self.policy.deduplicates || self.plan.scope.one_page || self.plan.is_listed() {
            return None;
        }
        let own = self.state.frontier.url(id)?;
        let canonical = page.canonical.as_ref().filter(|canonical| {
            let is_root = canonical.path() == "/" && canonical.query().is_none();
            let is_own_root = own.path() == "/"
                || folder_of_index(&own).is_some_and(|folder| folder.path() == "/");
            // A translation that is delivered separately is not the canonical page either.
            (!is_root || is_own_root) && !self.is_kept_translation(page, canonical)
        });
        let declared = [
            (canonical, Via::Canonical, SkipReason::Duplicate),
            (self.languages.preferred_version(page, &own), Via::Hreflang, SkipReason::Language),
        ];
        declared.into_iter().find_map(|(url, via, reason)| {
            let url = url.filter(|url| self.rule.admits(url) == Admission::Inside)?;
            let url = self.rule.normalised(url).into_owned();
            if !self.rule.passes_filter(&url) {
                return None;
            }
            (url.page_key() != own.page_key()).then_some(CanonicalTarget { url, via, reason })
        })
    }

    /// Whether a page declares a URL as its translation, and the run delivers that separately.
    fn is_kept_translation(&self, page: &Page, url: &CanonicalUrl) -> bool {
        let named = page.alternates.iter().filter(|(_, other)| other.page_key() == url.page_key());
        let mut tags = named.filter_map(|(tag, _)| LanguageTag::parse(tag).ok());
        tags.any(|tag| self.languages.delivers_separately(&tag))
    }

    /// Holds a page until its canonical target is finished. Returns the response if it is not held.
    pub(crate) fn hold_for_canonical(
        &mut self,
        id: UrlId,
        outcome: &Outcome,
        response: ParsedResponse,
    ) -> Option<ParsedResponse> {
        let Some(target) = self.open_canonical_target(id, outcome, &response) else {
            return Some(response);
        };
        // URLs that wait for this page do not wait for its target as well: the target may be one
        // of them.
        if self.state.is_start(id) {
            self.learn_language(id, &response);
            self.release_list(WaitList::StartPage);
        }
        self.release_list(WaitList::Folder(id));
        self.urls.set(id, UrlState::Held(HoldReason::Canonical));
        self.canonical_hold.hold(target, id, response);
        None
    }

    /// The canonical target of a page, if that is not finished yet and the page may wait for it.
    fn open_canonical_target(
        &mut self,
        id: UrlId,
        outcome: &Outcome,
        response: &ParsedResponse,
    ) -> Option<UrlId> {
        let ResponseContent::Page(page) = &response.content else { return None };
        if !outcome.is_success()
            || self.state.frontier.role(id) != UrlRole::Page
            || self.canonical_hold.is_released(id)
            || !self.is_deliverable(response)
        {
            return None;
        }
        let target = self.canonical_target(id, page)?;
        if !self.accepts_language(id, response) {
            // It is skipped in any case.
            return None;
        }
        let at = match self.state.frontier.find(&target.url) {
            Some(at) => at,
            None if self.may_request(&target.url) => {
                let at = self.next_id();
                let found = DiscoveredUrl::page(target.url.to_string(), target.via, None);
                self.apply(Step::Seeded(vec![found]));
                at
            }
            None => return None,
        };
        let at = self.state.led_to(at);
        let is_open = !self.state.frontier.is_finished(at)
            && !self.is_not_requested(at)
            && !self.canonical_hold.leads_to(at, id);
        is_open.then_some(at)
    }

    /// Whether a page may be delivered, as far as its content shows. A mode that reads contents
    /// delivers no page without one.
    fn is_deliverable(&self, response: &ParsedResponse) -> bool {
        match &response.extracted {
            Some(content) => content.is_deliverable(),
            None => self.mode.extractor().is_none(),
        }
    }

    /// Whether the run requests a URL that is not known yet.
    fn may_request(&self, url: &CanonicalUrl) -> bool {
        self.plan.options.discovery
            && self.state.follows_links(&self.plan)
            && matches!(self.policy.expected_kind(url.path()), LinkType::Page | LinkType::Other)
            && self.languages.may_accept(&self.state, url)
            && self.state.traps.judge(url).is_ok()
            && self
                .folder_limit
                .key(url.as_str())
                .is_none_or(|key| self.folder_limit.has_room(key, 0))
            && self.state.frontier.len() < self.plan.ceilings.urls
            && self.state.url_bytes() < self.plan.ceilings.url_bytes
    }

    /// Finishes the held pages whose targets are finished. Returns whether there were any.
    pub(crate) fn resume_ready(&mut self, now: Millis) -> bool {
        let mut any = false;
        while let Some((id, response)) = self.canonical_hold.pop_ready() {
            any = true;
            let Some(response) = response else {
                self.requeue(id);
                continue;
            };
            // A page that is delivered after all uses budget; a skipped one does not.
            if self.is_replaced(id, &response) || self.has_budget_beside(0) {
                let outcome = Outcome::Answered(response.head.status);
                self.finish(id, outcome, Some(*response), now);
            } else {
                self.requeue(id);
            }
        }
        any
    }

    fn is_replaced(&self, id: UrlId, response: &ParsedResponse) -> bool {
        match &response.content {
            ResponseContent::Page(page) => self.delivered_canonical(id, page).is_some(),
            _ => false,
        }
    }

    /// The page that was delivered instead of a page with a canonical target, with the skip
    /// reason of the latter.
    pub(crate) fn delivered_canonical(
        &self,
        id: UrlId,
        page: &Page,
    ) -> Option<(UrlId, SkipReason)> {
        let target = self.canonical_target(id, page)?;
        let at = self.state.frontier.find(&target.url)?;
        Some((self.state.delivered_for(at)?, target.reason))
    }
}
