//! A visit to one domain: finds its home page, requests the pages that are likely to have what the
//! mode collects, and has the mode build the record.
//!
//! Nothing of it is durable: an interrupted visit starts again.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use contract::{Item, Millis};
use document::{ProtectionMarker, SitemapLocations};
use journal::UrlId;
use urls::{CanonicalUrl, Fingerprint};

use super::VisitPlan;
use super::entry_failures::EntryFailures;
use super::record_context::{RecordContext, VisitOutcome};
use super::robots_gate::{RobotsDecision, RobotsGate};
use super::visit_mode::{VisitCollector, VisitMode};
use super::visit_request::{RequestStage, VisitPurpose, VisitRequest};
use crate::challenge_window::ChallengeWindow;
use crate::page_extractor::PageExtractor;
use crate::{Action, ExtractRequest, FetchTask, FetchVia, Purpose};

/// How long an entry URL has before the next one is tried beside it.
const ENTRY_PATIENCE: Duration = Duration::from_secs(3);

/// Maximum number of page requests of one visit in flight.
const PAGES_AT_A_TIME: usize = 2;

/// Maximum number of pages that are counted as known.
const KNOWN_AT_MOST: usize = 10_000;

#[derive(Debug)]
pub(super) enum VisitResult {
    /// A record, and the number of known pages.
    Record(Item, u32),
    /// The domain is protected, and the owner of the run has to decide.
    SetAside(ProtectionMarker),
}

/// Why a visit ends before all pages are read.
#[derive(Debug, Clone, Copy)]
pub(super) enum VisitEnd {
    SetAside(ProtectionMarker),
    /// robots.txt, the denylist or protection forbids the domain.
    Blocked,
    /// There is nothing more to find.
    Enough,
}

/// The visit of one domain.
#[derive(Debug)]
pub(super) struct DomainVisit {
    pub(super) domain_index: u32,
    domain: String,
    input: Option<String>,
    pub(super) began: Millis,
    deadline: Millis,
    /// How pages are fetched: plain requests or the protected tier.
    pub(super) fetch_via: FetchVia,
    /// Entry URLs that were not tried, and when to try the next.
    pub(super) entry_urls: VecDeque<CanonicalUrl>,
    pub(super) next_entry_at: Millis,
    /// Whether there was only one entry URL from the beginning.
    pub(super) single_entry: bool,
    pub(super) entry_failures: EntryFailures,
    robots: RobotsGate,
    pub(super) requests: BTreeMap<u32, VisitRequest>,
    next_request: u32,
    /// The URL at which the home page was read.
    pub(super) home: Option<CanonicalUrl>,
    extractor: Arc<dyn PageExtractor>,
    pub(super) collector: Box<dyn VisitCollector>,
    sitemaps_searched: bool,
    pub(super) pages_requested: u32,
    pub(super) pages_read: u32,
    /// A visit requests fewer pages than the window has, so that it counts all challenges.
    pub(super) challenges: ChallengeWindow,
    /// The protection of the domain, if any.
    pub(super) protected_by: Option<ProtectionMarker>,
    /// Content hashes of the pages that were read.
    pub(super) contents: HashSet<String>,
    pub(super) known: HashSet<Fingerprint>,
    pub(super) end: Option<VisitEnd>,
}

impl DomainVisit {
    pub fn new(
        domain_index: u32,
        plan: &VisitPlan,
        mode: &dyn VisitMode,
        now: Millis,
    ) -> Option<Self> {
        let target = plan.targets.get(domain_index as usize)?;
        let entry_urls: VecDeque<_> = target.entry_urls().into();
        Some(Self {
            domain_index,
            domain: target.domain().to_owned(),
            input: plan.input(domain_index),
            began: now,
            deadline: now.plus(plan.budget),
            fetch_via: if plan.protected { FetchVia::Tier } else { FetchVia::Plain },
            single_entry: entry_urls.len() == 1,
            entry_urls,
            next_entry_at: now,
            entry_failures: EntryFailures::default(),
            robots: RobotsGate::default(),
            requests: BTreeMap::new(),
            next_request: 0,
            home: None,
            extractor: mode.extractor(),
            collector: mode.collector(),
            sitemaps_searched: false,
            pages_requested: 0,
            pages_read: 0,
            challenges: ChallengeWindow::default(),
            protected_by: None,
            contents: HashSet::new(),
            known: HashSet::new(),
            end: None,
        })
    }

    /// Dispatches requests that are due. Returns the result when nothing is left.
    pub fn advance(
        &mut self,
        plan: &VisitPlan,
        now: Millis,
        actions: &mut Vec<Action>,
    ) -> Option<VisitResult> {
        loop {
            if let Some(end) = self.end {
                return Some(self.conclude(Some(end), now));
            }
            if now >= self.deadline {
                return Some(self.conclude(None, now));
            }
            while let Some(task) = self.robots.pop_due(self.domain_index, now) {
                actions.push(Action::Fetch(task));
            }
            self.try_next_entry(now);
            self.request_leads(plan, now);
            if self.requests.is_empty() && self.entry_urls.is_empty() {
                return Some(self.conclude(None, now));
            }
            let due =
                self.requests.iter().find(|(_, request)| request.due().is_some_and(|at| at <= now));
            let (&number, _) = due?;
            self.dispatch(number, plan, now, actions);
        }
    }

    /// Requests the next entry URL when its time has come.
    fn try_next_entry(&mut self, now: Millis) {
        if self.home.is_some() || now < self.next_entry_at {
            return;
        }
        if let Some(url) = self.entry_urls.pop_front() {
            self.next_entry_at = now.plus(ENTRY_PATIENCE);
            self.collector.see(&url);
            self.add(VisitRequest::new(url, VisitPurpose::Home, self.fetch_via, now));
        }
    }

