//! The world of a run: two nodes, the books, the web, the owner, and a clock that
//! jumps from one event to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{Credits, Millis, OnProtected};
use crawl::{Crawl, Equipment, Input, Plan, RunState};
use job::{JobCommand, Tier, WaitsFor};

use crate::books::{Books, Lease};
use crate::profile::{Flaw, Profile};
use crate::report::Report;
use crate::rng::Rng;
use crate::session::{Node, Room, Session};
use crate::truth::Truth;
use crate::violation::{Trace, Violation};
use crate::wall::{Precaution, Wall};
use crate::watch::audit;
use crate::web::Web;
use crate::wish::traps;

/// A run that takes more events than this never ends.
const STEPS: u64 = 60_000;
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Something that is going to happen. Sessions are told apart by their number: what
/// was meant for one that is gone happens to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A node looks for work.
    Look(usize),
    /// An answer arrives.
    Land { node: usize, session: u64, flight: u64 },
    /// The engine wanted to be woken.
    Wake { node: usize, session: u64 },
    /// A host may be asked again.
    Pace { node: usize, session: u64 },
    /// What is pending has waited long enough.
    Flush { node: usize, session: u64 },
    /// A sign of life is due.
    Beat { node: usize, session: u64 },
    /// The owner looks at the job.
    Owner,
    /// Something goes wrong.
    Disturb,
}

/// The world.
#[derive(Debug)]
pub(crate) struct World {
    pub seed: u64,
    pub profile: Profile,
    pub rng: Rng,
    pub now: Millis,
    pub web: Web,
    pub books: Books,
    pub nodes: [Node; 2],
    pub trace: Trace,
    pub report: Report,
    /// Faults that are still to come; they end, so that the run can.
    pub faults_left: u64,
    /// Steps after which a worker commits.
    pub commit_at: usize,
    events: BTreeMap<(Millis, u64), Event>,
    scheduled: u64,
    sessions: u64,
    room: Room,
    pub truth: Truth,
    precaution: Precaution,
}

impl World {
    /// The world of a seed at its beginning.
    pub fn new(seed: u64, profile: &Profile) -> Result<Self, Violation> {
        let mut web = Web::new(seed);
        let mut rng = Rng::new(seed, 4);
        let batch_size = if profile.small_batches { rng.within(1, 7) } else { 10_000 };
        let purse = if profile.poor_purse { rng.within(1, 12) } else { 1_000_000 };
        let purse = Credits(i64::try_from(purse).unwrap_or(0));
        let mut precaution = Precaution::NONE;
        if profile.escalations && rng.percent(60) {
            precaution = Precaution::draw(&mut rng);
            web.wall = Some(Wall::draw(&mut rng));
        }
        let start = web.start.as_str();
        let books = Books::open(start, &web.wish, batch_size, purse, &precaution, profile.flaw)
            .map_err(|refusal| Violation {
                seed,
                profile: profile.name,
                message: format!("the job was refused: {refusal}"),
                trace: Vec::new(),
            })?;
        let mut world = Self {
            seed,
            profile: *profile,
            now: Millis(0),
            books,
            nodes: [Node::default(), Node::default()],
            trace: Trace::default(),
            report: Report::default(),
            faults_left: rng.within(1, 8),
            commit_at: usize::try_from(rng.within(1, 12)).unwrap_or(1),
            events: BTreeMap::new(),
            scheduled: 0,
            sessions: 0,
            room: Room::draw(&mut rng),
            truth: Truth::of(&web),
            precaution,
            web,
            rng,
        };
        world.after(0, Event::Look(0));
        world.after(700, Event::Look(1));
        world.after(900, Event::Owner);
        world.after(50, Event::Disturb);
        Ok(world)
    }

    /// Lets the run go to its end.
    pub fn run(mut self) -> Result<Report, Violation> {
        match self.live() {
            Ok(()) => Ok(self.report),
            Err(message) => Err(Violation {
                seed: self.seed,
                profile: self.profile.name,
                message,
                trace: self.trace.lines(),
            }),
        }
    }

