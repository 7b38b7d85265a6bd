//! The engine of a site crawl: applies inputs and returns actions.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use contract::{FailedAction, Millis, RedirectHop};
use document::ProtectionMarker;
use job::RunEnding;
use journal::{
    Cause, Commit, DiscoveredUrl, Fact, Finished, JournalError, Outcome, Overlay, Snapshot, Step,
    UrlId, Via,
};
use thiserror::Error;
use urls::{CanonicalUrl, ScopeRule};

use crate::canonical_hold::CanonicalHold;
use crate::challenge_window::ChallengeWindow;
use crate::crawl_mode::CrawlMode;
use crate::engine_error::EngineError;
use crate::fetch_policy::FetchPolicy;
use crate::fetch_queue::FetchQueue;
use crate::folder_limit::FolderLimit;
use crate::languages::LanguageRule;
use crate::mode_policy::ModePolicy;
use crate::pending_robots::PendingRobots;
use crate::retry_queue::RetryQueue;
use crate::run_ending::ending;
use crate::shell_pages::ShellPages;
use crate::url_table::{UrlState, UrlTable, WaitList};
use crate::{
    Action, CrawlPlan, CrawlProgress, Engine, FetchTask, ParsedResponse, Pending, Purpose,
    RunState, Seeds,
};

mod budget;
mod listed;

/// A log that cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A step refers to a URL that the run does not have.
    #[error("a step refers to the unknown URL {0}")]
    UnknownUrl(UrlId),
}

/// URLs that are dispatched in one call of `advance`, so that other tasks of the thread are not
/// blocked.
const DISPATCHES_AT_A_TIME: usize = 1_000;

/// The crawl of one site, or of the URLs of one shard of a list.
#[derive(Debug)]
pub struct SiteCrawl {
    pub(crate) plan: CrawlPlan,
    pub(crate) policy: ModePolicy,
    pub(crate) mode: Box<dyn CrawlMode>,
    pub(crate) rule: ScopeRule,
    pub(crate) languages: LanguageRule,
    pub(crate) folder_limit: FolderLimit,
    pub(crate) state: RunState,
    pub(crate) pending: Pending,
    pub(crate) pending_bytes: usize,
    /// The state of each URL.
    pub(crate) urls: UrlTable,
    pub(crate) fetch_queue: FetchQueue,
    pub(crate) fetch_policy: FetchPolicy,
    pub(crate) retries: RetryQueue,
    pub(crate) pending_robots: PendingRobots,
    pub(crate) robots_in_flight: usize,
    /// URLs that are requested at another address, because of redirects to the same page.
    pub(crate) redirect_aliases: HashMap<UrlId, RedirectAlias>,
    /// URLs whose host rejects `HEAD` requests.
    pub(crate) head_unsupported: HashSet<UrlId>,
    pub(crate) challenge_window: ChallengeWindow,
    /// The first protection that challenged a page.
    pub(crate) challenged_by: Option<ProtectionMarker>,
    /// Statuses of challenged pages that are not finished yet.
    pub(crate) challenged: HashMap<UrlId, u16>,
    pub(crate) shell_pages: ShellPages,
    pub(crate) canonical_hold: CanonicalHold,
    /// The protection that the run's owner has to decide about.
    pub(crate) escalation: Option<ProtectionMarker>,
    /// Whether print views were released, which wait until all other pages are read.
    pub(crate) print_views_released: bool,
    /// URLs that cannot be fetched, with the cause.
    pub(crate) unfetchable: HashMap<UrlId, Cause>,
    /// The first failure of an action, for the message of an empty run.
    pub(crate) failed_action: Option<FailedAction>,
    /// The first bug of the mode.
    pub(crate) mode_error: Option<EngineError>,
    /// The earliest start of the next request, with `delay_ms`.
    next_request: Millis,
    /// Whether the mode learns from pages: all pages of the run are of one site.
    pub(crate) learns: bool,
    ended: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct RedirectAlias {
    pub url: CanonicalUrl,
    pub hops: Vec<RedirectHop>,
}

impl SiteCrawl {
    #[must_use]
    pub fn new(plan: CrawlPlan, mode: Box<dyn CrawlMode>) -> Self {
        let state = RunState::new(plan.traps.clone());
        let mut crawl = Self::with_state(plan, mode, state);
        crawl.seed();
        crawl
    }

