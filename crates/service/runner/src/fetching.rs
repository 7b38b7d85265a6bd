//! A task carried out: let through by the gate, fetched, and read away from the runtime.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Clock, Millis};
use crawl::{BodyNeed, Capabilities, FetchTask, FetchVia, ParsedResponse, Purpose, ResponseHead};
use journal::Cause;
use net::{Answer, BodyLimit, Fetch, FetchError, Request};
use page::{HeaderSigns, SitemapLimits};
use reader::ReadExecutor;
use urls::Robots;

use crate::HostGate;
use crate::cause::cause;
use crate::page_reader::{PageReader, RunPlace, RunReading};
use crate::robots_cache::RobotsCache;

/// The longest pause that a host may ask for.
const PAUSE_AT_MOST: Duration = Duration::from_secs(60);

/// How much is asked for of what is only looked at: enough to tell what it is.
const FIRST_BYTES: usize = 1_024;

/// What a visit reads of a sitemap: it looks for a few pages, not for all.
const VISIT_SITEMAP_BYTES: usize = 1 << 20;

/// A task that was carried out.
pub(crate) struct Performed {
    pub task: FetchTask,
    pub read: Result<ParsedResponse, Cause>,
    /// Given back once the engine has handled what was read.
    pub place: Option<RunPlace>,
}

/// Everything that a run needs to fetch. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    fetch: Arc<dyn Fetch>,
    gate: HostGate,
    clock: Arc<dyn Clock>,
    robots: RobotsCache,
    browser: Option<Arc<dyn Fetch>>,
    tier: Option<Arc<dyn Fetch>>,
    /// Whose cookies a browser keeps apart from everybody else's.
    account: Option<Arc<str>>,
    run: Option<Arc<str>>,
    reader: PageReader,
    reading: RunReading,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").field("gate", &self.gate).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Fetches through `fetch`, when `gate` lets it.
    #[must_use]
    pub fn new(fetch: Arc<dyn Fetch>, gate: HostGate, clock: Arc<dyn Clock>) -> Self {
        let reader = PageReader::new(ReadExecutor::default(), None);
        Self {
            fetch,
            gate,
            clock,
            robots: RobotsCache::default(),
            browser: None,
            tier: None,
            account: None,
            run: None,
            reading: reader.for_run(""),
            reader,
        }
    }

    /// The same with a browser for pages that are empty without JavaScript.
    #[must_use]
    pub fn with_browser(self, browser: Arc<dyn Fetch>) -> Self {
        Self { browser: Some(browser), ..self }
    }

    /// The same with a way past bot protection.
    #[must_use]
    pub fn with_tier(self, tier: Arc<dyn Fetch>) -> Self {
        Self { tier: Some(tier), ..self }
    }

    /// The same with another reader of pages.
    #[must_use]
    pub fn with_reader(self, reader: PageReader) -> Self {
        Self { reading: reader.for_run(""), reader, ..self }
    }

    /// What reads the pages.
    #[must_use]
    pub fn reader(&self) -> &PageReader {
        &self.reader
    }

    /// How the pages of this run are read.
    #[must_use]
    pub fn reading(&self) -> &RunReading {
        &self.reading
    }

    /// The same for one run of an account.
    #[must_use]
    pub fn for_run(&self, account: &str, run: &str) -> Self {
        let reading = self.reader.for_run(account);
        let (account, run) = (Some(account.into()), Some(run.into()));
        Self { account, run, reading, ..self.clone() }
    }

    /// What there is besides plain requests.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        Capabilities { browser: self.browser.is_some(), tier: self.tier.is_some() }
    }

    /// The present instant.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Asks when the gate lets it, and tells the gate how the host bore it.
    async fn ask(
        &self,
        request: Request,
        fetch_via: FetchVia,
        gap: Option<Duration>,
    ) -> Result<Answer, FetchError> {
        let host = request.url.bare_host().to_owned();
        let permit = self.gate.enter(&host, gap).await;
        let fetch = match fetch_via {
            FetchVia::Plain => Some(&self.fetch),
            FetchVia::Browser => self.browser.as_ref(),
            FetchVia::Tier => self.tier.as_ref(),
        };
        // A run that began with a tier may go on where there is none: as ever, then.
        let answer = fetch.unwrap_or(&self.fetch).fetch(request).await;
        let now = self.clock.now();
        if is_strain(&answer) {
            permit.record_failure(now);
        } else {
            permit.record_success();
        }
        drop(permit);
        if let Ok(answer) = &answer
            && matches!(answer.status, 429 | 503)
            && let Some(pause) = answer.retry_after(now)
        {
            self.gate.pause(&host, pause.min(PAUSE_AT_MOST));
        }
        answer
    }

    pub(crate) async fn perform(self, task: FetchTask) -> Performed {
        let is_robots = matches!(task.purpose, Purpose::Robots { .. });
        if is_robots && let Some(known) = self.robots.get(&task.url, self.clock.now()) {
            return Performed { task, read: Ok(known), place: None };
        }
        let mut request = request(&task);
        request.isolation = self.account.clone();
        request.run = self.run.clone();
        let fetch_via = task.fetch_via;
        let answer = self.ask(request, fetch_via, task.gap).await;
        let performed = match answer {
            Ok(answer) => {
                let place =
                    if answer.body.is_empty() { None } else { Some(self.reading.place().await) };
                let (task, read) = self.read(task, answer).await;
                Performed { task, read, place }
            }
            Err(error) => {
                tracing::debug!(url = %task.url, %error, "not fetched");
                metrics::counter!("trawl_fetch_failures_total", "fault" => error.fault().as_str())
                    .increment(1);
                Performed { task, read: Err(cause(&error)), place: None }
            }
        };
        if fetch_via == FetchVia::Tier {
            metrics::counter!("trawl_tier_requests_total", "outcome" => tier_word(&performed.read))
                .increment(1);
        }
        performed
    }

    async fn read(
        &self,
        task: FetchTask,
        answer: Answer,
    ) -> (FetchTask, Result<ParsedResponse, Cause>) {
        metrics::counter!("trawl_pages_total").increment(1);
        metrics::counter!("trawl_bytes_total").increment(answer.wire_bytes);
        let head = head(&task, &answer, self.clock.now());
        if let Purpose::Robots { .. } = task.purpose {
            let (bytes, max_age) = (answer.body.len(), answer.max_age());
            let (task, read) = self.reader.read(task, head, answer.body, &self.reading).await;
            if let Ok(reading) = &read {
                self.robots.keep(&task.url, reading, bytes, max_age, self.clock.now());
            }
            return (task, read);
        }
        self.reader.read(task, head, answer.body, &self.reading).await
    }
}

