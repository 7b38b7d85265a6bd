//! The simulation of a run: two nodes, the store, the web, the owner, and a clock that jumps from
//! one event to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{Credits, Millis, OnProtected};
use crawl::{Capabilities, CrawlPlan, Input, RunState, SiteCrawl};
use job::{JobCommand, Tier, WaitsFor};

use crate::bot_protection::{BotProtection, ProtectionPolicy};
use crate::fake_web::FakeWeb;
use crate::fault_profile::{FaultProfile, InjectedBug};
use crate::invariants::audit;
use crate::requested_run::traps;
use crate::rng::Rng;
use crate::sim_report::SimReport;
use crate::sim_store::{SimLease, SimStore};
use crate::truth::Truth;
use crate::violation::{Trace, Violation};
use crate::worker_session::{ConcurrencyLimits, SimNode, WorkerSession};

/// Maximum number of events; a longer run does not end.
const STEPS: u64 = 60_000;
const HEARTBEAT: Duration = Duration::from_secs(15);

/// An event. It names the session that it was meant for, and is dropped if that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SimEvent {
    /// A node tries to claim the shard.
    Claim(usize),
    Arrive {
        node: usize,
        session: u64,
        flight: u64,
    },
    /// The engine asked for a wake-up.
    Wake {
        node: usize,
        session: u64,
    },
    /// A host may be requested again.
    StartRequests {
        node: usize,
        session: u64,
    },
    /// Pending steps are committed.
    Flush {
        node: usize,
        session: u64,
    },
    RenewLease {
        node: usize,
        session: u64,
    },
    /// The owner looks at the job.
    Owner,
    InjectFault,
}

/// The state of a simulation.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub seed: u64,
    pub profile: FaultProfile,
    pub rng: Rng,
    pub now: Millis,
    pub web: FakeWeb,
    pub store: SimStore,
    pub nodes: [SimNode; 2],
    pub trace: Trace,
    pub report: SimReport,
    /// Remaining faults; they are limited so that the run can end.
    pub faults_left: u64,
    /// Number of pending steps after which a worker commits.
    pub commit_at: usize,
    events: BTreeMap<(Millis, u64), SimEvent>,
    scheduled: u64,
    sessions: u64,
    limits: ConcurrencyLimits,
    pub truth: Truth,
    policy: ProtectionPolicy,
}

