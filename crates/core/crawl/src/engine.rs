//! The engine itself: inputs in, actions out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use contract::{Millis, RedirectHop};
use journal::{
    Cause, Commit, Fact, Finished, Found, JournalError, Outcome, Overlay, Snapshot, Step, Via,
};
use markdown::RepeatedBlocks;
use page::ProtectionMarker;
use thiserror::Error;
use urls::{CanonicalUrl, Robots, ScopeRule};

use crate::ending::ending;
use crate::languages::LanguageRule;
use crate::originals::Originals;
use crate::protection_watch::ProtectionWatch;
use crate::repeats::RepeatWatch;
use crate::retry::RetryList;
use crate::robots_watch::{RobotsWatch, Verdict};
use crate::schedule::Schedule;
use crate::selling::TemplateWatch;
use crate::shells::Shells;
use crate::{Action, Engine, Pending, Plan, Purpose, Reading, RunState, Standing, Task};

/// A log that does not fit.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The snapshot cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// How many URLs are looked at before other tasks of the thread have their turn.
const DISPATCHES_AT_A_TIME: usize = 1_000;

/// A run.
#[derive(Debug)]
pub struct Crawl {
    pub(crate) plan: Plan,
    pub(crate) rule: ScopeRule,
    pub(crate) languages: LanguageRule,
    pub(crate) state: RunState,
    pub(crate) open: Pending,
    pub(crate) open_bytes: usize,
    pub(crate) schedule: Schedule,
    pub(crate) retries: RetryList,
    pub(crate) robots: RobotsWatch,
    pub(crate) robots_under_way: usize,
    /// URLs that turned out to be asked for at another address.
    pub(crate) respelled: HashMap<u32, Respelling>,
    /// URLs whose host does not answer when asked for the head alone.
    pub(crate) headless: HashSet<u32>,
    pub(crate) protection: ProtectionWatch,
    /// What challenged pages so far.
    pub(crate) challenged_by: Option<ProtectionMarker>,
    /// The statuses of challenged pages whose fate is open.
    pub(crate) challenged: HashMap<u32, u16>,
    pub(crate) shells: Shells,
    /// Pages that wait for the page that stands for them.
    pub(crate) originals: Originals,
    /// What the pages have in common: the version in force, and the count of the next one.
    pub(crate) repeated: Arc<RepeatedBlocks>,
    pub(crate) repeats: RepeatWatch,
    pub(crate) template: TemplateWatch,
    /// The protection that the run's owner has to decide about.
    pub(crate) escalation: Option<ProtectionMarker>,
    /// Pages that wait until the sitemaps are read.
    pub(crate) before_sitemaps: Vec<u32>,
    /// Pages that wait until the start is read.
    pub(crate) before_start: Vec<u32>,
    /// Pages for paper that wait until the others are read, and whether they do not wait any
    /// more.
    pub(crate) print_views: Vec<u32>,
    pub(crate) print_views_go: bool,
    /// Links that are recorded and not followed, as far as is known yet.
    pub(crate) recorded: BTreeSet<u32>,
    /// URLs that cannot be asked for, and why.
    pub(crate) hopeless: HashMap<u32, Cause>,
    /// Index files that wait for their folders, by folder.
    pub(crate) index_files: HashMap<u32, Vec<u32>>,
    over: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Respelling {
    pub url: CanonicalUrl,
    pub hops: Vec<RedirectHop>,
}

impl Crawl {
    /// A run from its beginning.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let state = RunState::new(plan.traps.clone());
        let mut crawl = Self::with_state(plan, state);
        crawl.seed_start();
        crawl
    }

    /// A run from where its log ends.
    ///
    /// # Errors
    /// [`ReplayError`] when the snapshot cannot be read.
    pub fn replay(
        plan: Plan,
        snapshot: Option<&Snapshot>,
        commits: &[Commit],
    ) -> Result<Self, ReplayError> {
        let mut state = match snapshot {
            Some(snapshot) => RunState::restore(snapshot)?,
            None => RunState::new(plan.traps.clone()),
        };
        for commit in commits {
            state.replay(commit);
        }
        Ok(Self::from_state(plan, state))
    }