    /// Restores a run from its log.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] when the snapshot cannot be read, or a step refers to an unknown URL.
    pub fn replay(
        plan: CrawlPlan,
        mut mode: Box<dyn CrawlMode>,
        snapshot: Option<&Snapshot>,
        commits: &[Commit],
    ) -> Result<Self, ReplayError> {
        let mut state = match snapshot {
            Some(snapshot) => mode.restore(snapshot)?,
            None => RunState::new(plan.traps.clone()),
        };
        for step in commits.iter().flat_map(|commit| &commit.steps) {
            if let Some(id) = state.unknown_id(step) {
                return Err(ReplayError::UnknownUrl(id));
            }
            state.apply(step);
            mode.apply(step);
        }
        Ok(Self::from_state(plan, mode, state))
    }

    /// Continues the run with another plan. Requests in flight are dropped.
    #[must_use]
    pub fn resume_with(self, plan: CrawlPlan) -> Self {
        Self::from_state(plan, self.mode, self.state)
    }

    fn from_state(plan: CrawlPlan, mode: Box<dyn CrawlMode>, state: RunState) -> Self {
        let mut crawl = Self::with_state(plan, mode, state);
        for id in crawl.state.frontier.pending() {
            crawl.fetch_queue.add(&crawl.state.frontier, id);
        }
        if crawl.state.frontier.is_empty() || crawl.plan.is_listed() {
            crawl.seed();
        } else {
            let number = crawl.plan.batch;
            if number > crawl.state.tail.0.batch.number.max(1) {
                crawl.apply(Step::Learned(Fact::BatchStarted { number }));
            }
        }
        crawl
    }

    #[must_use]
    pub fn plan(&self) -> &CrawlPlan {
        &self.plan
    }

    fn with_state(plan: CrawlPlan, mut mode: Box<dyn CrawlMode>, state: RunState) -> Self {
        let policy = mode.policy();
        let plan = policy.restrict(plan.slowed_by_options().without_discovery());
        mode.begin(&plan);
        Self {
            rule: mode.scope_rule(state.scope_rule(&plan)),
            languages: LanguageRule::of(&policy, &plan.options, &state),
            folder_limit: FolderLimit::new(plan.options.max_pages_per_folder, &state.frontier),
            canonical_hold: CanonicalHold::default(),
            urls: UrlTable::of(&state.frontier),
            fetch_queue: FetchQueue::new(plan.host_concurrency),
            fetch_policy: FetchPolicy::of_site(&plan.retries),
            learns: plan.is_one_site(),
            plan,
            policy,
            mode,
            state,
            pending: Pending::default(),
            pending_bytes: 0,
            retries: RetryQueue::default(),
            pending_robots: PendingRobots::default(),
            robots_in_flight: 0,
            redirect_aliases: HashMap::new(),
            head_unsupported: HashSet::new(),
            challenge_window: ChallengeWindow::default(),
            challenged_by: None,
            challenged: HashMap::new(),
            shell_pages: ShellPages::default(),
            escalation: None,
            print_views_released: false,
            unfetchable: HashMap::new(),
            failed_action: None,
            mode_error: None,
            next_request: Millis(0),
            ended: false,
        }
    }

    fn seed(&mut self) {
        if let Seeds::Listed(urls) = self.plan.seeds.clone() {
            return self.seed_list(&urls);
        }
        let url = self.plan.start.as_str().to_owned();
        self.apply(Step::Seeded(vec![DiscoveredUrl::page(url, Via::Start, None)]));
    }

    /// The durable state without that of the mode, including steps that are not committed yet.
    #[must_use]
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Whether the run can start with what an earlier run learned of the site.
    #[must_use]
    pub fn wants_learned_data(&self) -> bool {
        let frontier = &self.state.frontier;
        self.learns && self.mode.wants_learned_data() && frontier.pending_count() == frontier.len()
    }

    /// Starts with what an earlier run learned of the site, as the first fact of the log. Does
    /// nothing if the run has begun or does not use it.
    pub fn begin_with_learned_data(&mut self, data: Vec<u8>) {
        if self.wants_learned_data()
            && let Some(fact) = self.mode.start_with_learned_data(data)
        {
            self.apply(Step::Learned(fact));
        }
    }

    /// Puts URLs that have waited at the front of the queue, in their order.
    pub(crate) fn release(&mut self, urls: &[UrlId]) {
        urls.iter().rev().for_each(|id| self.requeue(*id));
    }

