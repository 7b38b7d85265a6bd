//! The loop: the engine's actions become requests, its steps become commits.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use contract::Millis;
use crawl::{Action, Engine, FetchTask, Input, Pending};
use job::Ending;
use journal::{Cause, Snapshot};
use page::ProtectionMarker;
use runtime::off_runtime;
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::Instant;

use crate::Fetcher;
use crate::fetching::Performed;

/// Where commits go.
#[async_trait]
pub trait Sink: Send {
    /// Writes a commit, and the state as of its end where one was asked for. Waits for
    /// as long as it takes.
    async fn commit(&mut self, pending: Pending, snapshot: Option<Snapshot>) -> Committed;

    /// Whether the state is to come with the next commit.
    fn wants_snapshot(&self) -> bool {
        false
    }

    /// Told before every commit: some of what is being fetched.
    fn note_fetching(&mut self, _urls: Vec<String>) {}

    /// Told after inputs, and after the last one for certain: what a progress line shows.
    fn observe(&mut self, _run: &dyn Engine) {}
}

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It is written.
    Stored,
    /// What could be paid for is written; the run has to stop.
    Unpaid,
    /// Nothing was written: the run is not ours any more, or cannot go on.
    Lost,
}

/// Why a run is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// It is not.
    #[default]
    Run,
    /// The process ends: write down what there is.
    Shutdown,
    /// The runs of the node take too much memory: write down what there is, and go on later.
    Evict,
    /// It is not ours any more: write nothing.
    Lost,
}

/// How a run came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drove {
    /// Everything is done and written.
    Finished(Ending),
    /// The batch is full and written.
    Boundary,
    /// The site turned out to be protected; what came before is written.
    Protected(ProtectionMarker),
    /// The purse is empty; what it covered is written.
    Unpaid,
    /// The process ends; what there was is written.
    Shutdown,
    /// It makes room for others and goes on later; what there was is written.
    Evicted,
    /// Not ours any more.
    Lost,
}

/// When a commit is due.
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

/// An answer that brings more URLs than this is handled off the runtime.
const LONG_INPUT_URLS: usize = 500;

/// How many of the URLs under way are shown to whoever watches a run.
const FETCHING_SHOWN: usize = 4;

/// Drives a run to its end, to a stop, or until it is told to stop.
pub async fn drive<E: Engine, S: Sink + 'static>(
    mut run: E,
    fetcher: &Fetcher,
    sink: S,
    limits: CommitLimits,
    mut stop: watch::Receiver<Stop>,
) -> (E, S, Drove) {
    let mut requests = Requests::default();
    let mut writer = Writer { sink: Some(sink), under_way: None, due: None, first: true, limits };
    let mut wake: Option<Instant> = None;
    let mut over: Option<Drove> = None;
    let mut input = Some((Input::Begin, None));
    // The sink has not been told of the last input: it was writing.
    let mut unseen = false;
    loop {
        if let Some((input, place)) = input.take() {
            let now = fetcher.clock().now();
            let actions = if is_long(&input) {
                off_runtime(|| run.handle(input, now))
            } else {
                run.handle(input, now)
            };
            drop(place);
            for action in actions {
                match action {
                    Action::Fetch(task) => requests.start(fetcher, task),
                    Action::Abandon(visit) => requests.abandon(visit),
                    Action::WakeAt(at) => {
                        let at = instant(at, fetcher.clock().now());
                        wake = Some(wake.map_or(at, |earlier| earlier.min(at)));
                    }
                    Action::ReachBoundary => over = Some(Drove::Boundary),
                    Action::Escalate(marker) => {
                        // They are asked for again, in whatever way is decided.
                        requests.drop_all();
                        over = Some(Drove::Protected(marker));
                    }
                    Action::Finish(ending) => over = Some(Drove::Finished(ending)),
                }
            }
            unseen = true;
        }
        if let (true, Some(sink)) = (unseen, &mut writer.sink) {
            sink.observe(&run);
            unseen = false;
        }
        writer.begin(&mut run, &requests, over.is_some());
        if let (Some(drove), true) = (&over, writer.is_idle()) {
            let drove = drove.clone();
            return (run, writer.into_sink(), drove);
        }
        let commit_due = writer.due.filter(|_| writer.is_idle());
        let goes_on = over.is_none() && !writer.is_behind(&run);
        tokio::select! {
            biased;
            Ok(()) = stop.changed() => {
                let why = *stop.borrow_and_update();
                match why {
                    Stop::Run => {}
                    Stop::Lost => return (run, writer.finish_under_way().await, Drove::Lost),
                    Stop::Shutdown => {
                        requests.drop_all();
                        over = Some(Drove::Shutdown);
                    }
                    // A run that is over makes room anyway, and needs no replay for it.
                    Stop::Evict if over.is_some() => {}
                    Stop::Evict => {
                        requests.drop_all();
                        over = Some(Drove::Evicted);
                    }
                }
            }
            committed = writer.committed() => match committed {
                Committed::Stored => {}
                Committed::Unpaid => return (run, writer.into_sink(), Drove::Unpaid),
                Committed::Lost => return (run, writer.into_sink(), Drove::Lost),
            },
            performed = requests.next(), if goes_on && !requests.is_empty() => {
                let Performed { task, read, place } = performed;
                let answer = match read {
                    Ok(reading) => Input::Answered(task, Box::new(reading)),
                    Err(cause) => Input::Failed(task, cause),
                };
                input = Some((answer, place));
            }
            () = until(wake), if goes_on && wake.is_some() => {
                wake = None;
                input = Some((Input::Tick, None));
            }
            // The next round of the loop sees that it is due.
            () = until(commit_due), if commit_due.is_some() => {}
        }
    }
}

