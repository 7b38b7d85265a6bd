use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crawl::{CrawlProgress, ParsedResponse};
use journal::{JournalError, Overlay, UrlId};
use net::{Answer, Fetch, FetchError, Request};
use runtime::SystemClock;

use super::*;
use crate::{GateSettings, HostGate, PageReader};

/// A run that is finished with its first step.
#[derive(Debug, Default)]
struct FinishedRun {
    steps: usize,
}

impl Engine for FinishedRun {
    fn receive(
        &mut self,
        _: &FetchTask,
        _: Result<ParsedResponse, Cause>,
        _: Millis,
        _: &mut Vec<Action>,
    ) {
    }

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

    fn progress(&self) -> CrawlProgress {
        CrawlProgress { results: 0, done: 0, known: 0, of: "pages", at: None }
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

/// A run over pages each of which fills a commit.
struct FillingRun {
    started: bool,
    left: usize,
    steps: usize,
    received: Arc<AtomicUsize>,
}

const PAGES: usize = 20;
const BYTES_OF_A_PAGE: usize = 10;

impl Engine for FillingRun {
    fn receive(
        &mut self,
        _: &FetchTask,
        _: Result<ParsedResponse, Cause>,
        _: Millis,
        _: &mut Vec<Action>,
    ) {
        self.left -= 1;
        self.steps += 1;
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    fn advance(&mut self, _: Millis, actions: &mut Vec<Action>) {
        if !std::mem::replace(&mut self.started, true) {
            for number in 0..PAGES {
                let url = format!("https://site.test/{number}");
                let id = UrlId(u32::try_from(number).expect("a small number"));
                actions.push(Action::Fetch(task(&url, id)));
            }
        }
        if self.left == 0 {
            actions.push(Action::Finish(Ending::Complete));
        }
    }

    fn pending(&self) -> (usize, usize) {
        (self.steps, self.steps * BYTES_OF_A_PAGE)
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

    fn progress(&self) -> CrawlProgress {
        CrawlProgress { results: 0, done: 0, known: 0, of: "pages", at: None }
    }
}

fn task(url: &str, id: UrlId) -> FetchTask {
    FetchTask {
        url: urls::CanonicalUrl::parse(url).expect("a URL"),
        purpose: crawl::Purpose::Url { id, need: crawl::BodyNeed::Page { images: false } },
        visit: None,
        gap: None,
        fetch_via: crawl::FetchVia::Plain,
        extract: crawl::ExtractRequest::default(),
    }
}

/// A sink that takes its time, and counts the pages that the run receives meanwhile.
struct SlowSink {
    received: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl Sink for SlowSink {
    async fn commit(&mut self, _: Pending, _: Option<Snapshot>) -> Committed {
        let before = self.received.load(Ordering::Relaxed);
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        let meanwhile = self.received.load(Ordering::Relaxed) - before;
        self.most.fetch_max(meanwhile, Ordering::Relaxed);
        Committed::Stored
    }
}

/// A site that does not answer.
#[derive(Debug)]
struct SilentSite;

#[async_trait]
impl Fetch for SilentSite {
    async fn fetch(&self, _: Request) -> Result<Answer, FetchError> {
        Err(FetchError::TooLarge(1))
    }
}

#[tokio::test]
async fn run_waits_while_its_next_commit_is_full_and_one_is_being_written() {
    let clock = Arc::new(SystemClock);
    let gate = GateSettings { at_a_time: PAGES, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(SilentSite), HostGate::new(gate, clock.clone()), clock);
    let (received, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let sink = SlowSink { received: received.clone(), most: most.clone() };
    let run = FillingRun { started: false, left: PAGES, steps: 0, received: received.clone() };
    let limits = CommitLimits { bytes: 2 * BYTES_OF_A_PAGE, ..CommitLimits::default() };
    let (_stop, stopped) = watch::channel(Stop::Run);
    let (_, _, drove) = drive(run, &fetcher, sink, limits, stopped).await;
    assert_eq!(drove, Drove::Finished(Ending::Complete));
    assert_eq!(received.load(Ordering::Relaxed), PAGES);
    assert_eq!(most.load(Ordering::Relaxed), 2, "at most one full commit waits");
}

/// A site of small pages.
#[derive(Debug)]
struct SmallSite;

#[async_trait]
impl Fetch for SmallSite {
    async fn fetch(&self, _: Request) -> Result<Answer, FetchError> {
        Ok(Answer {
            status: 200,
            version: http::Version::HTTP_11,
            headers: http::HeaderMap::new(),
            body: bytes::Bytes::from_static(b"<p>x</p>"),
            body_truncated: false,
            encoding: net::Encoding::Identity,
            wire_bytes: 8,
            remote: ([127, 0, 0, 1], 80).into(),
            first_byte: Duration::ZERO,
            elapsed: Duration::ZERO,
        })
    }
}

#[tokio::test]
async fn pages_are_not_read_while_as_many_as_are_read_at_a_time_wait_for_the_engine() {
    let clock = Arc::new(SystemClock);
    let gate = GateSettings { at_a_time: 10, delay: Duration::ZERO };
    let settings = reader::ReadSettings { at_a_time: 2, ..reader::ReadSettings::default() };
    let reader = PageReader::new(reader::ReadExecutor::new(settings), None);
    let fetcher = Fetcher::new(Arc::new(SmallSite), HostGate::new(gate, clock.clone()), clock)
        .with_reader(reader);
    let perform = |number| fetcher.clone().perform(task("https://site.test/", UrlId(number)));
    let (first, second) = (perform(0).await, perform(1).await);
    assert!(first.read.is_ok() && second.read.is_ok());
    let mut third = std::pin::pin!(perform(2));
    let early = tokio::time::timeout(Duration::from_millis(100), &mut third).await;
    assert!(early.is_err(), "the engine has handled neither of the others");
    drop(first);
    assert!(third.await.read.is_ok());
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
