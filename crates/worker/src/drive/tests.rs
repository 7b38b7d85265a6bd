use std::sync::Arc;

use contract::SystemClock;
use crawl::{Reading, Standing};
use journal::{JournalError, Overlay};
use net::{Answer, Fetch, FetchError, Request};

use super::*;
use crate::{GateSettings, HostGate};

/// A run that is finished with its first step.
#[derive(Debug, Default)]
struct FinishedRun {
    steps: usize,
}

impl Engine for FinishedRun {
    fn receive(&mut self, _: &Task, _: Result<Reading, Cause>, _: Millis, _: &mut Vec<Action>) {}

    fn advance(&mut self, _: Millis, actions: &mut Vec<Action>) {
        self.steps = 1;
        actions.push(Action::Finish(Ending::Complete));
    }

    fn pending(&self) -> (usize, usize) {
        (self.steps, 0)
    }

    fn take_pending(&mut self) -> Pending {
        self.steps = 0;
        Pending::default()
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        unreachable!("the sink wants none")
    }

    fn overlay(&self) -> Option<Overlay> {
        None
    }

    fn memory_bytes(&self) -> usize {
        0
    }

    fn standing(&self) -> Standing {
        Standing { results: 0, done: 0, known: 0, of: "pages", at: None }
    }
}

/// A sink whose run is told to stop while it writes a commit.
struct StoppingSink {
    stop: watch::Sender<Stop>,
    why: Stop,
}

#[async_trait]
impl Sink for StoppingSink {
    async fn commit(&mut self, _: Pending, _: Option<Snapshot>) -> Committed {
        self.stop.send_replace(self.why);
        // The run sees it before the commit is written.
        tokio::task::yield_now().await;
        Committed::Stored
    }
}

#[derive(Debug)]
struct NoSite;

#[async_trait]
impl Fetch for NoSite {
    async fn fetch(&self, _: Request) -> Result<Answer, FetchError> {
        unreachable!("nothing is fetched")
    }
}

#[tokio::test]
async fn eviction_does_not_undo_the_end_of_a_run() {
    let clock = Arc::new(SystemClock);
    let gate = GateSettings { at_a_time: 1, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(NoSite), HostGate::new(gate, clock.clone()), clock);
    for (why, expected) in [
        (Stop::Run, Drove::Finished(Ending::Complete)),
        (Stop::Evict, Drove::Finished(Ending::Complete)),
        (Stop::Lost, Drove::Lost),
    ] {
        let (stop, stopped) = watch::channel(Stop::Run);
        let sink = StoppingSink { stop, why };
        let limits = CommitLimits::default();
        let (_, _, drove) = drive(FinishedRun::default(), &fetcher, sink, limits, stopped).await;
        assert_eq!(drove, expected, "{why:?}");
    }
}