/// The requests under way, each known by its task even if its thread panics.
#[derive(Default)]
struct Requests {
    set: JoinSet<Performed>,
    tasks: HashMap<Id, FetchTask>,
    /// Those of each visit, so that what a visit does not wait for any more can be dropped.
    visits: HashMap<u32, HashMap<Id, AbortHandle>>,
}

impl Requests {
    fn start(&mut self, fetcher: &Fetcher, task: FetchTask) {
        let handle = self.set.spawn(fetcher.clone().perform(task.clone()));
        let id = handle.id();
        if let Some(visit) = task.visit {
            self.visits.entry(visit).or_default().insert(id, handle);
        }
        self.tasks.insert(id, task);
    }

    /// Drops what is under way for a visit: nobody is told what came of it.
    fn abandon(&mut self, visit: u32) {
        for (id, handle) in self.visits.remove(&visit).unwrap_or_default() {
            handle.abort();
            self.tasks.remove(&id);
        }
    }

    /// Takes the task of a request that has ended, unless it was abandoned.
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

    /// A few of the URLs that are asked for: enough for a person to see where a run is.
    fn shown(&self) -> Vec<String> {
        self.tasks.values().take(FETCHING_SHOWN).map(|task| task.url.to_string()).collect()
    }

    fn drop_all(&mut self) {
        self.set.abort_all();
    }

    async fn next(&mut self) -> Performed {
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
                        tracing::error!(url = %task.url, "a bug: reading a page panicked");
                        metrics::counter!("trawl_bugs_total").increment(1);
                    }
                    return Performed { task, read: Err(Cause::Bug), place: None };
                }
                // The select asks only while there are requests.
                None => std::future::pending().await,
            }
        }
    }
}

type Writing<S> = Pin<Box<dyn Future<Output = (S, Committed)> + Send>>;

/// The sink, and the one commit that may be on its way to it.
struct Writer<S> {
    sink: Option<S>,
    under_way: Option<Writing<S>>,
    /// When what is pending has to be written at the latest.
    due: Option<Instant>,
    /// The first commit after a start goes at once: it shows that the run lives.
    first: bool,
    limits: CommitLimits,
}

impl<S: Sink + 'static> Writer<S> {
    /// Begins a commit when one is due, or when all is over.
    fn begin(&mut self, run: &mut impl Engine, requests: &Requests, over: bool) {
        let (steps, bytes) = run.pending();
        if steps == 0 {
            self.due = None;
            return;
        }
        let now = Instant::now();
        let due = *self.due.get_or_insert(now + self.limits.every);
        let full = steps >= self.limits.steps || bytes >= self.limits.bytes;
        if !(over || full || self.first || due <= now) {
            return;
        }
        let Some(mut sink) = self.sink.take() else { return };
        self.first = false;
        self.due = None;
        let pending = run.take_pending();
        sink.note_fetching(if over { Vec::new() } else { requests.shown() });
        // Now, and only now, is the live state what the log will say.
        let snapshot = if sink.wants_snapshot() {
            let snapshot = off_runtime(|| run.snapshot());
            snapshot.inspect_err(|error| tracing::error!(%error, "no snapshot")).ok()
        } else {
            None
        };
        self.under_way = Some(Box::pin(async move {
            let committed = sink.commit(pending, snapshot).await;
            (sink, committed)
        }));
    }

    fn is_idle(&self) -> bool {
        self.under_way.is_none()
    }

    /// Whether the next commit is full while one is being written. The run waits then: what it
    /// found would pile up in memory for as long as the database is slow or away.
    fn is_behind(&self, run: &impl Engine) -> bool {
        !self.is_idle() && run.pending().1 >= self.limits.bytes
    }

    async fn committed(&mut self) -> Committed {
        let Some(under_way) = &mut self.under_way else { return std::future::pending().await };
        let (sink, committed) = under_way.await;
        self.under_way = None;
        self.sink = Some(sink);
        committed
    }

    /// Lets a commit that is under way come to its end: it carries its own fence.
    async fn finish_under_way(mut self) -> S {
        if self.under_way.is_some() {
            self.committed().await;
        }
        self.into_sink()
    }

    fn into_sink(self) -> S {
        match self.sink {
            Some(sink) => sink,
            None => unreachable!("the sink is away only while a commit is under way"),
        }
    }
}

/// Whether the engine takes its time for an input.
fn is_long(input: &Input) -> bool {
    match input {
        Input::Answered(_, reading) => reading.url_count() > LONG_INPUT_URLS,
        Input::Begin | Input::Tick | Input::Failed(..) => false,
    }
}

fn instant(at: Millis, now: Millis) -> Instant {
    Instant::now() + at.since(now)
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
