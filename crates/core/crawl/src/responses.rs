//! Handles the response or failure of a page request.

use contract::{LinkType, Millis, RedirectHop, SkipReason};
use document::ProtectionMarker;
use journal::{Cause, Fact, Outcome, Step, UrlId, UrlRole, Via};
use urls::CanonicalUrl;

use crate::challenge_window::ChallengeVerdict;
use crate::fetch_policy::{AttemptFailure, MAX_HOPS};
use crate::redirect::{self, RedirectKind};
use crate::site_crawl::{RedirectAlias, SiteCrawl};
use crate::url_collector::{LinkCandidate, check_wanted};
use crate::url_table::{HoldReason, UrlState, WaitList, WaitReason};
use crate::{BodyNeed, FetchTask, FetchVia, ParsedResponse};

impl SiteCrawl {
    pub(crate) fn answered(
        &mut self,
        id: UrlId,
        need: BodyNeed,
        task: &FetchTask,
        response: ParsedResponse,
        now: Millis,
    ) {
        let is_page = matches!(need, BodyNeed::Page { .. });
        if task.fetch_via == FetchVia::Browser {
            self.shell_pages.take_plain(id);
        }
        match response.protection.filter(|marker| marker.kind.is_protection()) {
            Some(marker) if is_page => return self.challenged(id, marker, response, now),
            _ if is_page => self.record_pass(now),
            _ => {}
        }
        let head = &response.head;
        if let Some(location) = head.redirect() {
            let location = location.to_owned();
            return self.redirected(id, &task.url, &location, response, now);
        }
        // Many servers reject `HEAD`.
        let is_rejected = head.status >= 400 && !matches!(head.status, 404 | 410 | 429);
        if need == BodyNeed::Head && is_rejected {
            return self.request_first_bytes(id);
        }
        let status = match (need, head.status) {
            // A partial response proves that the URL exists.
            (BodyNeed::FirstBytes, 206 | 416) => 200,
            (_, status) => status,
        };
        let failure = AttemptFailure::Status { status, retry_after: head.retry_after };
        if status >= 400 && self.schedule_retry(id, failure, now) {
            return;
        }
        if task.fetch_via == FetchVia::Plain && status < 300 && response.is_shell {
            return self.shell(id, response, now);
        }
        if status < 300
            && let Some(failed) = &response.failed_action
        {
            self.failed_action.get_or_insert_with(|| failed.as_ref().clone());
            return self.finish(id, Outcome::Failed(Cause::ActionFailed), Some(response), now);
        }
        self.finish(id, Outcome::Answered(status), Some(response), now);
    }

    pub(crate) fn failed(
        &mut self,
        id: UrlId,
        need: BodyNeed,
        fetch_via: FetchVia,
        cause: Cause,
        now: Millis,
    ) {
        if need == BodyNeed::Head && cause == Cause::Protocol {
            return self.request_first_bytes(id);
        }
        // An unavailable browser may be back soon, and the page is not the cause.
        let is_retried = fetch_via == FetchVia::Browser
            && cause == Cause::ProviderDown
            && self.schedule_retry(id, AttemptFailure::Cause(cause), now);
        if is_retried {
            return;
        }
        if fetch_via == FetchVia::Browser
            && let Some(plain) = self.shell_pages.take_plain(id)
        {
            if cause == Cause::ProviderDown {
                // The page is empty without a browser, and the fault is ours: it costs nothing.
                return self.finish(id, Outcome::Failed(cause), None, now);
            }
            // The plain response is used when the browser failed on this page.
            let status = plain.head.status;
            return self.finish(id, Outcome::Answered(status), Some(*plain), now);
        }
        if !self.schedule_retry(id, AttemptFailure::Cause(cause), now) {
            self.finish(id, Outcome::Failed(cause), None, now);
        }
    }