    /// The same run under another plan, from where it is. What is under way is forgotten.
    #[must_use]
    pub fn go_on(self, plan: Plan) -> Self {
        Self::from_state(plan, self.state)
    }

    fn from_state(plan: Plan, state: RunState) -> Self {
        let mut crawl = Self::with_state(plan, state);
        if crawl.state.frontier.is_empty() {
            crawl.seed_start();
        } else {
            for ordinal in crawl.state.frontier.pending() {
                crawl.schedule.add(&crawl.state.frontier, ordinal);
            }
            let number = crawl.plan.batch;
            if number > crawl.state.later.0.batch.number.max(1) {
                crawl.take(Step::Learned(Fact::BatchBegan { number }));
            }
        }
        crawl
    }

    /// What the run goes by.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    fn with_state(plan: Plan, state: RunState) -> Self {
        let plan = plan.in_its_mode();
        Self {
            rule: state.scope_rule(&plan),
            languages: LanguageRule::of(plan.mode, &plan.options, &state),
            originals: Originals::default(),
            repeated: Arc::new(RepeatedBlocks::new(state.repeated.iter().copied())),
            repeats: RepeatWatch::after(state.repeated_after),
            template: TemplateWatch::after(&plan, &state),
            schedule: Schedule::new(plan.host_concurrency),
            plan,
            state,
            open: Pending::default(),
            open_bytes: 0,
            retries: RetryList::default(),
            robots: RobotsWatch::default(),
            robots_under_way: 0,
            respelled: HashMap::new(),
            headless: HashSet::new(),
            protection: ProtectionWatch::default(),
            challenged_by: None,
            challenged: HashMap::new(),
            shells: Shells::default(),
            escalation: None,
            before_sitemaps: Vec::new(),
            before_start: Vec::new(),
            print_views: Vec::new(),
            print_views_go: false,
            recorded: BTreeSet::new(),
            hopeless: HashMap::new(),
            index_files: HashMap::new(),
            over: false,
        }
    }

    fn seed_start(&mut self) {
        let url = self.plan.start.as_str().to_owned();
        self.take(Step::Seeded(vec![Found::page(url, Via::Start, None)]));
    }

    /// The lasting state, with what is not committed yet.
    #[must_use]
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// What came of asking for robots.txt.
    fn judge(&mut self, origin: &str, verdict: Verdict, now: Millis, actions: &mut Vec<Action>) {
        match verdict {
            Verdict::Known(rules, urls) => self.learn_robots(origin, rules, &urls, now),
            Verdict::Unreachable(cause, urls) => {
                if let Some((rules, _)) = self.state.robots.get(origin) {
                    // Yesterday's rules are better than none.
                    let rules = rules.clone();
                    return self.learn_robots(origin, rules, &urls, now);
                }
                // Each has its turn: not all of them may fit into what is to be delivered.
                self.hopeless.extend(urls.iter().map(|ordinal| (*ordinal, cause)));
                self.release(&urls);
                if matches!(cause, Cause::RobotsUnavailable | Cause::RateLimited) {
                    // For this run the verdict is known: nobody asks again for what is
                    // found later.
                    self.learn_robots(origin, Robots::disallow_all(), &[], now);
                }
            }
            Verdict::Ask(next) if self.plan.denylist.covers(&next.url) => {
                let urls = self.robots.release(origin);
                self.hopeless.extend(urls.iter().map(|ordinal| (*ordinal, Cause::Blacklisted)));
                self.release(&urls);
            }
            Verdict::Ask(next) => {
                self.robots_under_way += 1;
                actions.push(Action::Fetch(next));
            }
            Verdict::Later => {}
        }
    }

    fn learn_robots(&mut self, origin: &str, rules: Robots, urls: &[u32], now: Millis) {
        let authority = origin.to_owned();
        self.take(Step::Learned(Fact::Robots { authority, rules, read_at: now }));
        self.release(urls);
    }

    /// URLs that have waited come in their order, before what was found later.
    pub(crate) fn release(&mut self, urls: &[u32]) {
        for ordinal in urls.iter().rev() {
            self.schedule.add_first(&self.state.frontier, *ordinal);
        }
    }

    /// Writes a step down and takes it.
    pub(crate) fn take(&mut self, step: Step) {
        let first_new = self.next_ordinal();
        self.state.take(&step);
        match &step {
            Step::Learned(Fact::MainLanguage { .. }) => {
                let (mode, options) = (self.plan.mode, &self.plan.options);
                self.languages = LanguageRule::of(mode, options, &self.state);
            }
            Step::Learned(Fact::RepeatedBlocks { blocks, .. }) => {
                self.repeated = Arc::new(RepeatedBlocks::new(blocks.iter().copied()));
            }
            Step::Learned(Fact::Template { template, .. }) => {
                self.template.put_in_force(template);
            }
            Step::Learned(_)
            | Step::Seeded(_)
            | Step::Finished(_)
            | Step::Visited(_)
            | Step::SetAside { .. } => {}
        }
        let frontier = &self.state.frontier;
        self.open_bytes += step.bytes();
        if let Step::Finished(Finished { ways, listed, .. }) = &step {
            let linked = ways.iter().filter(|way| way.via == Via::Link);
            linked.for_each(|way| self.schedule.promote(frontier, way.ordinal));
            let led_to = ways.iter().filter(|way| way.via == Via::Redirect);
            let asked = led_to.map(|way| way.ordinal).chain(listed.iter().map(|at| at.ordinal));
            for ordinal in asked.filter(|ordinal| self.recorded.remove(ordinal)) {
                self.schedule.add(frontier, ordinal);
            }
        }
        for ordinal in first_new..frontier.next_ordinal() {
            self.schedule.add(frontier, ordinal);
        }
        self.open.commit.steps.push(step);
    }

    pub(crate) fn next_ordinal(&self) -> u32 {
        self.state.frontier.next_ordinal()
    }

    /// Hands out what can be fetched. False when there may be more than was looked at: a
    /// robots.txt may forbid a million URLs, and each of them takes its time.
    fn hand_out(&mut self, now: Millis, actions: &mut Vec<Action>) -> bool {
        let mut dispatched = 0;
        while self.schedule.under_way() + self.robots_under_way < self.plan.concurrency
            && self.has_room()
        {
            if dispatched == DISPATCHES_AT_A_TIME {
                return false;
            }
            let Some(ordinal) = self.schedule.pop() else { break };
            dispatched += 1;
            if let Some(task) = self.dispatch(ordinal, now) {
                actions.push(Action::Fetch(task));
            }
        }
        true
    }

    /// When nothing else is left, whatever was only recorded is done with: until then a
    /// redirect may lead there.
    fn settle_recorded(&mut self, now: Millis) {
        if self.state.frontier.pending_count() > self.recorded.len() {
            return;
        }
        while self.has_room() {
            let Some(ordinal) = self.recorded.pop_first() else { break };
            self.finish(ordinal, Outcome::Unasked, None, now);
        }
    }

    /// Whether one more page may be fetched: whatever is under way may be delivered, so
    /// that no boundary is ever overstepped. A challenged page may still come to be one that
    /// was asked for in vain, and reported as that; it is never a unit.
    fn has_room(&self) -> bool {
        self.has_room_beside(self.protection.open() as u64)
    }

    /// The same beside so many challenged pages.
    pub(crate) fn has_room_beside(&self, challenged: u64) -> bool {
        let under_way = self.schedule.under_way() as u64;
        let below = |limit: Option<u64>, so_far: u64| {
            limit.is_none_or(|limit| so_far.saturating_add(under_way) < limit)
        };
        self.has_fetch_allowance()
            && below(self.batch_ends_at(), self.state.units)
            && below(self.plan.options.sample_size, self.state.results() + challenged)
            && below(self.plan.max_pages, self.state.tally.asked + challenged)
    }

    /// The units after which the current batch is full: a batch that ended early leaves
    /// nothing of its size to the next.
    fn batch_ends_at(&self) -> Option<u64> {
        let end = self.plan.batch_ends_at?;
        let size = end / u64::from(self.plan.batch.max(1));
        Some(end.min(self.state.later.0.batch.units.saturating_add(size)))
    }

    /// Whether the batch may still fetch what may deliver nothing.
    fn has_fetch_allowance(&self) -> bool {
        let Some(allowance) = self.plan.ceilings.fetches else { return true };
        let later = &self.state.later.0;
        let start = &later.batch;
        let units = self.state.units - start.units;
        let granted = allowance.base.saturating_add(allowance.per_unit.saturating_mul(units));
        later.fetch_points - start.fetch_points < granted
    }

    fn verdict(&self) -> Action {
        let sampled =
            self.plan.options.sample_size.is_some_and(|size| self.state.results() >= size);
        let out_of_pages = self.plan.max_pages.is_some_and(|pages| self.state.tally.asked >= pages);
        let batch_full = self.batch_ends_at().is_some_and(|end| self.state.units >= end)
            || !self.has_fetch_allowance();
        let left = self.state.frontier.pending_count() > 0;
        if batch_full && left && !sampled && !out_of_pages {
            return Action::ReachBoundary;
        }
        Action::Finish(ending(&self.plan, &self.state, sampled))
    }
}

