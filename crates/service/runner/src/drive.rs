//! The crawl loop: performs the actions of the engine and commits its steps.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Millis, RequestLogLine};
use crawl::{Action, Engine, EngineError, FetchTask, Input, ParsedResponse, Pending};
use job::RunEnding;
use journal::{Cause, Snapshot};
use page::ProtectionMarker;
use runtime::off_runtime;
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::Fetcher;
use crate::fetching::FetchedTask;

/// Stores the commits of a run.
#[async_trait]
pub trait Sink: Send {
    /// Writes a commit, and the snapshot of the state after it if one was requested. Waits until
    /// the outcome is known.
    async fn commit(&mut self, pending: Pending, snapshot: Option<Snapshot>) -> CommitOutcome;

    /// Whether the next commit should come with a snapshot.
    fn is_snapshot_due(&self) -> bool {
        false
    }

    /// Called before every commit with some of the URLs in flight.
    fn note_fetching(&mut self, _urls: Vec<String>) {}

    /// Called after inputs with the requests that have ended since.
    fn note_requests(&mut self, _requests: Vec<RequestLogLine>) {}

    /// Called after inputs, and always after the last one, for memory accounting and progress.
    fn observe(&mut self, _run: &dyn Engine) {}
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    Stored,
    /// The part that the credits cover is stored; the run must stop.
    OutOfCredits,
    /// Nothing was stored: the lease is lost, or the sink failed.
    NotStored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunSignal {
    #[default]
    Continue,
    /// The lease may have expired, because the database does not answer: start no requests until it
    /// does.
    AwaitLease,
    /// The process ends: commit the pending steps and stop.
    Shutdown,
    /// The runs of the node exceed their memory: commit the pending steps and stop until memory is
    /// available.
    Evict,
    /// Another worker may hold the shard: stop without a commit.
    LeaseLost,
}

impl RunSignal {
    /// Whether the run must stop.
    #[must_use]
    pub fn is_stop(self) -> bool {
        match self {
            Self::Continue | Self::AwaitLease => false,
            Self::Shutdown | Self::Evict | Self::LeaseLost => true,
        }
    }
}

/// Why [`drive`] returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run is complete and committed.
    Finished(RunEnding),
    /// The batch is complete and committed.
    BatchBoundary,
    /// The site has bot protection; the steps before are committed.
    Protected(ProtectionMarker),
    /// The credits are exhausted; the steps that they cover are committed.
    OutOfCredits,
    /// The process ends; pending steps are committed.
    Shutdown,
    /// Evicted to free memory; pending steps are committed.
    Evicted,
    /// The lease is lost or the sink failed; pending steps are dropped.
    Abandoned,
    /// The engine or the mode has a bug; pending steps are dropped.
    Failed(EngineError),
}

/// A commit is due when one of these limits is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitLimits {
    pub steps: usize,
    pub bytes: usize,
    pub every: Duration,
}

impl Default for CommitLimits {
    fn default() -> Self {
        Self { steps: 256, bytes: 4 << 20, every: Duration::from_secs(1) }
    }
}

/// A response with more URLs than this is handled off the runtime.
const LARGE_INPUT_URLS: usize = 500;

/// Maximum URLs in flight that are shown in the progress of a run.
const SHOWN_URLS: usize = 4;

/// Maximum ended requests that wait for the sink while a commit is in progress.
const MAX_LOGGED: usize = 1_000;

/// The line of an ended request in the log of the run.
fn log_line(task: &FetchTask, read: &Result<ParsedResponse, Cause>, at: Millis) -> RequestLogLine {
    let head = read.as_ref().ok().map(|response| &response.head);
    RequestLogLine {
        at,
        url: task.url.to_string(),
        status_code: head.map(|head| head.status),
        size_bytes: head.map(|head| head.size_bytes),
        response_ms: head.map(|head| u64::try_from(head.elapsed.as_millis()).unwrap_or(u64::MAX)),
        cause: read.as_ref().err().map(|cause| cause.failure()),
    }
}