/// Whoever else asks a site (an estimate) is as polite as a run, at the same gate.
#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        self.ask(request, FetchVia::Plain, None).await
    }
}

/// How a task is asked for.
fn request(task: &FetchTask) -> Request {
    let url = task.url.clone();
    match task.purpose {
        Purpose::Robots { .. } => Request::get(url)
            .accept("text/plain, */*;q=0.5")
            .body(BodyLimit::First(Robots::MAX_BYTES)),
        Purpose::Url { need: BodyNeed::Page { .. }, .. } => Request::get(url).body(BodyLimit::Page),
        Purpose::Url { need: BodyNeed::Sitemap, .. } => Request::get(url)
            .accept("application/xml, text/xml, text/plain, */*;q=0.5")
            .body(BodyLimit::First(match task.visit {
                Some(_) => VISIT_SITEMAP_BYTES,
                None => SitemapLimits::default().bytes,
            })),
        Purpose::Url { need: BodyNeed::Head, .. } => Request::head(url),
        Purpose::Url { need: BodyNeed::FirstBytes, .. } => {
            Request::get(url).accept("*/*").body(BodyLimit::Range(FIRST_BYTES))
        }
    }
}

/// What the engine is told of an answer besides its body.
fn head(task: &FetchTask, answer: &Answer, now: Millis) -> ResponseHead {
    let is_head = matches!(task.purpose, Purpose::Url { need: BodyNeed::Head, .. });
    // By its own word where it was not read to its end.
    let partly = is_head || answer.body_truncated || answer.status == 206;
    ResponseHead {
        status: answer.status,
        content_type: answer.content_type().map(Cow::into_owned),
        location: answer.location().map(Cow::into_owned),
        retry_after: answer.retry_after(now),
        size_bytes: answer.whole_size().filter(|_| partly).unwrap_or(answer.wire_bytes),
        elapsed: answer.elapsed,
        links: answer.links(),
        robots: answer.robots_tags(),
        language: answer.language().map(Cow::into_owned),
        last_modified: answer.last_modified(),
        signs: HeaderSigns::of(answer.header_texts()),
    }
}

/// How the protected tier did, as a label.
fn tier_word(outcome: &Result<ParsedResponse, Cause>) -> &'static str {
    match outcome {
        Ok(reading) if reading.is_challenge() => "challenged",
        Ok(_) => "ok",
        Err(Cause::ProviderDown) => "provider_down",
        Err(_) => "failed",
    }
}

/// Whether the host shows that it cannot bear the pace. A page that fails for reasons of its
/// own (500, 404) is not that.
fn is_strain(answer: &Result<Answer, FetchError>) -> bool {
    match answer {
        Ok(answer) => matches!(answer.status, 429 | 502..=504 | 520..=529),
        Err(error) => matches!(error, FetchError::TimedOut(_) | FetchError::Connect(_)),
    }
}
