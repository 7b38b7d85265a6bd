//! Visits to domains: for each of a list, the pages that tell of its company and people, and
//! one record.
//!
//! The counterpart of [`Crawl`](crate::Crawl) for a shard of domains: without I/O, and by the
//! same driver. A visit is written down whole or not at all. Many are under way at a time, so
//! that a slow domain holds nobody up.

mod answers;
mod errand;
mod house_rules;
mod leads;
mod plan;
mod rebuffs;
mod record;
mod state;
mod visit;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use contract::{ContactItem, ContactStatus, Item, Millis};
use job::RunEnding;
use journal::{Cause, Commit, Fact, JournalError, Overlay, Snapshot, Step, Visited};

pub use plan::{Asked, VisitPlan};
pub use record::{Circumstances, contact_record};
pub use state::VisitsState;

use crate::{Action, Engine, Pending, Purpose, Reading, ReplayError, Standing, Task};
use visit::{Conclusion, Visit};

/// A visit that has taken this long is slow: it leaves its place to another.
const SLOW_AFTER: Duration = Duration::from_secs(5);

/// When all have begun and no more than one in so many places is taken by one that is not slow,
/// the run fades.
const FADES_AT: usize = 4;

/// About what a record takes, besides its lists.
const RECORD_BYTES: usize = 1_024;
const VALUE_BYTES: usize = 256;

/// A run over domains.
#[derive(Debug)]
pub struct Visits {
    plan: VisitPlan,
    state: VisitsState,
    open: Pending,
    open_bytes: usize,
    /// Domains whose turn is to come.
    waiting: VecDeque<u32>,
    under_way: BTreeMap<u32, Visit>,
    /// All have begun, and few are under way that are not slow.
    fading: bool,
    over: bool,
    /// The job was told what protects domains.
    protection_noted: bool,
}

impl Visits {
    /// A run from its beginning.
    #[must_use]
    pub fn new(plan: VisitPlan) -> Self {
        Self::from_state(plan, VisitsState::default())
    }

    /// A run from where its log ends.
    ///
    /// # Errors
    /// [`ReplayError`] when the snapshot cannot be read.
    pub fn replay(
        plan: VisitPlan,
        snapshot: Option<&Snapshot>,
        commits: &[Commit],
    ) -> Result<Self, ReplayError> {
        let mut state: VisitsState = match snapshot {
            Some(snapshot) => snapshot.state()?,
            None => VisitsState::default(),
        };
        commits.iter().for_each(|commit| state.replay(commit));
        Ok(Self::from_state(plan, state))
    }

    /// The same run under another plan, from where it is. What is under way is forgotten.
    #[must_use]
    pub fn go_on(self, plan: VisitPlan) -> Self {
        Self::from_state(plan, self.state)
    }

    fn from_state(plan: VisitPlan, state: VisitsState) -> Self {
        let places = 0..u32::try_from(plan.asked.len()).unwrap_or(u32::MAX);
        let waits_for_others = plan.escalates && !plan.protected;
        let waiting = places
            .filter(|place| !state.is_visited(*place))
            .filter(|place| !(waits_for_others && state.is_set_aside(*place)))
            .collect();
        Self {
            plan,
            state,
            open: Pending::default(),
            open_bytes: 0,
            waiting,
            under_way: BTreeMap::new(),
            fading: false,
            over: false,
            protection_noted: false,
        }
    }

    /// What the run goes by.
    #[must_use]
    pub fn plan(&self) -> &VisitPlan {
        &self.plan
    }

    /// The lasting state, with what is not committed yet.
    #[must_use]
    pub fn state(&self) -> &VisitsState {
        &self.state
    }

    /// Lets a visit do what it can do now.
    fn step(&mut self, place: u32, now: Millis, actions: &mut Vec<Action>) {
        let Some(visit) = self.under_way.get_mut(&place) else { return };
        let Some(conclusion) = visit.advance(&self.plan, now, actions) else { return };
        let protected_by = visit.protected_by;
        self.under_way.remove(&place);
        actions.push(Action::Abandon(place));
        match conclusion {
            Conclusion::Record(ref item, _) if item.status == ContactStatus::Blocked => {
                // Once is enough: the job shows the first protection that kept a domain from it.
                if let (Some(marker), false) = (protected_by, self.protection_noted) {
                    self.protection_noted = true;
                    self.take(Step::Learned(Fact::Protected { marker: marker.to_string() }));
                }
            }
            _ => {}
        }
        match conclusion {
            Conclusion::Record(item, pages) => self.deliver(place, *item, pages),
            Conclusion::SetAside(marker) => {
                self.take(Step::SetAside { place, marker: marker.to_string() });
            }
        }
    }