/// Executes a run until it ends, stops or gets a signal.
pub async fn drive<E: Engine, S: Sink + 'static>(
    mut run: E,
    fetcher: &Fetcher,
    sink: S,
    limits: CommitLimits,
    mut stop: watch::Receiver<RunSignal>,
) -> (E, S, RunOutcome) {
    let mut requests = ActiveFetches::default();
    let mut writer =
        CommitWriter { sink: Some(sink), in_progress: None, due: None, first: true, limits };
    let mut wake: Option<Instant> = None;
    let mut outcome: Option<RunOutcome> = None;
    let mut input = Some((Input::Begin, None));
    // The sink has not observed the last input because a commit is in progress.
    let mut unobserved = false;
    let mut logged = Vec::new();
    let mut behind_since: Option<Instant> = None;
    loop {
        if let Some((input, slot)) = input.take() {
            let now = fetcher.clock().now();
            let actions = if is_large(&input) {
                off_runtime(|| run.handle(input, now))
            } else {
                run.handle(input, now)
            };
            drop(slot);
            for action in actions {
                match action {
                    Action::Fetch(task) => requests.start(fetcher, task),
                    Action::Abandon(visit) => requests.abandon(visit),
                    Action::WakeAt(at) => {
                        let at = instant(at, fetcher.clock().now());
                        wake = Some(wake.map_or(at, |earlier| earlier.min(at)));
                    }
                    Action::ReachBoundary => outcome = Some(RunOutcome::BatchBoundary),
                    Action::Escalate(marker) => {
                        // These URLs are requested again when the tier is decided.
                        requests.drop_all();
                        outcome = Some(RunOutcome::Protected(marker));
                    }
                    Action::Finish(ending) => outcome = Some(RunOutcome::Finished(ending)),
                    Action::Fail(error) => {
                        tracing::error!(%error, "bug: the engine cannot continue the run");
                        metrics::counter!("trawl_bugs_total").increment(1);
                        let sink = writer.finish_in_progress().await;
                        return (run, sink, RunOutcome::Failed(error));
                    }
                }
            }
            unobserved = true;
        }
        if let (true, Some(sink)) = (unobserved, &mut writer.sink) {
            sink.observe(&run);
            sink.note_requests(std::mem::take(&mut logged));
            unobserved = false;
        }
        writer.begin(&mut run, &requests, outcome.is_some());
        if let (Some(outcome), true) = (&outcome, writer.is_idle()) {
            let outcome = outcome.clone();
            return (run, writer.into_sink(), outcome);
        }
        let commit_due = writer.due.filter(|_| writer.is_idle());
        let is_behind = writer.is_behind(&run) || *stop.borrow() == RunSignal::AwaitLease;
        if is_behind {
            behind_since.get_or_insert_with(Instant::now);
        } else if let Some(since) = behind_since.take() {
            run.extend_deadlines(since.elapsed());
        }
        let accepts_input = outcome.is_none() && !is_behind;
        tokio::select! {
            biased;
            Ok(()) = stop.changed() => {
                let why = *stop.borrow_and_update();
                match why {
                    RunSignal::Continue | RunSignal::AwaitLease => {}
                    RunSignal::LeaseLost => return (run, writer.finish_in_progress().await, RunOutcome::Abandoned),
                    RunSignal::Shutdown => {
                        requests.drop_all();
                        outcome = Some(RunOutcome::Shutdown);
                    }
                    // A run that is over releases its memory anyway, without a replay.
                    RunSignal::Evict if outcome.is_some() => {}
                    RunSignal::Evict => {
                        requests.drop_all();
                        outcome = Some(RunOutcome::Evicted);
                    }
                }
            }
            committed = writer.committed() => match committed {
                CommitOutcome::Stored => {}
                CommitOutcome::OutOfCredits => return (run, writer.into_sink(), RunOutcome::OutOfCredits),
                CommitOutcome::NotStored => return (run, writer.into_sink(), RunOutcome::Abandoned),
            },
            fetched = requests.next(), if accepts_input && !requests.is_empty() => {
                let FetchedTask { task, read, slot } = fetched;
                if logged.len() < MAX_LOGGED {
                    logged.push(log_line(&task, &read, fetcher.clock().now()));
                }
                let next = match read {
                    Ok(reading) => Input::Answered(task, Box::new(reading)),
                    Err(cause) => Input::Failed(task, cause),
                };
                input = Some((next, slot));
            }
            () = wait_until(wake), if accepts_input && wake.is_some() => {
                wake = None;
                input = Some((Input::Tick, None));
            }
            // The next iteration starts the commit.
            () = wait_until(commit_due), if commit_due.is_some() => {}
        }
    }
}

/// Requests in flight, with their tasks in case one panics.
#[derive(Default)]
struct ActiveFetches {
    set: JoinSet<FetchedTask>,
    tasks: HashMap<Id, FetchTask>,
    /// The requests of each visit, so that an ended visit can cancel them.
    visits: HashMap<u32, HashMap<Id, AbortHandle>>,
}

impl ActiveFetches {
    fn start(&mut self, fetcher: &Fetcher, task: FetchTask) {
        // A spawned task does not inherit the span of its job.
        let perform = fetcher.clone().perform(task.clone()).in_current_span();
        let handle = self.set.spawn(perform);
        let id = handle.id();
        if let Some(visit) = task.visit {
            self.visits.entry(visit).or_default().insert(id, handle);
        }
        self.tasks.insert(id, task);
    }

