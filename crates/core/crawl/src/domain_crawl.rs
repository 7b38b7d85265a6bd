//! The engine of a domain crawl: for each domain of a list it visits the pages that its mode reads,
//! and delivers one record.
//!
//! It is the counterpart of [`SiteCrawl`](crate::SiteCrawl) for a shard of domains, with the same
//! driver. A visit is committed as a whole or not at all. Many visits run at a time, so that a slow
//! domain does not block the others.

mod entry_failures;
mod record_context;
mod responses;
mod robots_gate;
mod state;
mod visit;
mod visit_mode;
mod visit_plan;
mod visit_request;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use contract::{Item, Millis};
use job::RunEnding;
use journal::{Cause, Commit, Fact, JournalError, Overlay, PayloadType, Snapshot, Step, Visited};

pub use record_context::{RecordContext, VisitOutcome};
pub use state::DomainCrawlState;
pub use visit_mode::{LeadsOfPage, VisitCollector, VisitMode};
pub use visit_plan::{VisitPlan, VisitTarget};

use crate::{
    Action, CrawlProgress, Engine, FetchTask, ParsedResponse, Pending, Purpose, ReplayError,
};
use visit::{DomainVisit, VisitResult};

/// A visit that has taken this long is slow, and another one may start beside it.
const SLOW_AFTER: Duration = Duration::from_secs(5);

/// The run winds down when all visits were started and at most one in this many slots has a fast
/// visit.
const WINDS_DOWN_AT: usize = 4;

/// A crawl of a list of domains.
#[derive(Debug)]
pub struct DomainCrawl {
    plan: VisitPlan,
    mode: Arc<dyn VisitMode>,
    state: DomainCrawlState,
    pending: Pending,
    pending_bytes: usize,
    /// Domains whose visits were not started.
    waiting: VecDeque<u32>,
    in_flight: BTreeMap<u32, DomainVisit>,
    /// All visits were started, and few fast ones are in flight.
    winding_down: bool,
    ended: bool,
    /// Whether the first protection was reported to the job.
    protection_noted: bool,
}

impl DomainCrawl {
    #[must_use]
    pub fn new(plan: VisitPlan, mode: Arc<dyn VisitMode>) -> Self {
        Self::from_state(plan, mode, DomainCrawlState::default())
    }

    /// Restores a run from its log.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] when the snapshot cannot be read.
    pub fn replay(
        plan: VisitPlan,
        mode: Arc<dyn VisitMode>,
        snapshot: Option<&Snapshot>,
        commits: &[Commit],
    ) -> Result<Self, ReplayError> {
        let mut state = match snapshot {
            Some(snapshot) => DomainCrawlState::restore(snapshot)?,
            None => DomainCrawlState::default(),
        };
        commits.iter().for_each(|commit| state.replay(commit));
        Ok(Self::from_state(plan, mode, state))
    }

    /// Continues the run with another plan. Visits in flight are dropped.
    #[must_use]
    pub fn resume_with(self, plan: VisitPlan) -> Self {
        Self::from_state(plan, self.mode, self.state)
    }

    fn from_state(plan: VisitPlan, mode: Arc<dyn VisitMode>, state: DomainCrawlState) -> Self {
        let indices = 0..u32::try_from(plan.targets.len()).unwrap_or(u32::MAX);
        let waits_for_others = plan.escalates && !plan.protected;
        let waiting = indices
            .filter(|domain_index| !state.is_visited(*domain_index))
            .filter(|domain_index| !(waits_for_others && state.is_set_aside(*domain_index)))
            .collect();
        Self {
            plan,
            mode,
            state,
            pending: Pending::default(),
            pending_bytes: 0,
            waiting,
            in_flight: BTreeMap::new(),
            winding_down: false,
            ended: false,
            protection_noted: false,
        }
    }

    #[must_use]
    pub fn plan(&self) -> &VisitPlan {
        &self.plan
    }

    /// The durable state, including steps that are not committed yet.
    #[must_use]
    pub fn state(&self) -> &DomainCrawlState {
        &self.state
    }

    /// Advances a visit, and commits its result if it ended.
    fn step(&mut self, domain_index: u32, now: Millis, actions: &mut Vec<Action>) {
        let Some(visit) = self.in_flight.get_mut(&domain_index) else { return };
        let Some(conclusion) = visit.advance(&self.plan, now, actions) else { return };
        let protected_by = visit.protected_by;
        self.in_flight.remove(&domain_index);
        actions.push(Action::Abandon(domain_index));
        match conclusion {
            VisitResult::Record(record, pages) => {
                // The job shows only the first protection that blocked a domain.
                if let Some(marker) = protected_by
                    && !self.protection_noted
                    && self.mode.is_blocked(&record)
                {
                    self.protection_noted = true;
                    self.apply(Step::Learned(Fact::Protected { marker: marker.to_string() }));
                }
                self.deliver(domain_index, record, pages);
            }
            VisitResult::SetAside(marker) => {
                self.apply(Step::SetAside { domain_index, marker: marker.to_string() });
            }
        }
    }

