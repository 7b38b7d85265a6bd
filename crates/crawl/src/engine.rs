//! The engine itself: inputs in, actions out.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use contract::{Item, Millis, RedirectHop};
use journal::{Cause, Commit, Fact, Finished, Found, JournalError, Outcome, Snapshot, Step, Via};
use site::{CanonicalUrl, Robots, ScopeRule};
use thiserror::Error;

use crate::ending::ending;
use crate::item::{self, Sight};
use crate::reading::{Content, Reading};
use crate::redirect::{self, Meaning};
use crate::retry::{Failure, RetryList};
use crate::robots_watch::{RobotsWatch, Verdict};
use crate::{Action, Input, Pending, Plan, Purpose, RunState, Task, discovery};

/// The longest pause between two requests that a robots.txt may ask for.
const CRAWL_DELAY_AT_MOST: Duration = Duration::from_secs(10);

/// A log that does not fit.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The snapshot cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A run.
#[derive(Debug)]
pub struct Crawl {
    plan: Plan,
    rule: ScopeRule,
    state: RunState,
    open: Pending,
    open_bytes: usize,
    ready: VecDeque<u32>,
    under_way: BTreeSet<u32>,
    robots_under_way: usize,
    retries: RetryList,
    robots: RobotsWatch,
    /// URLs that turned out to be asked for under another spelling.
    respelled: HashMap<u32, Respelling>,
    over: bool,
}

#[derive(Debug, Clone)]
struct Respelling {
    url: CanonicalUrl,
    hops: Vec<RedirectHop>,
}