    /// Cancels the requests of a visit; the engine gets no outcome for them.
    fn abandon(&mut self, visit: u32) {
        for (id, handle) in self.visits.remove(&visit).unwrap_or_default() {
            handle.abort();
            self.tasks.remove(&id);
        }
    }

    /// Removes and returns the task of an ended request, unless it was cancelled.
    fn take(&mut self, id: Id) -> Option<FetchTask> {
        let task = self.tasks.remove(&id)?;
        if let Some(visit) = task.visit
            && let Some(of_visit) = self.visits.get_mut(&visit)
        {
            of_visit.remove(&id);
            if of_visit.is_empty() {
                self.visits.remove(&visit);
            }
        }
        Some(task)
    }

    fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// A few URLs in flight, for the progress of a run.
    fn shown(&self) -> Vec<String> {
        self.tasks.values().take(SHOWN_URLS).map(|task| task.url.to_string()).collect()
    }

    fn drop_all(&mut self) {
        self.set.abort_all();
    }

    async fn next(&mut self) -> FetchedTask {
        loop {
            match self.set.join_next_with_id().await {
                Some(Ok((id, done))) => {
                    if self.take(id).is_some() {
                        return done;
                    }
                }
                Some(Err(error)) => {
                    let Some(task) = self.take(error.id()) else { continue };
                    if error.is_panic() {
                        tracing::error!(url = %task.url, "bug: reading a page panicked");
                        metrics::counter!("trawl_bugs_total").increment(1);
                    }
                    return FetchedTask { task, read: Err(Cause::Bug), slot: None };
                }
                // The select polls this only while there are requests.
                None => std::future::pending().await,
            }
        }
    }
}

type CommitFuture<S> = Pin<Box<dyn Future<Output = (S, CommitOutcome)> + Send>>;

/// The sink, and at most one commit in progress.
struct CommitWriter<S> {
    sink: Option<S>,
    in_progress: Option<CommitFuture<S>>,
    /// Latest start of the next commit.
    due: Option<Instant>,
    /// The first commit after a start is not delayed: it shows that the run makes progress.
    first: bool,
    limits: CommitLimits,
}

impl<S: Sink + 'static> CommitWriter<S> {
    /// Starts a commit when one is due, or when the run is over.
    fn begin(&mut self, run: &mut impl Engine, requests: &ActiveFetches, is_over: bool) {
        let (steps, bytes) = run.pending();
        if steps == 0 {
            self.due = None;
            return;
        }
        let now = Instant::now();
        let due = *self.due.get_or_insert(now + self.limits.every);
        let full = steps >= self.limits.steps || bytes >= self.limits.bytes;
        if !(is_over || full || self.first || due <= now) {
            return;
        }
        let Some(mut sink) = self.sink.take() else { return };
        self.first = false;
        self.due = None;
        let pending = run.take_pending();
        sink.note_fetching(if is_over { Vec::new() } else { requests.shown() });
        // Only now is the live state equal to the state after the commit.
        let snapshot = if sink.is_snapshot_due() {
            let snapshot = off_runtime(|| run.snapshot());
            snapshot.inspect_err(|error| tracing::error!(%error, "cannot create a snapshot")).ok()
        } else {
            None
        };
        let span = tracing::debug_span!("commit", steps, bytes);
        let commit = async move {
            let committed = sink.commit(pending, snapshot).await;
            (sink, committed)
        };
        self.in_progress = Some(Box::pin(commit.instrument(span)));
    }

    fn is_idle(&self) -> bool {
        self.in_progress.is_none()
    }

    /// Whether the next commit is full while one is in progress. The run then waits: otherwise its
    /// steps would accumulate in memory while the database is slow or unreachable.
    fn is_behind(&self, run: &impl Engine) -> bool {
        !self.is_idle() && run.pending().1 >= self.limits.bytes
    }

    async fn committed(&mut self) -> CommitOutcome {
        let Some(in_progress) = &mut self.in_progress else { return std::future::pending().await };
        let (sink, committed) = in_progress.await;
        self.in_progress = None;
        self.sink = Some(sink);
        committed
    }

    /// Waits for the commit in progress, which is fenced by its epoch.
    async fn finish_in_progress(mut self) -> S {
        if self.in_progress.is_some() {
            self.committed().await;
        }
        self.into_sink()
    }

    fn into_sink(self) -> S {
        match self.sink {
            Some(sink) => sink,
            None => unreachable!("the sink is absent only while a commit is in progress"),
        }
    }
}

/// Whether handling the input may take milliseconds.
fn is_large(input: &Input) -> bool {
    match input {
        Input::Answered(_, reading) => reading.url_count() > LARGE_INPUT_URLS,
        Input::Begin | Input::Tick | Input::Failed(..) => false,
    }
}

fn instant(at: Millis, now: Millis) -> Instant {
    Instant::now() + at.since(now)
}

async fn wait_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
