use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::{Clock, Item};
use crawl::{CrawlProgress, ParsedResponse, VisitPlan, VisitTarget};
use journal::{JournalError, Overlay, UrlId};
use net::{Fetch, FetchError, FetchRequest, FetchResponse};
use runtime::SystemClock;

use super::*;
use crate::{HostGate, HostGateSettings, PageReader};

/// A run that ends with its first step.
#[derive(Debug)]
struct FinishedRun {
    steps: usize,
    end: Action,
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
        actions.push(self.end.clone());
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

/// A sink that sends a signal to its run during a commit.
struct StoppingSink {
    stop: watch::Sender<RunSignal>,
    why: RunSignal,
}

#[async_trait]
impl Sink for StoppingSink {
    async fn commit(&mut self, _: Pending, _: Option<Snapshot>) -> CommitOutcome {
        self.stop.send_replace(self.why);
        // The run sees the signal before the commit is stored.
        tokio::task::yield_now().await;
        CommitOutcome::Stored
    }
}

/// A run whose pages fill commits.
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
            actions.push(Action::Finish(RunEnding::Complete));
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

/// A slow sink that counts the pages that the run receives during a commit.
struct SlowSink {
    received: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl Sink for SlowSink {
    async fn commit(&mut self, _: Pending, _: Option<Snapshot>) -> CommitOutcome {
        let before = self.received.load(Ordering::Relaxed);
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        let meanwhile = self.received.load(Ordering::Relaxed) - before;
        self.most.fetch_max(meanwhile, Ordering::Relaxed);
        CommitOutcome::Stored
    }
}

/// A site whose requests fail.
#[derive(Debug)]
struct FailingSite;

#[async_trait]
impl Fetch for FailingSite {
    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
        Err(FetchError::TooLarge(1))
    }
}

#[tokio::test]
async fn run_waits_while_its_next_commit_is_full_and_one_is_in_progress() {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: PAGES, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(FailingSite), HostGate::new(gate, clock.clone()), clock);
    let (received, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let sink = SlowSink { received: received.clone(), most: most.clone() };
    let run = FillingRun { started: false, left: PAGES, steps: 0, received: received.clone() };
    let limits = CommitLimits { bytes: 2 * BYTES_OF_A_PAGE, ..CommitLimits::default() };
    let (_stop, stopped) = watch::channel(RunSignal::Continue);
    let (_, _, outcome) = drive(run, &fetcher, sink, limits, stopped).await;
    assert_eq!(outcome, RunOutcome::Finished(RunEnding::Complete));
    assert_eq!(received.load(Ordering::Relaxed), PAGES);
    assert_eq!(most.load(Ordering::Relaxed), 2, "at most one full commit waits");
}

#[tokio::test(start_paused = true)]
async fn run_whose_lease_may_have_expired_waits_until_it_is_renewed() {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: PAGES, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(FailingSite), HostGate::new(gate, clock.clone()), clock);
    let received = Arc::new(AtomicUsize::new(0));
    let sink = SlowSink { received: received.clone(), most: Arc::default() };
    let run = FillingRun { started: false, left: PAGES, steps: 0, received: received.clone() };
    let (stop, stopped) = watch::channel(RunSignal::AwaitLease);
    let renewal = async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(received.load(Ordering::Relaxed), 0, "nothing is handled meanwhile");
        stop.send_replace(RunSignal::Continue);
    };
    let driven = drive(run, &fetcher, sink, CommitLimits::default(), stopped);
    let ((_, _, outcome), ()) = tokio::join!(driven, renewal);
    assert_eq!(outcome, RunOutcome::Finished(RunEnding::Complete));
    assert_eq!(received.load(Ordering::Relaxed), PAGES);
}

/// A site with small pages.
#[derive(Debug)]
struct SmallSite;

#[async_trait]
impl Fetch for SmallSite {
    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
        Ok(response(200, "<p>x</p>"))
    }
}

fn response(status: u16, body: &'static str) -> FetchResponse {
    FetchResponse {
        status,
        version: http::Version::HTTP_11,
        headers: http::HeaderMap::new(),
        body: bytes::Bytes::from_static(body.as_bytes()),
        body_truncated: false,
        encoding: net::Encoding::Identity,
        wire_bytes: body.len() as u64,
        remote: ([127, 0, 0, 1], 80).into(),
        first_byte: Duration::ZERO,
        elapsed: Duration::ZERO,
    }
}

#[tokio::test]
async fn reading_waits_while_all_page_slots_wait_for_the_engine() {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: 10, delay: Duration::ZERO };
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
    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
        unreachable!("nothing is fetched")
    }
}

/// Drives a run that ends at once, with a sink that sends `why` during a commit. Returns the steps
/// that were not committed as well.
async fn drive_to_end(end: Action, why: RunSignal) -> (usize, RunOutcome) {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: 1, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(NoSite), HostGate::new(gate, clock.clone()), clock);
    let (stop, stopped) = watch::channel(RunSignal::Continue);
    let (run, sink) = (FinishedRun { steps: 0, end }, StoppingSink { stop, why });
    let (run, _, outcome) = drive(run, &fetcher, sink, CommitLimits::default(), stopped).await;
    (run.steps, outcome)
}