    /// Puts the URLs of a list at the front of the queue. Returns whether there were any.
    pub(crate) fn release_list(&mut self, list: WaitList) -> bool {
        let waited = self.urls.take(list);
        self.release(&waited);
        !waited.is_empty()
    }

    /// Puts a URL at the front of the queue.
    pub(crate) fn requeue(&mut self, id: UrlId) {
        if self.urls.set(id, UrlState::Queued) {
            self.fetch_queue.add_first(&self.state.frontier, id);
        }
    }

    /// Applies a step and adds it to the pending commit.
    pub(crate) fn apply(&mut self, step: Step) {
        let first_new = self.next_id();
        self.state.apply(&step);
        self.mode.apply(&step);
        if let Step::Learned(Fact::MainLanguage { .. }) = &step {
            self.languages = LanguageRule::of(&self.policy, &self.plan.options, &self.state);
        }
        let frontier = &self.state.frontier;
        self.pending_bytes += step.bytes();
        self.urls.extend_to(frontier.next_id());
        if let Step::Finished(Finished { id, rediscovered, listed, .. }) = &step {
            self.urls.set(*id, UrlState::Done);
            let linked = rediscovered.iter().filter(|found_again| found_again.via == Via::Link);
            linked.for_each(|found_again| self.fetch_queue.promote(frontier, found_again.id));
            let led_to = rediscovered.iter().filter(|found_again| found_again.via == Via::Redirect);
            let requested =
                led_to.map(|found_again| found_again.id).chain(listed.iter().map(|at| at.id));
            for id in requested.filter(|id| self.urls.follow_recorded(*id)) {
                self.fetch_queue.add(frontier, id);
            }
        }
        for id in first_new.until(frontier.next_id()) {
            self.fetch_queue.add(frontier, id);
        }
        self.folder_limit.count(frontier, first_new);
        self.pending.commit.steps.push(step);
    }

    pub(crate) fn next_id(&self) -> UrlId {
        self.state.frontier.next_id()
    }

    /// Dispatches URLs until the concurrency or the budget is reached. Returns false when it
    /// stopped early: a robots.txt may forbid a million URLs, and checking them takes time.
    fn dispatch_ready(&mut self, now: Millis, actions: &mut Vec<Action>) -> bool {
        let mut dispatched = 0;
        while self.fetch_queue.in_flight() + self.robots_in_flight < self.plan.concurrency
            && self.has_budget()
            && now >= self.next_request
        {
            if dispatched == DISPATCHES_AT_A_TIME {
                return false;
            }
            let Some(id) = self.fetch_queue.pop() else { break };
            dispatched += 1;
            if let Some(task) = self.dispatch(id, now) {
                actions.push(Action::Fetch(task));
                if let Some(delay) = self.plan.options.delay_ms {
                    self.next_request = now.plus(Duration::from_millis(delay));
                }
            }
        }
        true
    }

    /// Finishes URLs that were only recorded, when nothing else is left: until then a redirect or a
    /// shorter path may lead there. Returns whether such a path makes some of them ready to fetch.
    fn finish_recorded(&mut self, now: Millis) -> bool {
        if self.state.frontier.pending_count() > self.urls.recorded_count() {
            return false;
        }
        let mut any_ready = false;
        while self.has_budget() {
            let Some(id) = self.urls.pop_recorded() else { break };
            if self.is_not_requested(id) {
                self.finish(id, Outcome::NotRequested, None, now);
            } else {
                any_ready = true;
                self.requeue(id);
            }
        }
        any_ready
    }

    /// Dispatches what can be fetched now, or returns what the run waits for.
    fn proceed(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if let Some(marker) = self.escalation {
            // Requests in flight are dropped; their URLs are fetched again after the decision.
            self.ended = true;
            actions.push(Action::Escalate(marker));
            return;
        }
        while let Some(task) = self.pending_robots.pop_due(now) {
            self.robots_in_flight += 1;
            actions.push(Action::Fetch(task));
        }
        while let Some(id) = self.retries.pop_due(now) {
            self.requeue(id);
        }
        self.resume_ready(now);
        let mut is_done = self.dispatch_ready(now, actions);
        while is_done && self.resume_ready(now) {
            // The resumed pages may have added URLs.
            is_done = self.dispatch_ready(now, actions);
        }
        if !is_done {
            // Yields to other tasks of the thread and to a commit that is due.
            actions.push(Action::WakeAt(now.plus(Duration::from_millis(1))));
            return;
        }
        if self.finish_recorded(now) {
            return self.proceed(now, actions);
        }
        let busy = self.fetch_queue.in_flight() > 0 || self.robots_in_flight > 0;
        if busy || self.has_budget() {
            // A retry or a robots.txt request is due later; it must not wait for a slow response of
            // another host.
            let paced = (now < self.next_request && self.fetch_queue.has_ready())
                .then_some(self.next_request);
            let due = [self.pending_robots.next_due(), self.retries.next_due(), paced];
            if let Some(at) = due.into_iter().flatten().min() {
                actions.push(Action::WakeAt(at));
                return;
            }
        }
        if busy {
            return;
        }
        if self.has_budget_beside(0) && self.finish_deferred(now) {
            // The finished pages may have added URLs.
            return self.proceed(now, actions);
        }
        self.ended = true;
        actions.push(self.final_action());
    }