    fn deliver(&mut self, domain_index: u32, record: Item, pages: u32) {
        let mut record = Cow::Owned(record);
        privacy::redact_item(&self.plan.denylist.opt_outs.now(), &mut record);
        // After the redaction: a record that is empty now is not charged.
        let units = self.mode.units(&record);
        self.pending_bytes += record.memory_bytes();
        self.pending.items.push(record.into_owned());
        self.apply(Step::Visited(Visited { domain_index, pages, units }));
    }

    fn apply(&mut self, step: Step) {
        self.state.apply(&step);
        self.pending_bytes += step.bytes();
        self.pending.commit.steps.push(step);
    }

    /// Whether one more visit may start. Slow visits do not count, up to a limit.
    fn has_room(&self, now: Millis) -> bool {
        self.fast_visits(now) < self.plan.concurrency
            && self.in_flight.len() < self.plan.concurrency * 2
    }

    /// Number of visits in flight that are not slow.
    fn fast_visits(&self, now: Millis) -> usize {
        let is_quick = |visit: &&DomainVisit| now < visit.began.plus(SLOW_AFTER);
        self.in_flight.values().filter(is_quick).count()
    }

    fn begin(&mut self, domain_index: u32, now: Millis, actions: &mut Vec<Action>) {
        if self.state.is_set_aside(domain_index) && !self.plan.protected {
            // The protected tier was declined or does not exist.
            let domain = self.plan.targets.get(domain_index as usize).map(VisitTarget::domain);
            let context = RecordContext {
                domain: domain.unwrap_or_default().to_owned(),
                input: self.plan.input(domain_index),
                redirected_to: None,
                pages_checked: 0,
                now,
            };
            let record = self.mode.collector().record(context, VisitOutcome::Blocked);
            return self.deliver(domain_index, record, 0);
        }
        if let Some(visit) = DomainVisit::new(domain_index, &self.plan, &*self.mode, now) {
            self.in_flight.insert(domain_index, visit);
            self.step(domain_index, now, actions);
        }
    }

    fn final_action(&self) -> Action {
        match self.state.protected_by().map(str::parse) {
            Some(Ok(marker)) => Action::Escalate(marker),
            Some(Err(_)) | None if self.plan.sampled => Action::Finish(RunEnding::Sampled),
            Some(Err(_)) | None => Action::Finish(RunEnding::Complete),
        }
    }
}

impl Engine for DomainCrawl {
    fn receive(
        &mut self,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        // The visit may have ended already.
        let Some(domain_index) = task.visit else { return };
        let Some(visit) = self.in_flight.get_mut(&domain_index) else { return };
        match &task.purpose {
            Purpose::Url { id, .. } => visit.receive(id.0, result, &self.plan, now),
            Purpose::Robots { origin, .. } => {
                let elsewhere = visit.receive_rules(origin, task, result, &self.plan, now);
                actions.extend(elsewhere.map(Action::Fetch));
            }
        }
        self.step(domain_index, now, actions);
    }

    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if self.ended {
            return;
        }
        let is_due = |visit: &&DomainVisit| visit.next_due() <= now;
        let due: Vec<u32> =
            self.in_flight.values().filter(is_due).map(|v| v.domain_index).collect();
        for domain_index in due {
            self.step(domain_index, now, actions);
        }
        while self.has_room(now) {
            let Some(domain_index) = self.waiting.pop_front() else { break };
            self.begin(domain_index, now, actions);
        }
        if self.in_flight.is_empty() && self.waiting.is_empty() {
            self.ended = true;
            actions.push(self.final_action());
            return;
        }
        let due = self.in_flight.values().map(DomainVisit::next_due);
        // When a visit becomes slow, the next one may start, here or in another run.
        let turns = self.in_flight.values().map(|visit| visit.began.plus(SLOW_AFTER));
        let turns = turns.filter(|at| *at > now);
        actions.extend(due.chain(turns).min().map(Action::WakeAt));
        self.winding_down = self.waiting.is_empty()
            && self.fast_visits(now) <= self.plan.concurrency / WINDS_DOWN_AT;
    }

    /// Responses that arrived in this time were not handled, so that it does not count.
    fn extend_deadlines(&mut self, by: Duration) {
        self.in_flight.values_mut().for_each(|visit| visit.postpone(by));
    }

    fn pending(&self) -> (usize, usize) {
        (self.pending.commit.steps.len(), self.pending_bytes)
    }

    fn take_pending(&mut self) -> Pending {
        self.pending_bytes = 0;
        std::mem::take(&mut self.pending)
    }

    fn memory_bytes(&self) -> usize {
        /// Approximate memory of a visit, in bytes.
        const VISIT: usize = 64 << 10;
        self.in_flight.len() * VISIT + self.pending_bytes
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        Snapshot::of(PayloadType::DomainSnapshot, &self.state)
    }

    /// Records do not change after delivery.
    fn overlay(&self) -> Option<Overlay> {
        None
    }

    fn is_winding_down(&self) -> bool {
        self.winding_down
    }

    fn progress(&self) -> CrawlProgress {
        let at = self.in_flight.keys().next().and_then(|at| self.plan.targets.get(*at as usize));
        CrawlProgress {
            results: self.state.visited(),
            done: self.state.visited(),
            known: self.plan.targets.len() as u64,
            of: "domains",
            at: at.map(|target| target.domain().to_owned()),
        }
    }
}