#[tokio::test]
async fn bug_of_the_engine_ends_a_run_without_a_commit() {
    let error = EngineError::MissingItem(UrlId(7));
    let (dropped, outcome) = drive_to_end(Action::Fail(error), RunSignal::Continue).await;
    assert_eq!((dropped, outcome), (1, RunOutcome::Failed(error)));
}

#[tokio::test]
async fn eviction_of_a_finished_run_is_ignored() {
    for (why, expected) in [
        (RunSignal::Continue, RunOutcome::Finished(RunEnding::Complete)),
        (RunSignal::Evict, RunOutcome::Finished(RunEnding::Complete)),
        (RunSignal::LeaseLost, RunOutcome::Abandoned),
    ] {
        let (_, outcome) = drive_to_end(Action::Finish(RunEnding::Complete), why).await;
        assert_eq!(outcome, expected, "{why:?}");
    }
}

/// A clock that follows the time of the runtime.
#[derive(Debug)]
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    fn now(&self) -> Millis {
        Millis(0).plus(self.0.elapsed())
    }
}

/// Domains with a home page and a contact page. The home page of `b.test` takes half a second longer
/// than that of `a.test`, and so on.
#[derive(Debug)]
struct SmallDomains;

#[async_trait]
impl Fetch for SmallDomains {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let number = u32::from(request.url.bare_host().as_bytes()[0] - b'a');
        Ok(match request.url.path() {
            "/" => {
                tokio::time::sleep(number * Duration::from_millis(500)).await;
                response(200, "<h1>Firm</h1><p>We make things.</p><a href=/contact>Contact</a>")
            }
            "/contact" => response(200, "<h1>Contact</h1><p>Write to us.</p>"),
            _ => response(404, ""),
        })
    }
}

/// A sink whose commits take 90 s, with the number of pages of each record.
#[derive(Default)]
struct SlowDatabase(BTreeMap<String, u32>);

#[async_trait]
impl Sink for SlowDatabase {
    async fn commit(&mut self, pending: Pending, _: Option<Snapshot>) -> CommitOutcome {
        tokio::time::sleep(Duration::from_secs(90)).await;
        for item in pending.items {
            let Item::Contact(record) = item else { panic!("{item:?}") };
            self.0.insert(record.domain, record.pages_checked);
        }
        CommitOutcome::Stored
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_slow_commit_does_not_end_visits() {
    let clock = Arc::new(RuntimeClock(Instant::now()));
    let gate = HostGateSettings { concurrency: 4, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(SmallDomains), HostGate::new(gate, clock.clone()), clock);
    let domains = ["a.test", "b.test", "c.test", "d.test"].map(str::to_owned);
    let targets = domains.iter().cloned().map(VisitTarget::Domain).collect();
    let limits = CommitLimits { bytes: 1, ..CommitLimits::default() };
    let (_stop, stopped) = watch::channel(RunSignal::Continue);
    let run = registry::domain_crawl(VisitPlan::new(targets));
    let (_, sink, outcome) = drive(run, &fetcher, SlowDatabase::default(), limits, stopped).await;
    assert_eq!(outcome, RunOutcome::Finished(RunEnding::Complete));
    let expected = domains.into_iter().map(|domain| (domain, 2)).collect();
    assert_eq!(sink.0, expected, "home page and contact page of every domain");
}

/// Collects the log lines of a test.
#[derive(Clone, Default)]
struct LogBuffer(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn log_lines_of_requests_have_the_fields_of_job_and_fetch() {
    let log = LogBuffer::default();
    let lines = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).json();
    let writer = log.clone();
    let lines = lines.with_writer(move || writer.clone()).finish();
    let _default = tracing::subscriber::set_default(lines);
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: PAGES, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(FailingSite), HostGate::new(gate, clock.clone()), clock);
    let received = Arc::new(AtomicUsize::new(0));
    let sink = SlowSink { received: received.clone(), most: Arc::default() };
    let run = FillingRun { started: false, left: PAGES, steps: 0, received };
    let (_stop, stopped) = watch::channel(RunSignal::Continue);
    let job = tracing::error_span!("job", job.id = "job_1");
    drive(run, &fetcher, sink, CommitLimits::default(), stopped).instrument(job).await;
    let log = String::from_utf8(log.0.lock().expect("no panic").clone()).expect("UTF-8");
    let failures: Vec<_> = log.lines().filter(|line| line.contains("fetch failed")).collect();
    assert_eq!(failures.len(), PAGES, "{log}");
    for line in failures {
        assert!(line.contains(r#""job.id":"job_1""#), "{line}");
        assert!(line.contains(r#""host":"site.test""#), "{line}");
    }
}
