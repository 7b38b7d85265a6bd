//! Drives the engine like a worker: feeds inputs, executes actions, commits.

use contract::Status;
use crawl::{Action, CrawlPlan, Engine, Input, Pending};
use job::{JobCommand, Tier};

use crate::fault_profile::InjectedBug;
use crate::sim_store::{AppendResult, survives_storage};
use crate::simulation::{SimEvent, Simulation};

impl Simulation {
    /// Feeds an input to the engine and executes the actions.
    pub(crate) fn handle_input(&mut self, node: usize, input: Input) -> Result<(), String> {
        let now = self.now;
        let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
        let id = session.id;
        let described = describe(&input);
        let mut final_command = None;
        let mut wake = None;
        for action in session.engine.handle(input, now) {
            match action {
                Action::Fetch(task) => session.enqueue(task)?,
                Action::Abandon(_) => return Err("a crawl has no visits".into()),
                Action::WakeAt(at) => wake = Some(at),
                Action::ReachBoundary => final_command = Some(JobCommand::ReachBoundary),
                Action::Fail(error) => return Err(error.to_string()),
                Action::Finish(ending) => final_command = Some(JobCommand::Finish(ending)),
                Action::Escalate(marker) => {
                    let marker = marker.to_string();
                    final_command = Some(JobCommand::LearnTier(Tier::Protected { marker }));
                }
            }
        }
        // The engine repeats its wake-ups; one event is enough.
        let wake = wake.filter(|at| session.wake_at != Some(*at));
        session.wake_at = wake.or(session.wake_at);
        let pending = session.engine.pending().0;
        self.note(format!("node {node}: {described}"));
        if let Some(at) = wake {
            self.at(at, SimEvent::Wake { node, session: id });
        }
        if let Some(command) = final_command {
            return self.finish_run(node, &command);
        }
        if pending >= self.commit_at {
            self.flush(node)?;
        }
        self.start(node)
    }

    /// Starts the requests that may start.
    pub(crate) fn start(&mut self, node: usize) -> Result<(), String> {
        let (now, bug) = (self.now, self.profile.bug);
        let Some(session) = self.nodes[node].session.as_ref().map(|live| live.id) else {
            return Ok(());
        };
        let started = self.nodes[node].start_requests(&mut self.web, &self.truth, bug, now)?;
        self.report.requests += started.flights.len() as u64;
        for (at, flight) in started.flights {
            self.at(at, SimEvent::Arrive { node, session, flight });
        }
        if let Some(at) = started.retry_at {
            self.at(at, SimEvent::StartRequests { node, session });
        }
        Ok(())
    }

    /// Commits what is left, then reports the final command of the run.
    fn finish_run(&mut self, node: usize, command: &JobCommand) -> Result<(), String> {
        self.flush(node)?;
        self.maybe_crash(node);
        self.report_command(node, command)
    }

    /// Reports a command as the holder of the shard, and releases the shard.
    fn report_command(&mut self, node: usize, command: &JobCommand) -> Result<(), String> {
        let Some(session) = &self.nodes[node].session else { return Ok(()) };
        let answer = self.store.report(&session.lease, command, self.now);
        self.note(format!("node {node}: {command:?}"));
        let held = self.nodes[node].stop();
        match answer {
            // The lease is lost: its new holder will report the same.
            None => Ok(()),
            Some(Ok(())) => match held {
                // The higher rate was accepted in advance.
                Some((lease, engine)) if self.store.job.status == Status::Running => {
                    let plan = CrawlPlan { protected: true, ..engine.plan().clone() };
                    self.begin(node, lease, engine.resume_with(plan))
                }
                _ => Ok(()),
            },
            Some(Err(refusal)) => {
                Err(format!("{command:?} of the lease holder was refused: {refusal}"))
            }
        }
    }