impl Engine for Crawl {
    fn receive(
        &mut self,
        task: &Task,
        result: Result<Reading, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        match &task.purpose {
            Purpose::Url { ordinal, want } => {
                self.schedule.end(*ordinal);
                match result {
                    Ok(reading) => self.answered(*ordinal, *want, task, reading, now),
                    Err(cause) => self.failed(*ordinal, *want, task.means, cause, now),
                }
            }
            Purpose::Robots { origin, .. } => {
                self.robots_under_way -= 1;
                let retries = &self.plan.retries;
                let verdict = self.robots.receive(origin, task, result, retries, now);
                self.judge(origin, verdict, now, actions);
            }
        }
    }

    /// Hands out what can be fetched now, or tells what the run waits for.
    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if self.over {
            return;
        }
        if let Some(marker) = self.escalation {
            // Whatever is under way is dropped: it is asked for again after the answer.
            self.over = true;
            actions.push(Action::Escalate(marker));
            return;
        }
        while let Some(task) = self.robots.pop_due(now) {
            self.robots_under_way += 1;
            actions.push(Action::Fetch(task));
        }
        while let Some(ordinal) = self.retries.pop_due(now) {
            self.schedule.add_first(&self.state.frontier, ordinal);
        }
        self.settle_held(now);
        let mut is_done = self.hand_out(now, actions);
        while is_done && self.settle_held(now) {
            // They may have brought more.
            is_done = self.hand_out(now, actions);
        }
        if !is_done {
            // Other tasks of the thread come first, and a commit if one is due.
            actions.push(Action::WakeAt(now.plus(Duration::from_millis(1))));
            return;
        }
        self.settle_recorded(now);
        let busy = self.schedule.under_way() > 0 || self.robots_under_way > 0;
        if busy || self.has_room() {
            // Whoever waits for robots.txt or for another try is still to come, and does
            // not wait for a slow answer to somebody else.
            let due = [self.robots.next_due(), self.retries.next_due()];
            if let Some(at) = due.into_iter().flatten().min() {
                actions.push(Action::WakeAt(at));
                return;
            }
        }
        if busy {
            return;
        }
        if self.has_room_beside(0) && self.settle_what_was_kept(now) {
            // They may have brought more.
            return self.advance(now, actions);
        }
        self.over = true;
        actions.push(self.verdict());
    }

    fn pending(&self) -> (usize, usize) {
        (self.open.commit.steps.len(), self.open_bytes)
    }

    fn take_pending(&mut self) -> Pending {
        self.open_bytes = 0;
        std::mem::take(&mut self.open)
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        Snapshot::of(&self.state)
    }

    fn overlay(&self) -> Option<Overlay> {
        Some(self.state.overlay())
    }

    fn memory_bytes(&self) -> usize {
        self.state.memory_bytes() + self.originals.kept_bytes() + self.open_bytes
    }

    fn standing(&self) -> Standing {
        let frontier = &self.state.frontier;
        let known = frontier.len() as u64;
        let at = self.schedule.fetching().next();
        Standing {
            results: self.state.results(),
            done: known - frontier.pending_count() as u64,
            known,
            of: "URLs",
            at: at.map(|ordinal| frontier.text(ordinal).to_owned()),
        }
    }
}