    fn live(&mut self) -> Result<(), String> {
        while !self.books.is_over() {
            let Some(((at, _), event)) = self.events.pop_first() else {
                return Err("nothing is going to happen, and the run is not over".to_owned());
            };
            self.now = at;
            self.report.steps += 1;
            if self.report.steps > STEPS {
                return Err(format!("no end after {STEPS} events"));
            }
            self.happen(event)?;
            audit(&self.books)?;
        }
        self.bury_the_stale()?;
        self.close()
    }

    fn happen(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Look(node) => self.look(node),
            Event::Land { node, session, flight } if self.is_live(node, session) => {
                match self.nodes[node].land(flight) {
                    Some(input) => self.feed(node, input),
                    None => Ok(()),
                }
            }
            Event::Wake { node, session } if self.is_live(node, session) => {
                self.feed(node, Input::Tick)
            }
            Event::Pace { node, session } if self.is_live(node, session) => self.start(node),
            Event::Flush { node, session } if self.is_live(node, session) => {
                self.after(1_000, event);
                self.flush(node)
            }
            Event::Beat { node, session } if self.is_live(node, session) => {
                self.beat(node);
                Ok(())
            }
            // Meant for a session that is gone.
            Event::Land { .. }
            | Event::Wake { .. }
            | Event::Pace { .. }
            | Event::Flush { .. }
            | Event::Beat { .. } => Ok(()),
            Event::Owner => self.owner(),
            Event::Disturb => {
                self.disturb();
                Ok(())
            }
        }
    }

    pub fn after(&mut self, millis: u64, event: Event) {
        self.at(self.now.plus(Duration::from_millis(millis)), event);
    }

    pub fn at(&mut self, at: Millis, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    pub fn note(&mut self, event: String) {
        self.trace.note(self.now, event);
    }

    fn is_live(&self, node: usize, session: u64) -> bool {
        self.nodes[node].session.as_ref().is_some_and(|live| live.id == session)
    }

    /// A node without work tries to get some, and begins where the log ends.
    fn look(&mut self, node: usize) -> Result<(), String> {
        self.after(1_000, Event::Look(node));
        if self.nodes[node].session.is_some() {
            return Ok(());
        }
        let Some(lease) = self.books.claim(self.now) else { return Ok(()) };
        self.note(format!("node {node} claims epoch {} at {}", lease.epoch, lease.head));
        self.books
            .command(&JobCommand::Start, self.now)
            .map_err(|refusal| format!("a shard was open and its job not: {refusal}"))?;
        self.books
            .command(&JobCommand::LearnTier(Tier::Normal), self.now)
            .map_err(|refusal| format!("the tier was refused: {refusal}"))?;
        let engine = self.replay()?;
        self.begin(node, lease, engine)
    }

    /// A node goes to work.
    pub fn begin(&mut self, node: usize, lease: Lease, engine: Crawl) -> Result<(), String> {
        self.sessions += 1;
        let session = self.sessions;
        self.report.claims += 1;
        self.nodes[node].session = Some(Session::new(session, lease, engine, self.room));
        self.after(1_000, Event::Flush { node, session });
        self.at(self.now.plus(HEARTBEAT), Event::Beat { node, session });
        self.feed(node, Input::Begin)
    }

    fn plan(&self) -> Plan {
        let boundary = match self.profile.flaw {
            Some(Flaw::NoBoundary) => None,
            _ => self.books.job.batch_ends_at().map(|units| units.0),
        };
        Plan {
            scope: self.web.wish.scope,
            options: self.books.job.options.clone(),
            batch_ends_at: boundary,
            max_pages: self.web.wish.max_pages,
            concurrency: self.room.in_all,
            host_concurrency: match self.profile.flaw {
                Some(Flaw::WideLanes) => self.room.at_a_host + 1,
                _ => self.room.at_a_host,
            },
            traps: traps(),
            protected: self.books.job.protected,
            // Nobody is asked to pay for a way that there is not.
            escalates: self.precaution.tier || self.books.job.on_protected == OnProtected::Fail,
            equipment: Equipment { tier: self.precaution.tier, browser: false },
            ..Plan::new(self.web.start.clone(), self.web.wish.mode)
        }
    }

    fn replay(&self) -> Result<Crawl, String> {
        let (snapshot, commits) = self.books.log();
        let engine = Crawl::replay(self.plan(), snapshot, commits)
            .map_err(|error| format!("the log cannot be replayed: {error}"))?;
        // An empty log gives the start, which is not written yet.
        if self.books.head() > 0 && *engine.state() != self.books.state {
            return Err("what was replayed is not what was committed".to_owned());
        }
        Ok(engine)
    }

    fn beat(&mut self, node: usize) {
        let Some(session) = &self.nodes[node].session else { return };
        if self.books.renew(&session.lease, self.now) {
            let event = Event::Beat { node, session: session.id };
            self.at(self.now.plus(HEARTBEAT), event);
        } else {
            self.note(format!("node {node} learns that its lease is lost"));
            self.nodes[node].stop();
        }
    }

    /// The owner answers what the job waits for, or stops it.
    fn owner(&mut self) -> Result<(), String> {
        let pause = self.rng.within(100, 9_000);
        self.after(pause, Event::Owner);
        if self.profile.aborts && self.rng.percent(3) {
            self.note("the owner aborts".to_owned());
            let aborted = self.books.command(&JobCommand::Abort, self.now);
            return aborted.map_err(|refusal| format!("an abort was refused: {refusal}"));
        }
        let Some(waits_for) = self.books.job.waits_for else { return Ok(()) };
        self.report.parked += 1;
        let continue_batch = waits_for == WaitsFor::Boundary;
        let rate = self.books.job.rate.unwrap_or(Credits(1));
        if waits_for == WaitsFor::Credits || self.books.available() < rate {
            let units = i64::try_from(self.rng.within(1, 6)).unwrap_or(1);
            self.books.grant(Credits(rate.0 * units));
        }
        let available = self.books.available();
        let wrong =
            JobCommand::Confirm { continue_batch: !continue_batch, ceiling: None, available };
        if self.books.command(&wrong, self.now).is_ok() {
            return Err("a confirmation of something else was taken".to_owned());
        }
        // A ceiling that is in the way is raised as far as it must be.
        let ceiling = self.books.job.ceiling.filter(|ceiling| *ceiling < rate).map(|_| rate);
        let confirm = JobCommand::Confirm { continue_batch, ceiling, available };
        self.note(format!("the owner confirms: {waits_for:?}, {available} credits"));
        let confirmed = self.books.command(&confirm, self.now);
        confirmed.map_err(|refusal| format!("a confirmation was refused: {refusal}"))
    }

    fn disturb(&mut self) {
        let pause = self.rng.within(20, 4_000);
        self.after(pause, Event::Disturb);
        if self.faults_left == 0 || !self.rng.percent(50) {
            return;
        }
        let node = self.rng.place(2);
        if self.nodes[node].session.is_none() {
            return;
        }
        let (crash, lose) = (self.profile.crashes, self.profile.lost_leases);
        if crash && (!lose || self.rng.percent(50)) {
            self.crash(node);
        } else if lose {
            self.faults_left -= 1;
            self.note(format!("the lease of node {node} runs out behind its back"));
            self.books.expire();
            self.after(1, Event::Look(1 - node));
        }
    }

    /// The process of a node dies; sometimes its lease is freed at once.
    pub fn crash(&mut self, node: usize) {
        self.faults_left = self.faults_left.saturating_sub(1);
        self.report.crashes += 1;
        self.note(format!("node {node} dies"));
        let held = self.nodes[node].session.as_ref().is_some_and(|s| self.books.holds(&s.lease));
        self.nodes[node].die();
        if held && self.rng.percent(50) {
            self.books.expire();
        }
    }

    /// Whoever still believes to hold the job finds out that it does not.
    fn bury_the_stale(&mut self) -> Result<(), String> {
        for node in 0..self.nodes.len() {
            self.flush(node)?;
            audit(&self.books)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let mut replayed = RunState::new(traps());
        for commit in self.books.whole_log() {
            replayed.replay(commit);
        }
        if replayed != self.books.state {
            return Err("the whole log gives another state than its steps did".to_owned());
        }
        if !self.profile.reads_twice()
            && let Some(key) = self.web.read_twice()
        {
            return Err(format!("{key} was read twice though nothing was lost"));
        }
        self.report.limited = self.web.wish.max_pages.is_some();
        self.report.read(&self.books)?;
        self.report.compare_with_truth(&self.truth)
    }
}
