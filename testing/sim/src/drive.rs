//! How a worker drives the engine: inputs in, actions out, commits by the policy.

use contract::Status;
use crawl::{Action, Engine, Input, Pending, Plan, RunState};
use job::{JobCommand, Tier};

use crate::books::{Appended, survives_storage};
use crate::profile::Flaw;
use crate::world::{Event, World};

impl World {
    /// Tells the engine something and carries out what it asks for.
    pub(crate) fn feed(&mut self, node: usize, input: Input) -> Result<(), String> {
        let now = self.now;
        let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
        let id = session.id;
        let told = describe(&input);
        let mut last_word = None;
        let mut wake = None;
        for action in session.engine.handle(input, now) {
            match action {
                Action::Fetch(task) => session.enqueue(task)?,
                Action::Abandon(_) => return Err("a crawl has no visits".into()),
                Action::WakeAt(at) => wake = Some(at),
                Action::ReachBoundary => last_word = Some(JobCommand::ReachBoundary),
                Action::Finish(ending) => last_word = Some(JobCommand::Finish(ending)),
                Action::Escalate(marker) => {
                    let marker = marker.to_string();
                    last_word = Some(JobCommand::LearnTier(Tier::Protected { marker }));
                }
            }
        }
        // The engine repeats itself; one event is enough.
        let wake = wake.filter(|at| session.wake_at != Some(*at));
        session.wake_at = wake.or(session.wake_at);
        let pending = session.engine.pending().0;
        self.note(format!("node {node}: {told}"));
        if let Some(at) = wake {
            self.at(at, Event::Wake { node, session: id });
        }
        if let Some(command) = last_word {
            return self.conclude(node, &command);
        }
        if pending >= self.commit_at {
            self.flush(node)?;
        }
        self.start(node)
    }

    /// Starts what may start.
    pub(crate) fn start(&mut self, node: usize) -> Result<(), String> {
        let (now, flaw) = (self.now, self.profile.flaw);
        let Some(session) = self.nodes[node].session.as_ref().map(|live| live.id) else {
            return Ok(());
        };
        let started = self.nodes[node].start_requests(&mut self.web, &self.truth, flaw, now)?;
        self.report.requests += started.flights.len() as u64;
        for (at, flight) in started.flights {
            self.at(at, Event::Land { node, session, flight });
        }
        if let Some(at) = started.look_again {
            self.at(at, Event::Pace { node, session });
        }
        Ok(())
    }

    /// Writes down what is left, then the last word of the run.
    fn conclude(&mut self, node: usize, command: &JobCommand) -> Result<(), String> {
        self.flush(node)?;
        self.maybe_crash(node);
        self.tell(node, command)
    }

    /// Reports as the holder of the shard, and lets go of it.
    fn tell(&mut self, node: usize, command: &JobCommand) -> Result<(), String> {
        let Some(session) = &self.nodes[node].session else { return Ok(()) };
        let answer = self.books.report(&session.lease, command, self.now);
        self.note(format!("node {node}: {command:?}"));
        let held = self.nodes[node].stop();
        match answer {
            // The lease is lost: whoever has it will say the same in its time.
            None => Ok(()),
            Some(Ok(())) => match held {
                // The higher rate was accepted in advance.
                Some((lease, engine)) if self.books.job.status == Status::Running => {
                    let plan = Plan { protected: true, ..engine.plan().clone() };
                    self.begin(node, lease, engine.go_on(plan))
                }
                _ => Ok(()),
            },
            Some(Err(refusal)) => Err(format!("{command:?} was refused to the holder: {refusal}")),
        }
    }

    /// Commits what is pending.
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

    /// An append of which the worker does not hear. True when nothing is left to do.
    fn append_in_doubt(&mut self, node: usize, pending: &Pending) -> bool {
        self.faults_left -= 1;
        let arrives = self.rng.percent(50);
        let Some(session) = &mut self.nodes[node].session else { return true };
        if arrives {
            let mut unheard = session.lease;
            let _ = self.books.append(&mut unheard, pending);
        }
        if self.profile.flaw == Some(Flaw::UnknownIsDone) {
            session.lease.head += 1;
            return true;
        }
        let landed = self.books.landed(&mut session.lease);
        self.note(format!("node {node} hears nothing of an append; landed: {landed:?}"));
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
        let appended = self.books.append(&mut session.lease, &pending);
        let (steps, epoch) = (pending.commit.steps.len(), session.lease.epoch);
        match appended {
            Appended::Stored => {
                self.report.commits += 1;
                if *session.engine.state() != self.books.state {
                    return Err("the live state is not what was committed".to_owned());
                }
                self.note(format!("node {node} commits {steps} steps in epoch {epoch}"));
                if self.rng.percent(15) {
                    self.snapshot(node)?;
                }
                self.maybe_crash(node);
                Ok(())
            }
            Appended::Lost => {
                if self.books.holds(&session.lease) {
                    return Err("the holder of the shard was turned away".to_owned());
                }
                self.report.lost_appends += 1;
                self.note(format!("node {node} is turned away with epoch {epoch}"));
                self.nodes[node].stop();
                Ok(())
            }
            Appended::Short { covered } => {
                let left = pending.commit.trim_to(covered);
                pending.items.truncate(left.items);
                if self.profile.flaw != Some(Flaw::SkippedNotTrimmed) {
                    pending.skipped.truncate(left.skipped);
                }
                self.note(format!("node {node}: {covered} units are covered"));
                let Some(session) = &mut self.nodes[node].session else { return Ok(()) };
                if !pending.commit.is_empty() {
                    let again = self.books.append(&mut session.lease, &pending);
                    if again != Appended::Stored {
                        return Err(format!("what is covered was not stored: {again:?}"));
                    }
                    self.report.commits += 1;
                }
                self.maybe_crash(node);
                self.tell(node, &JobCommand::ExhaustCredits)
            }
        }
    }

    fn snapshot(&mut self, node: usize) -> Result<(), String> {
        let Some(session) = &self.nodes[node].session else { return Ok(()) };
        let snapshot = session.engine.snapshot().map_err(|error| error.to_string())?;
        let back: RunState = snapshot.state().map_err(|error| error.to_string())?;
        if back != *session.engine.state() {
            return Err("a snapshot does not give the state back".to_owned());
        }
        if self.books.write_snapshot(&session.lease, snapshot) {
            self.report.snapshots += 1;
        }
        Ok(())
    }

    /// Between any two deeds of a worker its process may die.
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