impl Simulation {
    /// The simulation of a seed at its start.
    pub fn new(seed: u64, profile: &FaultProfile) -> Result<Self, Violation> {
        let mut web = if profile.list { FakeWeb::with_list(seed) } else { FakeWeb::new(seed) };
        let mut rng = Rng::new(seed, 4);
        let batch_size = if profile.small_batches { rng.within(1, 7) } else { 10_000 };
        let purse = if profile.low_credits { rng.within(1, 12) } else { 1_000_000 };
        // A list is accepted only if the balance covers each URL.
        let purse = purse.max(web.listed.len() as u64);
        let purse = Credits(i64::try_from(purse).unwrap_or(0));
        let mut policy = ProtectionPolicy::NONE;
        if profile.escalations && rng.percent(60) {
            policy = ProtectionPolicy::draw(&mut rng);
            web.protection = Some(BotProtection::draw(&mut rng));
        }
        let start = web.start.as_str();
        let list = web.listed.len() as u64;
        let store =
            SimStore::open(start, list, &web.requested, batch_size, purse, &policy, profile.bug)
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
            store,
            nodes: [SimNode::default(), SimNode::default()],
            trace: Trace::default(),
            report: SimReport::default(),
            faults_left: rng.within(1, 8),
            commit_at: usize::try_from(rng.within(1, 12)).unwrap_or(1),
            events: BTreeMap::new(),
            scheduled: 0,
            sessions: 0,
            limits: ConcurrencyLimits::draw(&mut rng),
            truth: Truth::of(&web),
            policy,
            web,
            rng,
        };
        world.after(0, SimEvent::Claim(0));
        world.after(700, SimEvent::Claim(1));
        world.after(900, SimEvent::Owner);
        world.after(50, SimEvent::InjectFault);
        Ok(world)
    }

    /// Runs the simulation to its end.
    pub fn run(mut self) -> Result<SimReport, Violation> {
        match self.run_events() {
            Ok(()) => Ok(self.report),
            Err(message) => Err(Violation {
                seed: self.seed,
                profile: self.profile.name,
                message,
                trace: self.trace.lines(),
            }),
        }
    }

    fn run_events(&mut self) -> Result<(), String> {
        while !self.store.is_over() {
            let Some(((at, _), event)) = self.events.pop_first() else {
                return Err("no event is left, and the run has not ended".to_owned());
            };
            self.now = at;
            self.report.steps += 1;
            if self.report.steps > STEPS {
                return Err(format!("no end after {STEPS} events"));
            }
            self.handle_event(event)?;
            audit(&self.store)?;
        }
        self.flush_stale_nodes()?;
        self.close()
    }

    fn handle_event(&mut self, event: SimEvent) -> Result<(), String> {
        match event {
            SimEvent::Claim(node) => self.claim_if_idle(node),
            SimEvent::Arrive { node, session, flight } if self.is_live(node, session) => {
                match self.nodes[node].complete(flight) {
                    Some(input) => self.handle_input(node, input),
                    None => Ok(()),
                }
            }
            SimEvent::Wake { node, session } if self.is_live(node, session) => {
                self.handle_input(node, Input::Tick)
            }
            SimEvent::StartRequests { node, session } if self.is_live(node, session) => {
                self.start(node)
            }
            SimEvent::Flush { node, session } if self.is_live(node, session) => {
                self.after(1_000, event);
                self.flush(node)
            }
            SimEvent::RenewLease { node, session } if self.is_live(node, session) => {
                self.renew_lease(node);
                Ok(())
            }
            // The session has ended.
            SimEvent::Arrive { .. }
            | SimEvent::Wake { .. }
            | SimEvent::StartRequests { .. }
            | SimEvent::Flush { .. }
            | SimEvent::RenewLease { .. } => Ok(()),
            SimEvent::Owner => self.owner(),
            SimEvent::InjectFault => {
                self.inject_fault();
                Ok(())
            }
        }
    }

    pub fn after(&mut self, millis: u64, event: SimEvent) {
        self.at(self.now.plus(Duration::from_millis(millis)), event);
    }

    pub fn at(&mut self, at: Millis, event: SimEvent) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    pub fn note(&mut self, event: String) {
        self.trace.note(self.now, event);
    }

    fn is_live(&self, node: usize, session: u64) -> bool {
        self.nodes[node].session.as_ref().is_some_and(|live| live.id == session)
    }

    /// Lets a node without a session claim the shard and continue where the log ends.
    fn claim_if_idle(&mut self, node: usize) -> Result<(), String> {
        self.after(1_000, SimEvent::Claim(node));
        if self.nodes[node].session.is_some() {
            return Ok(());
        }
        let Some(lease) = self.store.claim(self.now) else { return Ok(()) };
        self.note(format!("node {node} claims epoch {} at {}", lease.epoch, lease.head));
        self.store
            .command(&JobCommand::Start, self.now)
            .map_err(|refusal| format!("the shard was open, but Start was refused: {refusal}"))?;
        self.store
            .command(&JobCommand::LearnTier(Tier::Normal), self.now)
            .map_err(|refusal| format!("LearnTier was refused: {refusal}"))?;
        let engine = self.replay()?;
        self.begin(node, lease, engine)
    }

    /// Starts a session on a node.
    pub fn begin(&mut self, node: usize, lease: SimLease, engine: SiteCrawl) -> Result<(), String> {
        self.sessions += 1;
        let session = self.sessions;
        self.report.claims += 1;
        self.nodes[node].session = Some(WorkerSession::new(session, lease, engine, self.limits));
        self.after(1_000, SimEvent::Flush { node, session });
        self.at(self.now.plus(HEARTBEAT), SimEvent::RenewLease { node, session });
        self.handle_input(node, Input::Begin)
    }

    fn plan(&self) -> CrawlPlan {
        let boundary = match self.profile.bug {
            Some(InjectedBug::NoBoundary) => None,
            _ => self.store.job.batch_ends_at().map(|units| units.0),
        };
        CrawlPlan {
            scope: self.web.requested.scope.clone(),
            options: self.store.job.options.clone(),
            batch_ends_at: boundary,
            max_pages: self.web.requested.max_pages,
            max_units: self.store.job.max_units().map(|units| units.0),
            concurrency: self.limits.total,
            host_concurrency: match self.profile.bug {
                Some(InjectedBug::ExtraHostSlots) => self.limits.per_host + 1,
                _ => self.limits.per_host,
            },
            traps: traps(),
            protected: self.store.job.protected,
            // Without a protected tier the owner is not asked.
            escalates: match self.profile.list {
                true => self.policy.tier && self.store.job.on_protected != OnProtected::Fail,
                false => self.policy.tier || self.store.job.on_protected == OnProtected::Fail,
            },
            capabilities: Capabilities { tier: self.policy.tier, browser: false },
            ..CrawlPlan::listed(self.web.listed.clone())
                .unwrap_or_else(|| CrawlPlan::new(self.web.start.clone()))
        }
    }

    fn replay(&self) -> Result<SiteCrawl, String> {
        let (snapshot, commits) = self.store.log();
        let mode = self.web.requested.mode;
        let engine = registry::replay_site_crawl(mode, self.plan(), snapshot, commits)
            .map_err(|error| format!("the log cannot be replayed: {error}"))?;
        // A run with an empty log has its start URL pending; a list completes its seeds.
        let is_seeded = engine.state().frontier().len() == self.store.state.frontier().len();
        if self.store.head() > 0 && is_seeded && *engine.state() != self.store.state {
            return Err("the replayed state differs from the committed state".to_owned());
        }
        Ok(engine)
    }

    fn renew_lease(&mut self, node: usize) {
        let Some(session) = &self.nodes[node].session else { return };
        if self.store.renew(&session.lease, self.now) {
            let event = SimEvent::RenewLease { node, session: session.id };
            self.at(self.now.plus(HEARTBEAT), event);
        } else {
            self.note(format!("node {node} lost its lease"));
            self.nodes[node].stop();
        }
    }

    /// Confirms what the job waits for, or aborts it.
    fn owner(&mut self) -> Result<(), String> {
        let pause = self.rng.within(100, 9_000);
        self.after(pause, SimEvent::Owner);
        if self.profile.aborts && self.rng.percent(3) {
            self.note("the owner aborts".to_owned());
            let aborted = self.store.command(&JobCommand::Abort, self.now);
            return aborted.map_err(|refusal| format!("an abort was refused: {refusal}"));
        }
        let Some(waits_for) = self.store.job.waits_for else { return Ok(()) };
        self.report.parked += 1;
        let continue_batch = waits_for == WaitsFor::Boundary;
        let rate = self.store.job.rate.unwrap_or(Credits(1));
        if waits_for == WaitsFor::Credits || self.store.available() < rate {
            let units = i64::try_from(self.rng.within(1, 6)).unwrap_or(1);
            self.store.grant(Credits(rate.0 * units));
        }
        let available = self.store.available();
        let wrong = JobCommand::Confirm {
            continue_batch: !continue_batch,
            ceiling: None,
            max_credits: None,
            available,
        };
        if self.store.command(&wrong, self.now).is_ok() {
            return Err("a confirmation of the wrong kind was accepted".to_owned());
        }
        // A ceiling below the rate is raised to it.
        let ceiling = self.store.job.ceiling.filter(|ceiling| *ceiling < rate).map(|_| rate);
        // A job at its budget continues only with a higher one.
        let max_credits = self
            .store
            .job
            .is_at_credit_limit(rate)
            .then(|| Credits(self.store.job.credits_used.0 + rate.0 * 3));
        let max_credits = max_credits.filter(|_| waits_for == WaitsFor::Credits);
        let confirm = JobCommand::Confirm { continue_batch, ceiling, max_credits, available };
        self.note(format!("the owner confirms: {waits_for:?}, {available} credits"));
        let confirmed = self.store.command(&confirm, self.now);
        confirmed.map_err(|refusal| format!("a confirmation was refused: {refusal}"))
    }

    fn inject_fault(&mut self) {
        let pause = self.rng.within(20, 4_000);
        self.after(pause, SimEvent::InjectFault);
        if self.faults_left == 0 || !self.rng.percent(50) {
            return;
        }
        let node = self.rng.index(2);
        if self.nodes[node].session.is_none() {
            return;
        }
        let (crash, lose) = (self.profile.crashes, self.profile.lost_leases);
        if crash && (!lose || self.rng.percent(50)) {
            self.crash(node);
        } else if lose {
            self.faults_left -= 1;
            self.note(format!("the lease of node {node} expires unnoticed"));
            self.store.expire();
            self.after(1, SimEvent::Claim(1 - node));
        }
    }

    /// Crashes the process of a node; sometimes its lease is released at once.
    pub fn crash(&mut self, node: usize) {
        self.faults_left = self.faults_left.saturating_sub(1);
        self.report.crashes += 1;
        self.note(format!("node {node} crashes"));
        let held = self.nodes[node].session.as_ref().is_some_and(|s| self.store.holds(&s.lease));
        self.nodes[node].die();
        if held && self.rng.percent(50) {
            self.store.expire();
        }
    }

    /// Lets nodes with a stale lease try to commit, which must fail.
    fn flush_stale_nodes(&mut self) -> Result<(), String> {
        for node in 0..self.nodes.len() {
            self.flush(node)?;
            audit(&self.store)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let mut replayed = RunState::new(traps());
        for commit in self.store.whole_log() {
            replayed.replay(commit);
        }
        if replayed != self.store.state {
            return Err("replaying the whole log gives another state".to_owned());
        }
        if !self.profile.reads_twice()
            && let Some(key) = self.web.read_twice()
        {
            return Err(format!("{key} was read twice although nothing was lost"));
        }
        let options = &self.web.requested.options;
        self.report.limited =
            self.web.requested.max_pages.is_some() || options.max_credits.is_some();
        self.report.read(&self.store)?;
        match self.profile.list {
            true => self.report.compare_with_list(&self.web.listed),
            false => self.report.compare_with_truth(&self.truth),
        }
    }
}