impl Crawl {
    /// A run from its beginning.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let mut crawl = Self::with_state(plan, RunState::default());
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
        let mut state: RunState = match snapshot {
            Some(snapshot) => snapshot.state()?,
            None => RunState::default(),
        };
        for commit in commits {
            state.replay(commit);
        }
        let mut crawl = Self::with_state(plan, state);
        if crawl.state.frontier.is_empty() {
            crawl.seed_start();
        } else {
            crawl.ready = crawl.state.frontier.pending().collect();
        }
        Ok(crawl)
    }

    fn with_state(plan: Plan, state: RunState) -> Self {
        Self {
            rule: state.scope_rule(&plan.start, plan.scope),
            plan,
            state,
            open: Pending::default(),
            open_bytes: 0,
            ready: VecDeque::new(),
            under_way: BTreeSet::new(),
            robots_under_way: 0,
            retries: RetryList::default(),
            robots: RobotsWatch::default(),
            respelled: HashMap::new(),
            over: false,
        }
    }

    fn seed_start(&mut self) {
        let url = self.plan.start.as_str().to_owned();
        self.take(Step::Seeded(vec![Found { url, via: Via::Start, anchor: None }]));
    }

    /// The lasting state, with what is not committed yet.
    #[must_use]
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// The lasting state, encoded. Only between a commit and the next input is it what
    /// the log says.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be encoded.
    pub fn snapshot(&self) -> Result<Snapshot, JournalError> {
        Snapshot::of(&self.state)
    }

    /// How many steps, and about how many bytes, wait to be committed.
    #[must_use]
    pub fn pending(&self) -> (usize, usize) {
        (self.open.commit.steps.len(), self.open_bytes)
    }

    /// What waits to be committed; the engine forgets it.
    pub fn take_pending(&mut self) -> Pending {
        self.open_bytes = 0;
        std::mem::take(&mut self.open)
    }

    /// What is being fetched right now.
    pub fn fetching(&self) -> impl Iterator<Item = &str> {
        self.under_way.iter().map(|ordinal| self.state.frontier.text(*ordinal))
    }

    /// Takes an input and tells what is to be done.
    pub fn handle(&mut self, input: Input, now: Millis) -> Vec<Action> {
        let mut actions = Vec::new();
        match input {
            Input::Begin | Input::Tick => {}
            Input::Answered(task, reading) => {
                self.receive(&task, Ok(*reading), now, &mut actions);
            }
            Input::Failed(task, cause) => self.receive(&task, Err(cause), now, &mut actions),
        }
        self.advance(now, &mut actions);
        actions
    }

    fn receive(
        &mut self,
        task: &Task,
        result: Result<Reading, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        match &task.purpose {
            Purpose::Page { ordinal } => {
                self.under_way.remove(ordinal);
                match result {
                    Ok(reading) => self.page_answered(*ordinal, &task.url, &reading, now),
                    Err(cause) => self.page_failed(*ordinal, cause, now),
                }
            }
            Purpose::Robots { origin, hops } => {
                self.robots_under_way -= 1;
                let retries = &self.plan.retries;
                match self.robots.receive(origin, *hops, task, result, retries, now) {
                    Verdict::Known(rules, urls) => {
                        let fact = Fact::Robots { authority: origin.clone(), rules };
                        self.take(Step::Learned(fact));
                        // In their order, before what was found later.
                        urls.into_iter().rev().for_each(|url| self.ready.push_front(url));
                    }
                    Verdict::Unreachable(cause, urls) => {
                        for ordinal in urls {
                            self.finish(ordinal, Outcome::Failed(cause), None, now);
                        }
                        if matches!(cause, Cause::RobotsUnavailable | Cause::RateLimited) {
                            // For this run the verdict is known: nobody asks again for
                            // what is found later.
                            let rules = Robots::disallow_all();
                            let fact = Fact::Robots { authority: origin.clone(), rules };
                            self.take(Step::Learned(fact));
                        }
                    }
                    Verdict::Ask(next) if self.plan.is_blocked(next.url.host()) => {
                        for ordinal in self.robots.release(origin) {
                            self.finish(ordinal, Outcome::Failed(Cause::Blacklisted), None, now);
                        }
                    }
                    Verdict::Ask(next) => {
                        self.robots_under_way += 1;
                        actions.push(Action::Fetch(next));
                    }
                    Verdict::Later => {}
                }
            }
        }
    }

    fn page_answered(
        &mut self,
        ordinal: u32,
        asked: &CanonicalUrl,
        reading: &Reading,
        now: Millis,
    ) {
        let head = &reading.head;
        if let (301 | 302 | 303 | 307 | 308, Some(location)) = (head.status, &head.location) {
            return self.redirected(ordinal, asked, location, reading, now);
        }
        let failure = Failure::Status { status: head.status, retry_after: head.retry_after };
        if head.status >= 400 && self.retries.again(ordinal, failure, &self.plan.retries, now) {
            return;
        }
        self.finish(ordinal, Outcome::Answered(head.status), Some(reading), now);
    }

    fn page_failed(&mut self, ordinal: u32, cause: Cause, now: Millis) {
        if !self.retries.again(ordinal, Failure::Cause(cause), &self.plan.retries, now) {
            self.finish(ordinal, Outcome::Failed(cause), None, now);
        }
    }

    fn redirected(
        &mut self,
        ordinal: u32,
        asked: &CanonicalUrl,
        location: &str,
        reading: &Reading,
        now: Millis,
    ) {
        let status = reading.head.status;
        match redirect::meaning(&self.state, &self.rule, ordinal, asked, location) {
            Meaning::Respelled(url) => {
                let spelling = self
                    .respelled
                    .entry(ordinal)
                    .or_insert_with(|| Respelling { url: url.clone(), hops: Vec::new() });
                spelling.hops.push(RedirectHop { url: asked.to_string(), status });
                spelling.url = url;
                if spelling.hops.len() > redirect::HOPS {
                    let dead = Outcome::Failed(Cause::RedirectLoop);
                    self.finish(ordinal, dead, Some(reading), now);
                } else {
                    self.ready.push_front(ordinal);
                }
            }
            Meaning::Inside(target) => self.point(ordinal, status, &target, reading, now),
            Meaning::SiteMoved(target) => {
                self.take(Step::Learned(Fact::SiteMoved { to: target.to_string() }));
                self.rule = self.state.scope_rule(&self.plan.start, self.plan.scope);
                self.point(ordinal, status, &target, reading, now);
            }
            Meaning::Outside => {
                let outcome = Outcome::Redirected { status, to: None };
                self.finish(ordinal, outcome, Some(reading), now);
            }
            Meaning::Dead(cause) => {
                self.finish(ordinal, Outcome::Failed(cause), Some(reading), now);
            }
        }
    }

    /// Finishes a URL that points to another of the run.
    fn point(
        &mut self,
        ordinal: u32,
        status: u16,
        target: &CanonicalUrl,
        reading: &Reading,
        now: Millis,
    ) {
        let known = self.state.frontier.find(target);
        let to = known.unwrap_or(self.next_ordinal());
        let found = match known {
            Some(_) => Vec::new(),
            None => {
                let anchor = self.state.frontier.anchor(ordinal).map(Into::into);
                vec![Found { url: target.to_string(), via: Via::Redirect, anchor }]
            }
        };
        let outcome = Outcome::Redirected { status, to: Some(to) };
        self.finish_with(ordinal, outcome, Some(reading), found, Vec::new(), now);
    }

    fn finish(&mut self, ordinal: u32, outcome: Outcome, reading: Option<&Reading>, now: Millis) {
        let page = match reading {
            Some(Reading { content: Content::Page(page), .. }) if is_success(&outcome) => {
                Some(page)
            }
            _ => None,
        };
        let (found, linked) = match page {
            Some(page) if self.plan.options.discovery && !self.plan.scope.one_page => {
                discovery::discover(
                    &self.plan,
                    &self.rule,
                    &self.state.frontier,
                    ordinal,
                    &page.links,
                )
            }
            _ => (Vec::new(), Vec::new()),
        };
        self.finish_with(ordinal, outcome, reading, found, linked, now);
    }

    fn finish_with(
        &mut self,
        ordinal: u32,
        outcome: Outcome,
        reading: Option<&Reading>,
        found: Vec<Found>,
        linked: Vec<u32>,
        now: Millis,
    ) {
        let spelling = self.respelled.remove(&ordinal);
        let content = match reading.map(|reading| &reading.content) {
            Some(Content::Page(page)) if is_success(&outcome) => {
                u64::from_str_radix(&page.content_hash, 16).ok()
            }
            _ => None,
        };
        let sight = Sight {
            ordinal,
            outcome: &outcome,
            answer: reading.map(|reading| (&reading.head, &reading.content)),
            asked_at: spelling.as_ref().map(|spelling| spelling.url.as_str()),
            respellings: spelling.as_ref().map_or(&[], |spelling| &spelling.hops),
        };
        let (delivered, units) = item::is_delivered(&self.plan.scope, &sight);
        if delivered {
            let item = item::link_item(&self.state, &self.plan.scope, &sight, content, now);
            self.open_bytes += weight(&item);
            self.open.items.push(item);
        }
        self.retries.forget(ordinal);
        self.take(Step::Finished(Finished {
            ordinal,
            outcome,
            found,
            linked,
            content,
            delivered,
            units,
        }));
    }

    /// Writes a step down and takes it.
    fn take(&mut self, step: Step) {
        let first_new = self.next_ordinal();
        self.state.take(&step);
        if let Step::Finished(Finished { found, .. }) | Step::Seeded(found) = &step {
            self.open_bytes += found.iter().map(|found| found.url.len() + 16).sum::<usize>();
        }
        self.ready.extend(first_new..self.next_ordinal());
        self.open.commit.steps.push(step);
    }

    fn next_ordinal(&self) -> u32 {
        self.state.frontier.next_ordinal()
    }

    /// Hands out what can be fetched now, or tells what the run waits for.
    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if self.over {
            return;
        }
        while let Some(task) = self.robots.pop_due(now) {
            self.robots_under_way += 1;
            actions.push(Action::Fetch(task));
        }
        while let Some(ordinal) = self.retries.pop_due(now) {
            self.ready.push_front(ordinal);
        }
        while self.under_way.len() + self.robots_under_way < self.plan.concurrency
            && self.has_room()
        {
            let Some(ordinal) = self.ready.pop_front() else { break };
            if let Some(task) = self.dispatch(ordinal, now) {
                actions.push(Action::Fetch(task));
            }
        }
        let busy = !self.under_way.is_empty() || self.robots_under_way > 0;
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
        self.over = true;
        actions.push(self.verdict());
    }

    /// A task for a URL, unless it is finished or has to wait first.
    fn dispatch(&mut self, ordinal: u32, now: Millis) -> Option<Task> {
        if self.state.frontier.is_finished(ordinal) {
            return None;
        }
        let url = match self.respelled.get(&ordinal) {
            Some(spelling) => spelling.url.clone(),
            None => CanonicalUrl::parse(self.state.frontier.text(ordinal)).ok()?,
        };
        if self.plan.is_blocked(url.host()) {
            self.finish(ordinal, Outcome::Failed(Cause::Blacklisted), None, now);
            return None;
        }
        let Some(rules) = self.state.robots.get(url.origin()) else {
            let task = self.robots.wait(&url, ordinal)?;
            self.robots_under_way += 1;
            return Some(task);
        };
        if !rules.allows(&url) {
            self.finish(ordinal, Outcome::Failed(Cause::Robots), None, now);
            return None;
        }
        let gap = rules.crawl_delay().map(|delay| delay.min(CRAWL_DELAY_AT_MOST));
        self.under_way.insert(ordinal);
        Some(Task { url, purpose: Purpose::Page { ordinal }, gap })
    }

    /// Whether one more page may be fetched: whatever is under way may be delivered, so
    /// that no boundary is ever overstepped.
    fn has_room(&self) -> bool {
        let under_way = self.under_way.len() as u64;
        let below = |limit: Option<u64>, so_far: u64| {
            limit.is_none_or(|limit| so_far.saturating_add(under_way) < limit)
        };
        below(self.plan.batch_ends_at, self.state.units)
            && below(self.plan.options.sample_size, self.state.results())
            && below(self.plan.max_pages, self.state.tally.asked)
    }

    fn verdict(&self) -> Action {
        let sampled =
            self.plan.options.sample_size.is_some_and(|size| self.state.results() >= size);
        let out_of_pages = self.plan.max_pages.is_some_and(|pages| self.state.tally.asked >= pages);
        let batch_full = self.plan.batch_ends_at.is_some_and(|end| self.state.units >= end);
        let left = self.state.frontier.pending_count() > 0;
        if batch_full && left && !sampled && !out_of_pages {
            return Action::ReachBoundary;
        }
        Action::Finish(ending(&self.state.tally, self.state.results(), sampled))
    }
}

/// Whether a page is one of the site: an error page leads nowhere that its own pages do not.
fn is_success(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(200..300))
}

/// About how many bytes an item takes.
fn weight(item: &Item) -> usize {
    let Item::Link(link) = item;
    let texts = [&link.title, &link.description, &link.h1, &link.found_on, &link.anchor];
    700 + link.url.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
}