    /// Records a failed attempt. Returns whether the URL will be retried.
    fn schedule_retry(&mut self, id: UrlId, failure: AttemptFailure, now: Millis) -> bool {
        // A host that refuses connections and has not answered in this run is probably not there.
        let is_absent = failure == AttemptFailure::Cause(Cause::ConnectionRefused)
            && self.state.outcome_counts.success == 0;
        let fetch_policy =
            if is_absent { self.fetch_policy.of_absent_host() } else { self.fetch_policy };
        let is_retried = self.retries.schedule_retry(id, failure, &fetch_policy, now);
        if is_retried {
            self.urls.set(id, UrlState::Waiting(WaitReason::Retry));
        }
        is_retried
    }

    /// Handles a challenge of bot protection.
    fn challenged(
        &mut self,
        id: UrlId,
        marker: ProtectionMarker,
        response: ParsedResponse,
        now: Millis,
    ) {
        if self.plan.protected {
            if !self.schedule_retry(id, AttemptFailure::Challenge, now) {
                self.block(id, marker, Some(response), now);
            }
            return;
        }
        if !self.plan.escalates {
            return self.block(id, marker, Some(response), now);
        }
        self.urls.set(id, UrlState::Held(HoldReason::Challenge));
        if self.plan.is_listed() {
            // Set aside until all other URLs are done.
            self.challenged_by.get_or_insert(marker);
            return;
        }
        match self.challenge_window.challenge(id, self.state.is_start(id)) {
            ChallengeVerdict::Site => self.escalation = Some(marker),
            ChallengeVerdict::Page(expired) => {
                self.challenged_by = Some(marker);
                self.challenged.insert(id, response.head.status);
                if let Some(id) = expired {
                    self.block(id, marker, None, now);
                }
            }
        }
    }

    /// Records a page without a challenge, and blocks a challenged page that left the window.
    fn record_pass(&mut self, now: Millis) {
        if let (Some(id), Some(marker)) = (self.challenge_window.record_pass(), self.challenged_by)
        {
            self.block(id, marker, None, now);
        }
    }

    /// Finishes a page that protection blocks.
    fn block(
        &mut self,
        id: UrlId,
        marker: ProtectionMarker,
        response: Option<ParsedResponse>,
        now: Millis,
    ) {
        if self.state.protected_by.is_none() {
            let marker = marker.to_string();
            self.apply(Step::Learned(Fact::Protected { marker }));
        }
        self.finish(id, Outcome::Failed(Cause::Protected), response, now);
    }

    /// Handles a page that is empty without JavaScript.
    fn shell(&mut self, id: UrlId, response: ParsedResponse, now: Millis) {
        if self.plan.capabilities.browser && !self.plan.protected {
            self.shell_pages.render(id, response);
            return self.requeue(id);
        }
        if self.state.is_start(id) && !self.plan.is_listed() {
            return self.hold_start(id, response);
        }
        let status = response.head.status;
        self.finish(id, Outcome::Answered(status), Some(response), now);
    }

    /// Holds the start page, which there is no browser to render, until it is known whether the run
    /// delivers anything else.
    fn hold_start(&mut self, id: UrlId, response: ParsedResponse) {
        self.shell_pages.keep_start(id, response);
        self.urls.set(id, UrlState::Held(HoldReason::Shell));
        self.release_list(WaitList::StartPage);
    }

    /// Finishes pages that were deferred to the end. Returns whether there were any.
    pub(crate) fn finish_deferred(&mut self, now: Millis) -> bool {
        if self.release_list(WaitList::OtherPages) {
            self.print_views_released = true;
            return true;
        }
        let challenged = self.challenge_window.drain();
        let mut any = self.canonical_hold.release_all() | !challenged.is_empty();
        if let Some(marker) = self.challenged_by {
            challenged.into_iter().for_each(|id| self.block(id, marker, None, now));
        }
        if self.has_budget_beside(0)
            && let Some((id, response)) = self.shell_pages.take_start()
        {
            any = true;
            let outcome = if self.state.results() > 0 {
                Outcome::Answered(response.head.status)
            } else {
                // The run delivered nothing at all.
                Outcome::Failed(Cause::NeedsRendering)
            };
            self.finish(id, outcome, Some(*response), now);
        }
        any
    }