    fn final_action(&self) -> Action {
        if self.plan.is_listed() {
            return self.list_action();
        }
        let sampled =
            self.plan.options.sample_size.is_some_and(|size| self.state.results() >= size);
        let left = self.state.frontier.pending_count() > 0;
        let out_of_pages = left
            && self.plan.max_pages.is_some_and(|max| self.state.outcome_counts.requested >= max);
        let out_of_credits = left && self.plan.max_units.is_some_and(|max| self.state.units >= max);
        let limit = sampled
            .then_some(RunEnding::Sampled)
            .or(out_of_pages.then_some(RunEnding::PageLimit))
            .or(out_of_credits.then_some(RunEnding::CreditLimit));
        let batch_full = self.batch_ends_at().is_some_and(|end| self.state.units >= end)
            || !self.has_fetch_allowance();
        if batch_full && left && limit.is_none() {
            return Action::ReachBoundary;
        }
        let failed_action = self.failed_action.as_ref();
        Action::Finish(ending(&self.plan, &self.state, &self.rule, failed_action, limit))
    }
}

impl Engine for SiteCrawl {
    fn receive(
        &mut self,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        match &task.purpose {
            Purpose::Url { id, need } => {
                self.fetch_queue.end(*id);
                if !self.urls.check(*id, UrlState::Fetching) {
                    return;
                }
                match result {
                    Ok(response) => self.answered(*id, *need, task, response, now),
                    Err(cause) => self.failed(*id, *need, task.fetch_via, cause, now),
                }
            }
            Purpose::Robots { origin, .. } => {
                self.robots_in_flight -= 1;
                let (retries, denylist) = (&self.fetch_policy.robots, &self.plan.denylist);
                let outcome =
                    self.pending_robots.receive(origin, task, result, retries, denylist, now);
                self.apply_robots(origin, outcome, now, actions);
            }
        }
    }

    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if self.ended {
            return;
        }
        self.proceed(now, actions);
        let url_error = self.urls.error().map(EngineError::from);
        if let Some(error) = url_error.or(self.mode_error) {
            self.ended = true;
            *actions = vec![Action::Fail(error)];
        }
    }

    fn pending(&self) -> (usize, usize) {
        (self.pending.commit.steps.len(), self.pending_bytes)
    }

    fn take_pending(&mut self) -> Pending {
        self.pending_bytes = 0;
        std::mem::take(&mut self.pending)
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        self.mode.snapshot(&self.state)
    }

    fn overlay(&self) -> Option<Overlay> {
        // Nothing that a list knows of a page changes after its delivery, and several shards number
        // their items together.
        if self.plan.is_listed() {
            return None;
        }
        let mut overlay = self.state.overlay();
        if self.policy.merges_translations {
            let numbered = (0_u64..).zip(&self.state.delivered);
            let merged = numbered.filter_map(|(number, at)| {
                let translations = self.mode.translations(&self.state, *at);
                (!translations.is_empty()).then_some((number, translations))
            });
            overlay.translations = merged.collect();
        }
        Some(overlay)
    }

    fn memory_bytes(&self) -> usize {
        self.state.memory_bytes()
            + self.urls.memory_bytes()
            + self.canonical_hold.kept_bytes()
            + self.pending_bytes
    }

    fn progress(&self) -> CrawlProgress {
        let frontier = &self.state.frontier;
        let known = frontier.len() as u64;
        let at = self.fetch_queue.fetching().next();
        CrawlProgress {
            results: self.state.results(),
            done: known - frontier.pending_count() as u64,
            known,
            of: "URLs",
            at: at.map(|id| frontier.text(id).to_owned()),
        }
    }
}