    /// Commits the pending steps.
    pub(crate) fn flush(&mut self, node: usize) -> Result<(), String> {
        self.maybe_crash(node);
        let doubtful = self.profile.unknown_appends && self.faults_left > 0;
        let doubtful = doubtful && self.rng.percent(12);
        let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
        if session.engine.pending().0 == 0 {
            return Ok(());
        }
        let pending = session.engine.take_pending();
        if self.rng.percent(10) {
            survives_storage(&pending)?;
        }
        if doubtful && self.append_in_doubt(node, &pending) {
            return Ok(());
        }
        self.append(node, pending)
    }

    /// An append with an unknown result. Returns true when nothing is left to do.
    fn append_in_doubt(&mut self, node: usize, pending: &Pending) -> bool {
        self.faults_left -= 1;
        let arrives = self.rng.percent(50);
        let Some(session) = &mut self.nodes[node].session else { return true };
        if arrives {
            let mut unheard = session.lease;
            let _ = self.store.append(&mut unheard, pending);
        }
        if self.profile.bug == Some(InjectedBug::UnknownTakenAsStored) {
            session.lease.head += 1;
            return true;
        }
        let landed = self.store.landed(&mut session.lease);
        self.note(format!("node {node}: unknown result of an append; stored: {landed:?}"));
        match landed {
            Some(landed) => landed,
            None => {
                self.nodes[node].stop();
                true
            }
        }
    }

    fn append(&mut self, node: usize, mut pending: Pending) -> Result<(), String> {
        let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
        let appended = self.store.append(&mut session.lease, &pending);
        let (steps, epoch) = (pending.commit.steps.len(), session.lease.epoch);
        match appended {
            AppendResult::Stored => {
                self.report.commits += 1;
                if *session.engine.state() != self.store.state {
                    return Err("the live state differs from the committed state".to_owned());
                }
                self.note(format!("node {node} commits {steps} steps in epoch {epoch}"));
                if self.rng.percent(15) {
                    self.snapshot(node)?;
                }
                self.maybe_crash(node);
                Ok(())
            }
            AppendResult::Lost => {
                if self.store.holds(&session.lease) {
                    return Err("an append of the lease holder was rejected".to_owned());
                }
                self.report.lost_appends += 1;
                self.note(format!("append of node {node} with epoch {epoch} is rejected"));
                self.nodes[node].stop();
                Ok(())
            }
            AppendResult::Short { covered } => {
                let left = pending.commit.trim_to(covered);
                pending.items.truncate(left.items);
                if self.profile.bug != Some(InjectedBug::SkippedNotTrimmed) {
                    pending.skipped.truncate(left.skipped);
                }
                self.note(format!("node {node}: {covered} units are covered"));
                let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
                if !pending.commit.is_empty() {
                    let again = self.store.append(&mut session.lease, &pending);
                    if again != AppendResult::Stored {
                        return Err(format!("the paid part of a commit was not stored: {again:?}"));
                    }
                    self.report.commits += 1;
                }
                self.maybe_crash(node);
                self.report_command(node, &JobCommand::ExhaustCredits)
            }
        }
    }

    fn snapshot(&mut self, node: usize) -> Result<(), String> {
        let Some(session) = &self.nodes[node].session else { return Ok(()) };
        let snapshot = session.engine.snapshot().map_err(|error| error.to_string())?;
        let mode = registry::crawl_mode(self.web.requested.mode);
        let mut mode = mode.map_err(|error| error.to_string())?;
        let back = mode.restore(&snapshot).map_err(|error| error.to_string())?;
        if back != *session.engine.state() {
            return Err("a snapshot does not restore the state".to_owned());
        }
        if self.store.write_snapshot(&session.lease, snapshot) {
            self.report.snapshots += 1;
        }
        Ok(())
    }

    /// Crashes the process, with some probability.
    fn maybe_crash(&mut self, node: usize) {
        let may = self.profile.crashes && self.faults_left > 0;
        if may && self.nodes[node].session.is_some() && self.rng.percent(3) {
            self.crash(node);
        }
    }
}

fn describe(input: &Input) -> String {
    match input {
        Input::Begin => "begins".to_owned(),
        Input::Tick => "wakes".to_owned(),
        Input::Answered(task, _) => format!("{} answers", task.url),
        Input::Failed(task, cause) => format!("{} fails: {cause:?}", task.url),
    }
}