    fn request_first_bytes(&mut self, id: UrlId) {
        self.head_unsupported.insert(id);
        self.requeue(id);
    }

    fn redirected(
        &mut self,
        id: UrlId,
        requested: &CanonicalUrl,
        location: &str,
        response: ParsedResponse,
        now: Millis,
    ) {
        let status = response.head.status;
        match redirect::classify(self, id, requested, location) {
            RedirectKind::Alias(url) => {
                self.request_alias(id, requested, status, url, response, now)
            }
            RedirectKind::Inside(target) => self.point(id, status, &target, response, now),
            RedirectKind::SiteMoved(target) => {
                self.apply(Step::Learned(Fact::SiteMoved { to: target.to_string() }));
                self.rule = self.mode.scope_rule(self.state.scope_rule(&self.plan));
                self.point(id, status, &target, response, now);
            }
            RedirectKind::Outside => {
                let outcome = Outcome::Redirected { status, to: None };
                self.finish(id, outcome, Some(response), now);
            }
            RedirectKind::Dead(cause) => {
                self.finish(id, Outcome::Failed(cause), Some(response), now);
            }
        }
    }

    /// Requests a URL again, at another address.
    fn request_alias(
        &mut self,
        id: UrlId,
        requested: &CanonicalUrl,
        status: u16,
        url: CanonicalUrl,
        response: ParsedResponse,
        now: Millis,
    ) {
        let alias = self
            .redirect_aliases
            .entry(id)
            .or_insert_with(|| RedirectAlias { url: url.clone(), hops: Vec::new() });
        alias.hops.push(RedirectHop { url: requested.to_string(), status });
        alias.url = url;
        // The new address has its own retries.
        self.retries.forget(id);
        if alias.hops.len() > MAX_HOPS {
            let dead = Outcome::Failed(Cause::RedirectLoop);
            self.finish(id, dead, Some(response), now);
        } else {
            self.requeue(id);
        }
    }

    /// Finishes a URL that redirects to another URL of the run.
    fn point(
        &mut self,
        id: UrlId,
        status: u16,
        target: &CanonicalUrl,
        response: ParsedResponse,
        now: Millis,
    ) {
        let frontier = &self.state.frontier;
        let known = frontier.find(target);
        let anchor = frontier.anchor(id).unwrap_or_default();
        let candidate = LinkCandidate { url: target, via: Via::Redirect, anchor, nofollow: false };
        let mut collector = self.collector(id);
        let to = match (known, self.role_of_target(id, target)) {
            (Some(known), _) => {
                collector.note_known(known, &candidate);
                Some(known)
            }
            (None, Ok(role)) => collector.add(role, &candidate),
            (None, Err(reason)) => {
                collector.reject(target, reason);
                None
            }
        };
        let mut collected = collector.finish();
        if frontier.role(id).is_sitemap() && known.is_some() {
            // The target is known already; the next well-known sitemap location is tried.
            collected = self.read_list(id, None);
        }
        self.finish_with(id, Outcome::Redirected { status, to }, Some(response), collected, now);
    }

    /// What a redirect target is requested for: the same as its source, except that files stay
    /// files.
    fn role_of_target(&self, source: UrlId, target: &CanonicalUrl) -> Result<UrlRole, SkipReason> {
        let role = self.state.frontier.role(source);
        let is_start = self.state.is_start(source);
        if role.is_internal() && !is_start && !self.rule.passes_filter(target) {
            return Err(SkipReason::Excluded);
        }
        match self.policy.expected_kind(target.path()) {
            kind @ (LinkType::File | LinkType::Image) if role == UrlRole::Page && !is_start => {
                check_wanted(&self.plan, kind).map(|()| UrlRole::File)
            }
            _ => Ok(role),
        }
    }
}