    /// Requests pages that are likely to have data; the sitemap if no page leads to one.
    fn request_leads(&mut self, plan: &VisitPlan, now: Millis) {
        if self.home.is_none() {
            return;
        }
        while self.requests.len() < PAGES_AT_A_TIME && self.pages_requested < plan.pages {
            let Some(url) = self.collector.next_page() else { break };
            self.pages_requested += 1;
            self.add(VisitRequest::new(url, VisitPurpose::Lead, self.fetch_via, now));
        }
        let has_budget = self.pages_requested < plan.pages;
        let is_idle = has_budget && self.requests.is_empty() && !self.sitemaps_searched;
        // A sitemap is of use only if one of its pages can still be requested.
        if is_idle && self.collector.needs_sitemap() {
            self.sitemaps_searched = true;
            if let Some(url) = self.sitemap().filter(|url| self.admits(url)) {
                let purpose = VisitPurpose::Sitemap { is_child: false };
                self.add(VisitRequest::new(url, purpose, FetchVia::Plain, now));
            }
        }
    }

    /// The sitemap that robots.txt names, or the first well-known location.
    fn sitemap(&self) -> Option<CanonicalUrl> {
        let home = self.home.as_ref()?;
        let rules = self.robots.known(home.origin())?;
        SitemapLocations::of(home, rules).iter().next().cloned()
    }

    pub(super) fn add(&mut self, request: VisitRequest) {
        self.requests.insert(self.next_request, request);
        self.next_request += 1;
    }

    /// Dispatches a request if robots.txt is known and allows it.
    fn dispatch(&mut self, number: u32, plan: &VisitPlan, now: Millis, actions: &mut Vec<Action>) {
        let Some(request) = self.requests.get_mut(&number) else { return };
        let decision = if plan.denylist.covers(&request.url) {
            RobotsDecision::Denied(journal::Cause::Blacklisted)
        } else {
            self.robots.decide(&request.url, self.domain_index)
        };
        let gap = match decision {
            RobotsDecision::Allowed(gap) => gap,
            RobotsDecision::Denied(cause) => return self.robots_denied(number, cause, now),
            RobotsDecision::Pending(task) => {
                request.stage = RequestStage::WaitingForRobots;
                actions.extend(task.map(Action::Fetch));
                return;
            }
        };
        request.stage = RequestStage::InFlight;
        let need = request.purpose.need();
        let extractor = Some(Arc::clone(&self.extractor));
        let extract = ExtractRequest { extractor, language: false };
        actions.push(Action::Fetch(FetchTask {
            url: request.url.clone(),
            purpose: Purpose::Url { id: UrlId(number), need },
            visit: Some(self.domain_index),
            gap,
            fetch_via: request.fetch_via,
            extract,
        }));
    }

    /// Handles the result of a robots.txt request.
    pub fn receive_rules(
        &mut self,
        origin: &str,
        task: &FetchTask,
        result: Result<crate::ParsedResponse, journal::Cause>,
        plan: &VisitPlan,
        now: Millis,
    ) -> Option<FetchTask> {
        let elsewhere = self.robots.receive(origin, task, result, plan, now);
        for request in self.requests.values_mut() {
            // A request that waits for another origin will wait again.
            if request.stage == RequestStage::WaitingForRobots {
                request.stage = RequestStage::Due(now);
            }
        }
        elsewhere
    }

    /// Whether a URL belongs to the site of the home page.
    pub(super) fn admits(&self, url: &CanonicalUrl) -> bool {
        is_of_site(self.home.as_ref(), url)
    }

    pub(super) fn note_page(&mut self, url: &CanonicalUrl) {
        if self.known.len() < KNOWN_AT_MOST {
            self.known.insert(Fingerprint::of(url));
        }
    }

    /// Moves the times of the visit by a time in which it got no responses.
    pub fn postpone(&mut self, by: Duration) {
        for time in [&mut self.began, &mut self.deadline, &mut self.next_entry_at] {
            *time = time.plus(by);
        }
    }

    /// When the visit has to be advanced without a response.
    pub fn next_due(&self) -> Millis {
        let entry =
            Some(self.next_entry_at).filter(|_| self.home.is_none() && !self.entry_urls.is_empty());
        let requests = self.requests.values().filter_map(VisitRequest::due);
        let due = requests.chain(entry).chain(self.robots.next_due()).min();
        due.unwrap_or(self.deadline).min(self.deadline)
    }

    fn conclude(&mut self, end: Option<VisitEnd>, now: Millis) -> VisitResult {
        if let Some(VisitEnd::SetAside(marker)) = end {
            return VisitResult::SetAside(marker);
        }
        let answered = self.home.as_ref().map(CanonicalUrl::bare_host);
        let context = RecordContext {
            domain: self.domain.clone(),
            input: self.input.clone(),
            redirected_to: answered.filter(|host| *host != self.domain).map(str::to_owned),
            pages_checked: self.pages_read,
            now,
        };
        let is_blocked = matches!(end, Some(VisitEnd::Blocked));
        let outcome = if self.home.is_some() {
            VisitOutcome::Read { blocked: is_blocked || self.challenges.undecided() > 0 }
        } else if is_blocked {
            VisitOutcome::Blocked
        } else {
            self.entry_failures.outcome()
        };
        let known = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        VisitResult::Record(self.collector.record(context, outcome), known)
    }
}

/// Whether a URL belongs to the site of the home page; every URL does until that is known.
pub(super) fn is_of_site(home: Option<&CanonicalUrl>, url: &CanonicalUrl) -> bool {
    let Some(home) = home else { return true };
    let (bare, host) = (home.bare_host(), url.bare_host());
    bare == host || host.strip_suffix(bare).is_some_and(|below| below.ends_with('.'))
}