    fn deliver(&mut self, place: u32, mut item: ContactItem, pages: u32) {
        self.plan.denylist.opt_outs.now().apply(&mut item);
        let values = item.emails.len() + item.phones.len() + item.addresses.len();
        self.open_bytes += RECORD_BYTES + VALUE_BYTES * (values + 3 * item.people.len());
        let units = record::units(item.status);
        self.open.items.push(Item::Contact(Box::new(item)));
        self.take(Step::Visited(Visited { place, pages, units }));
    }

    fn take(&mut self, step: Step) {
        self.state.take(&step);
        self.open_bytes += step.bytes();
        self.open.commit.steps.push(step);
    }

    /// Whether one more visit may begin. Slow ones leave their places to others, as long as
    /// they are not too many.
    fn has_room(&self, now: Millis) -> bool {
        self.quick(now) < self.plan.at_a_time && self.under_way.len() < self.plan.at_a_time * 2
    }

    /// How many are under way that are not slow.
    fn quick(&self, now: Millis) -> usize {
        let is_quick = |visit: &&Visit| now < visit.began.plus(SLOW_AFTER);
        self.under_way.values().filter(is_quick).count()
    }

    fn begin(&mut self, place: u32, now: Millis, actions: &mut Vec<Action>) {
        if self.state.is_set_aside(place) && !self.plan.protected {
            // Nobody wants to go past its wall, or can.
            let domain = self.plan.asked.get(place as usize).map(Asked::domain);
            let domain = domain.unwrap_or_default().to_owned();
            let empty = ContactItem::empty(domain, ContactStatus::Blocked, now);
            return self.deliver(place, ContactItem { input: self.plan.input(place), ..empty }, 0);
        }
        if let Some(visit) = Visit::new(place, &self.plan, now) {
            self.under_way.insert(place, visit);
            self.step(place, now, actions);
        }
    }

    fn verdict(&self) -> Action {
        match self.state.protected_by().map(str::parse) {
            Some(Ok(marker)) => Action::Escalate(marker),
            Some(Err(_)) | None if self.plan.sampled => Action::Finish(RunEnding::Sampled),
            Some(Err(_)) | None => Action::Finish(RunEnding::Complete),
        }
    }
}

impl Engine for Visits {
    fn receive(
        &mut self,
        task: &Task,
        result: Result<Reading, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        // Nobody may wait for it any more.
        let Some(place) = task.visit else { return };
        let Some(visit) = self.under_way.get_mut(&place) else { return };
        match &task.purpose {
            Purpose::Url { ordinal, .. } => visit.receive(*ordinal, result, &self.plan, now),
            Purpose::Robots { origin, .. } => {
                let elsewhere = visit.receive_rules(origin, task, result, &self.plan, now);
                actions.extend(elsewhere.map(Action::Fetch));
            }
        }
        self.step(place, now, actions);
    }

    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        if self.over {
            return;
        }
        let is_due = |visit: &&Visit| visit.next_due() <= now;
        let due: Vec<u32> = self.under_way.values().filter(is_due).map(|v| v.place).collect();
        for place in due {
            self.step(place, now, actions);
        }
        while self.has_room(now) {
            let Some(place) = self.waiting.pop_front() else { break };
            self.begin(place, now, actions);
        }
        if self.under_way.is_empty() && self.waiting.is_empty() {
            self.over = true;
            actions.push(self.verdict());
            return;
        }
        let due = self.under_way.values().map(Visit::next_due);
        // When one turns slow, the next may begin, here or in another run.
        let turns = self.under_way.values().map(|visit| visit.began.plus(SLOW_AFTER));
        let turns = turns.filter(|at| *at > now);
        actions.extend(due.chain(turns).min().map(Action::WakeAt));
        self.fading = self.waiting.is_empty() && self.quick(now) <= self.plan.at_a_time / FADES_AT;
    }

    fn pending(&self) -> (usize, usize) {
        (self.open.commit.steps.len(), self.open_bytes)
    }

    fn take_pending(&mut self) -> Pending {
        self.open_bytes = 0;
        std::mem::take(&mut self.open)
    }

    fn memory_bytes(&self) -> usize {
        /// What a visit gathers at most, in the order of magnitude.
        const VISIT: usize = 64 << 10;
        self.under_way.len() * VISIT + self.open_bytes
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        Snapshot::of(&self.state)
    }

    /// A record is made when all is known of its domain.
    fn overlay(&self) -> Option<Overlay> {
        None
    }

    fn is_fading(&self) -> bool {
        self.fading
    }

    fn standing(&self) -> Standing {
        let at = self.under_way.keys().next().and_then(|at| self.plan.asked.get(*at as usize));
        Standing {
            results: self.state.visited(),
            done: self.state.visited(),
            known: self.plan.asked.len() as u64,
            of: "domains",
            at: at.map(|asked| asked.domain().to_owned()),
        }
    }
}
