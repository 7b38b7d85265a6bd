//! Handles the response or failure of a request of a visit.

use contract::Millis;
use document::{LinkKind, ProtectionMarker, SitemapFile};
use journal::{Cause, UrlId};
use urls::CanonicalUrl;

use super::VisitPlan;
use super::visit::{DomainVisit, VisitEnd, is_of_site};
use super::visit_request::{RequestStage, VisitPurpose, VisitRequest};
use crate::challenge_window::ChallengeVerdict;
use crate::fetch_policy::{AttemptFailure, Attempts, FetchPolicy, MAX_HOPS};
use crate::parsed_response::ResponseContent;
use crate::{FetchVia, ParsedResponse};

/// Maximum number of child sitemaps that are read.
const LISTED_FILES: usize = 3;

impl DomainVisit {
    /// Handles the result of a request.
    pub fn receive(
        &mut self,
        number: u32,
        result: Result<ParsedResponse, Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) {
        // Another entry URL may have answered first, which cancels this request.
        if !self.requests.contains_key(&number) {
            return;
        }
        match result {
            Ok(response) => self.answered(number, response, plan, now),
            Err(cause) => self.failed(number, cause, now),
        }
    }

    fn answered(&mut self, number: u32, response: ParsedResponse, plan: &VisitPlan, now: Millis) {
        let Some(request) = self.requests.get_mut(&number) else { return };
        if let Some(marker) = response.protection.filter(|marker| marker.kind.is_protection()) {
            return self.challenge(number, marker, plan, now);
        }
        let head = &response.head;
        if let Some(location) = head.redirect() {
            let target = request.url.join(location);
            return self.redirected(number, target.ok(), now);
        }
        if !(200..300).contains(&head.status) {
            let (status, retry_after) = (head.status, head.retry_after);
            if self.retry(number, AttemptFailure::Status { status, retry_after }, now) {
                if status == 429 {
                    // Recorded now, because the retry may not happen within the visit.
                    self.entry_failures.note_status(status);
                }
                return;
            }
            return self
                .fail_request(number, now, |entry_failures| entry_failures.note_status(status));
        }
        if response.is_shell && request.fetch_via == FetchVia::Plain && plan.capabilities.browser {
            request.plain = Some(Box::new(response));
            request.fetch_via = FetchVia::Browser;
            request.stage = RequestStage::Due(now);
            return;
        }
        let Some(request) = self.requests.remove(&number) else { return };
        match (request.purpose, &response.content) {
            (VisitPurpose::Sitemap { is_child }, ResponseContent::List(_, file)) => {
                self.read_list(file, is_child, now);
            }
            (VisitPurpose::Sitemap { .. }, _) => {}
            (VisitPurpose::Home, _) => match refresh(&response, &request) {
                Some(target) => {
                    let hops = request.hops + 1;
                    self.add(VisitRequest {
                        url: target,
                        hops,
                        stage: RequestStage::Due(now),
                        ..request
                    });
                }
                None => {
                    self.set_home(&request.url);
                    self.read(request.url, response);
                }
            },
            (VisitPurpose::Lead, _) => self.read(request.url, response),
        }
    }

    /// Sets the home page and cancels the other entry URLs.
    fn set_home(&mut self, url: &CanonicalUrl) {
        self.requests.clear();
        self.entry_urls.clear();
        self.collector.see(url);
        self.note_page(url);
        self.collector.set_home(url);
        self.home = Some(url.clone());
        self.pages_requested = 1;
    }

    fn read(&mut self, url: CanonicalUrl, response: ParsedResponse) {
        self.pages_read += 1;
        if let ResponseContent::Page(page) = &response.content {
            for link in &page.links {
                if matches!(link.kind, LinkKind::Anchor | LinkKind::Area) && self.admits(&link.url)
                {
                    self.note_page(&link.url);
                }
            }
            // A server that returns the same page for every URL is read once.
            if !self.contents.insert(page.content_hash.clone()) {
                return;
            }
        }
        let Some(content) = response.extracted else { return };
        let home = self.home.as_ref();
        let leads = self.collector.add(url, content, &|url| is_of_site(home, url));
        leads.found.iter().for_each(|url| self.note_page(url));
        if leads.is_parked && self.pages_read == 1 {
            self.end = Some(VisitEnd::Enough);
        }
    }

    /// Adds pages of a sitemap whose URLs indicate data.
    fn read_list(&mut self, file: &SitemapFile, is_child: bool, now: Millis) {
        let home = self.home.as_ref();
        let found = self.collector.add_listed(&file.entries, &|url| is_of_site(home, url));
        found.iter().for_each(|url| self.note_page(url));
        if is_child {
            return;
        }
        for child in file.children.iter().take(LISTED_FILES) {
            if self.admits(child) {
                let purpose = VisitPurpose::Sitemap { is_child: true };
                self.add(VisitRequest::new(child.clone(), purpose, FetchVia::Plain, now));
            }
        }
    }

    fn failed(&mut self, number: u32, cause: Cause, now: Millis) {
        let Some(request) = self.requests.get_mut(&number) else { return };
        if let Some(plain) = request.plain.take() {
            // The plain response is used when the browser failed.
            let Some(request) = self.requests.remove(&number) else { return };
            if request.purpose == VisitPurpose::Home {
                self.set_home(&request.url);
            }
            return self.read(request.url, *plain);
        }
        // The next entry URL is tried instead of a retry.
        let has_another = request.purpose == VisitPurpose::Home && !self.single_entry;
        if !has_another && self.retry(number, AttemptFailure::Cause(cause), now) {
            return;
        }
        self.fail_request(number, now, |entry_failures| entry_failures.note_cause(cause));
    }

    /// Records a failed attempt. Returns whether the request will be repeated.
    fn retry(&mut self, number: u32, failure: AttemptFailure, now: Millis) -> bool {
        let Some(request) = self.requests.get_mut(&number) else { return false };
        let at = FetchPolicy::VISIT.retry_at(&mut request.attempts, failure, now);
        if let Some(at) = at {
            request.stage = RequestStage::Due(at);
        }
        at.is_some()
    }

    /// Ends a request that failed.
    fn fail_request(
        &mut self,
        number: u32,
        now: Millis,
        note: impl FnOnce(&mut super::entry_failures::EntryFailures),
    ) {
        let Some(request) = self.requests.remove(&number) else { return };
        if request.purpose == VisitPurpose::Home {
            note(&mut self.entry_failures);
            self.next_entry_at = now;
        }
    }

    /// Ends a request that robots.txt or the denylist forbids, or whose robots.txt cannot be read.
    pub(super) fn robots_denied(&mut self, number: u32, cause: Cause, now: Millis) {
        let Some(request) = self.requests.get(&number) else { return };
        if request.purpose == VisitPurpose::Home {
            match cause {
                // If one entry URL is forbidden, the domain is.
                Cause::Robots | Cause::Blacklisted => self.end = Some(VisitEnd::Blocked),
                Cause::NameNotFound | Cause::AddressRefused => {
                    let host = request.url.host().to_owned();
                    self.entry_urls.retain(|entry| entry.host() != host);
                }
                _ => {}
            }
        }
        self.fail_request(number, now, |entry_failures| entry_failures.note_cause(cause));
    }

    fn redirected(&mut self, number: u32, target: Option<CanonicalUrl>, now: Millis) {
        let Some(request) = self.requests.get(&number) else { return };
        let requested = request.url.clone();
        let target = target.filter(|target| *target != requested && request.hops < MAX_HOPS);
        let is_followed = |target: &CanonicalUrl| match request.purpose {
            VisitPurpose::Home => true,
            VisitPurpose::Lead | VisitPurpose::Sitemap { .. } => self.admits(target),
        };
        let Some(target) = target.filter(is_followed) else {
            return self.fail_request(number, now, |entry_failures| {
                entry_failures.note_cause(Cause::RedirectLoop)
            });
        };
        let is_other_page = target.page_key() != requested.page_key();
        if request.purpose == VisitPurpose::Lead && is_other_page && !self.collector.see(&target) {
            self.requests.remove(&number);
            return;
        }
        if let Some(request) = self.requests.get_mut(&number) {
            request.url = target;
            request.hops += 1;
            request.attempts = Attempts::default();
            request.stage = RequestStage::Due(now);
        }
    }

    /// Handles a challenge of bot protection.
    fn challenge(&mut self, number: u32, marker: ProtectionMarker, plan: &VisitPlan, now: Millis) {
        let Some(request) = self.requests.get(&number) else { return };
        let is_home = request.purpose == VisitPurpose::Home;
        if plan.protected && self.retry(number, AttemptFailure::Challenge, now) {
            return;
        }
        self.protected_by = Some(marker);
        if self.challenges.challenge(UrlId(number), is_home) == ChallengeVerdict::Site {
            let needs_decision = plan.escalates && !plan.protected;
            self.end = Some(match needs_decision {
                true => VisitEnd::SetAside(marker),
                false => VisitEnd::Blocked,
            });
        }
        self.fail_request(number, now, |entry_failures| {
            entry_failures.note_cause(Cause::Protected)
        });
    }
}

/// The target of a `meta refresh` on a page with little text.
fn refresh(response: &ParsedResponse, request: &VisitRequest) -> Option<CanonicalUrl> {
    /// A page with more characters is a home page itself.
    const MAX_CHARS: u64 = 200;
    let ResponseContent::Page(page) = &response.content else { return None };
    let link = page.links.iter().find(|link| link.kind == LinkKind::Refresh)?;
    let is_followed = page.text_chars < MAX_CHARS && request.hops < MAX_HOPS;
    (is_followed && link.url.page_key() != request.url.page_key()).then(|| link.url.clone())
}
