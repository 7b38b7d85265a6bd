//! Performs a task of the engine: waits for the host gate, fetches, and reads off the runtime.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Clock, FailedAction, Millis};
use crawl::{BodyNeed, Capabilities, FetchTask, FetchVia, ParsedResponse, Purpose, ResponseHead};
use journal::Cause;
use net::{BodyLimit, Fetch, FetchError, FetchRequest, FetchResponse, PageScript, ScriptOutcome};
use page::{HeaderSigns, SitemapLimits};
use reader::ReadExecutor;
use tracing::Instrument as _;
use urls::{CanonicalUrl, Robots};

use crate::HostGate;
use crate::cause::cause;
use crate::kept_page::kept_page;
use crate::page_cache::{PageCache, PageCacheKey};
use crate::page_fetch::{PageCacheUse, PageFetch};
use crate::page_reader::{PageReader, PageSlot, RunReadState};
use crate::robots_cache::RobotsCache;
use crate::run_access::{LoginError, RunAccess, refused};

/// Upper limit of a pause by `Retry-After`.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Bytes requested of a URL whose type is only detected.
const FIRST_BYTES: usize = 1_024;

/// Bytes of a sitemap that a visit reads: it needs only a few pages.
const VISIT_SITEMAP_BYTES: usize = 1 << 20;

/// Requests of one page, with those after new logins.
const SESSIONS_PER_PAGE: u32 = 3;

/// A performed task with its outcome.
pub(crate) struct FetchedTask {
    pub task: FetchTask,
    pub read: Result<ParsedResponse, Cause>,
    /// Dropped after the engine has handled the outcome.
    pub slot: Option<PageSlot>,
}

/// A response of the site or of the cache.
struct SentRequest<'p> {
    response: FetchResponse,
    /// When it was received, if it was taken from the cache.
    cached_at: Option<Millis>,
    /// Where it may be kept in the cache.
    place: Option<(&'p PageCacheUse, PageCacheKey)>,
}

/// Sees the responses to requests of a run before they are read.
pub trait ResponseObserver: Send + Sync {
    /// Called once per response, on the task of the request.
    fn observe(&self, task: &FetchTask, response: &FetchResponse);
}

/// The outcome of the script of a page, and the action that failed.
fn outcome_of(script: &PageScript) -> (Option<ScriptOutcome>, Option<FailedAction>) {
    let mut outcome = script.take_outcome();
    let step = outcome.as_mut().and_then(|outcome| outcome.failed_step.take());
    let failed = step.map(|step| {
        let message = script.describe(&step);
        tracing::info!(action = step.index, cause = message, "an action failed");
        FailedAction::new(u32::try_from(step.index).unwrap_or(u32::MAX), message)
    });
    (outcome, failed)
}

/// Fetches and reads for runs. Clones share all state.
#[derive(Clone)]
pub struct Fetcher {
    fetch: Arc<dyn Fetch>,
    gate: HostGate,
    clock: Arc<dyn Clock>,
    robots: RobotsCache,
    browser: Option<Arc<dyn Fetch>>,
    tier: Option<Arc<dyn Fetch>>,
    /// The account, which isolates browser state and memory quotas.
    account: Option<Arc<str>>,
    run: Option<Arc<str>>,
    reader: PageReader,
    read_state: RunReadState,
    observer: Option<Arc<dyn ResponseObserver>>,
    page_fetch: Option<Arc<PageFetch>>,
    page_cache: PageCache,
    access: Option<Arc<RunAccess>>,
}

runtime::partial_debug!(Fetcher, gate);

impl Fetcher {
    /// Fetches through `fetch` under the limits of `gate`.
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
            read_state: reader.for_run(""),
            reader,
            observer: None,
            page_fetch: None,
            page_cache: PageCache::new(0),
            access: None,
        }
    }

    /// Adds a browser for pages that are empty without JavaScript.
    #[must_use]
    pub fn with_browser(self, browser: Arc<dyn Fetch>) -> Self {
        Self { browser: Some(browser), ..self }
    }

    /// Adds the fetcher of the protected tier.
    #[must_use]
    pub fn with_tier(self, tier: Arc<dyn Fetch>) -> Self {
        Self { tier: Some(tier), ..self }
    }

    /// Replaces the reader of pages.
    #[must_use]
    pub fn with_reader(self, reader: PageReader) -> Self {
        Self { read_state: reader.for_run(""), reader, ..self }
    }

    /// Adds the cache of pages for calls and runs that accept a cached page.
    #[must_use]
    pub fn with_page_cache(self, page_cache: PageCache) -> Self {
        Self { page_cache, ..self }
    }

    #[must_use]
    pub fn page_cache(&self) -> &PageCache {
        &self.page_cache
    }

    #[must_use]
    pub fn reader(&self) -> &PageReader {
        &self.reader
    }

    #[must_use]
    pub fn read_state(&self) -> &RunReadState {
        &self.read_state
    }

    /// The fetcher of one run of an account.
    #[must_use]
    pub fn for_run(&self, account: &str, run: &str) -> Self {
        let read_state = self.reader.for_run(account);
        let (account, run) = (Some(account.into()), Some(run.into()));
        Self { account, run, read_state, ..self.clone() }
    }

    /// Shows every response of this run to an observer.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn ResponseObserver>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Requests the pages of this run as `page_fetch` asks.
    #[must_use]
    pub fn with_page_fetch(self, page_fetch: Arc<PageFetch>) -> Self {
        Self { page_fetch: Some(page_fetch), ..self }
    }

    /// Sends the requests of this run with credentials, and logs in.
    ///
    /// # Errors
    /// [`LoginError`] if the login of the run fails.
    pub async fn with_access(self, access: Arc<RunAccess>) -> Result<Self, LoginError> {
        access.begin(self.login_browser().as_ref().map(|browser| browser as &dyn Fetch)).await?;
        Ok(Self { access: Some(access), ..self })
    }

    /// The browser for logins, under the limits of the host gate.
    fn login_browser(&self) -> Option<LoginBrowser> {
        self.browser.is_some().then(|| LoginBrowser { fetcher: self.clone() })
    }

    /// Which ways to fetch are configured.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        Capabilities { browser: self.browser.is_some(), tier: self.tier.is_some() }
    }

    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Sends a request when the gate permits, and reports the outcome to the gate.
    async fn send(
        &self,
        mut request: FetchRequest,
        fetch_via: FetchVia,
        gap: Option<Duration>,
    ) -> Result<FetchResponse, FetchError> {
        let host = request.url.bare_host().to_owned();
        let asked_at = tokio::time::Instant::now();
        let permit = self.gate.enter(&host, gap).await;
        metrics::histogram!("trawl_host_wait_seconds").record(asked_at.elapsed().as_secs_f64());
        if let Some(page_fetch) = &self.page_fetch {
            page_fetch.limit(&mut request);
        }
        let fetch = match fetch_via {
            FetchVia::Plain => Some(&self.fetch),
            FetchVia::Browser => self.browser.as_ref(),
            FetchVia::Tier => self.tier.as_ref(),
        };
        // A run of a node with a tier may continue on a node without: use plain requests.
        let response = fetch.unwrap_or(&self.fetch).fetch(request).await;
        let now = self.clock.now();
        if is_overload(&response) {
            permit.report_overload(now);
        } else {
            permit.report_success();
        }
        drop(permit);
        if let Ok(response) = &response
            && matches!(response.status, 429 | 503)
            && let Some(pause) = response.retry_after(now)
        {
            self.gate.pause(&host, pause.min(MAX_PAUSE));
        }
        response
    }

    /// The response of the cache, or else that of the site.
    async fn send_unless_cached<'p>(
        &self,
        request: FetchRequest,
        task: &FetchTask,
        page_fetch: Option<&'p PageFetch>,
    ) -> Result<SentRequest<'p>, FetchError> {
        let place = page_fetch.and_then(|page_fetch| page_fetch.in_cache(&request, task.fetch_via));
        if let Some((cache, key)) = &place
            && let Some((response, at)) = cache.cache.get(key, cache.max_age, self.clock.now())
        {
            return Ok(SentRequest { response, cached_at: Some(at), place: None });
        }
        let response = self.send(request, task.fetch_via, task.gap).await?;
        Ok(SentRequest { response, cached_at: None, place })
    }

    /// The response with the credentials of the run. If its session has ended, the request is sent
    /// again after a login.
    async fn send_with_access<'p>(
        &self,
        request: FetchRequest,
        task: &FetchTask,
        page_fetch: Option<&'p PageFetch>,
    ) -> Result<SentRequest<'p>, FetchError> {
        let Some(access) = self.access.as_ref().filter(|access| access.covers(&task.url)) else {
            return self.send_unless_cached(request, task, page_fetch).await;
        };
        let mut sessions = 1;
        loop {
            let mut attempt = request.clone();
            let session = access.prepare(&mut attempt);
            let sent = self.send_unless_cached(attempt, task, page_fetch).await?;
            let response = &sent.response;
            access.receive(session, &task.url, response, self.clock.now());
            if !access.is_refused(task, response) {
                access.answered(session, task, response);
                return Ok(sent);
            }
            let browser = self.login_browser();
            let browser = browser.as_ref().map(|browser| browser as &dyn Fetch);
            if sessions >= SESSIONS_PER_PAGE || !access.renew(session, browser).await {
                return Ok(SentRequest { response: refused(sent.response), ..sent });
            }
            sessions += 1;
        }
    }

    /// Whether responses about this URL are shared with other runs.
    fn shares_robots(&self, url: &CanonicalUrl) -> bool {
        !self.access.as_ref().is_some_and(|access| access.covers(url))
    }

    pub(crate) async fn perform(self, task: FetchTask) -> FetchedTask {
        let span = tracing::debug_span!("fetch", host = task.url.host(), url = %task.url);
        self.perform_in_span(task).instrument(span).await
    }

    async fn perform_in_span(self, mut task: FetchTask) -> FetchedTask {
        let is_robots = matches!(task.purpose, Purpose::Robots { .. });
        if is_robots
            && self.shares_robots(&task.url)
            && let Some(cached) = self.robots.get(&task.url, self.clock.now())
        {
            return FetchedTask { task, read: Ok(cached), slot: None };
        }
        let mut request = request(&task);
        request.isolation = self.account.clone();
        request.run = self.run.clone();
        let page_fetch = self.page_fetch.as_deref().filter(|_| PageFetch::is_page(&task));
        if let Some(page_fetch) = page_fetch {
            page_fetch.prepare(&mut task, &mut request);
        }
        let fetch_via = task.fetch_via;
        let script = request.script.clone().filter(|_| page_fetch.is_some_and(|it| it.is_run));
        let sent = self.send_with_access(request, &task, page_fetch).await;
        let (script, failed_action) = script.map_or((None, None), |script| outcome_of(&script));
        if failed_action.is_some() && task.visit.is_some() {
            return FetchedTask { task, read: Err(Cause::ActionFailed), slot: None };
        }
        let fetched = match sent {
            Ok(SentRequest { response, cached_at, place }) => {
                // The cache has the same time as the item.
                let received_at = cached_at.unwrap_or_else(|| self.clock.now());
                if let Some(observer) = &self.observer {
                    observer.observe(&task, &response);
                }
                let slot = if response.body.is_empty() {
                    None
                } else {
                    Some(self.read_state.slot().await)
                };
                let page_fetch = page_fetch.filter(|page_fetch| page_fetch.keeps_pages());
                let same = (place.is_some() || page_fetch.is_some()).then(|| response.clone());
                let (task, mut read) = self.read(task, response).await;
                if let Ok(read) = &mut read {
                    read.received_at = Some(received_at);
                    read.cached = cached_at.is_some();
                }
                if let (Ok(read), Some(response)) = (&mut read, same)
                    && !read.is_challenge()
                {
                    if let Some((cache, key)) = place {
                        cache.cache.insert(key, &response, received_at);
                    }
                    if let Some(page_fetch) = page_fetch.filter(|_| PageFetch::is_delivered(read)) {
                        let picture = script.as_ref().is_some_and(|it| it.screenshot.is_some());
                        let formats = match &failed_action {
                            Some(_) => page_fetch.formats_of_failure(picture),
                            None => page_fetch.formats.as_slice(),
                        };
                        let executor = self.reader.executor();
                        let kept =
                            kept_page(formats, &task, &response, script, received_at, executor)
                                .await;
                        read.kept = Some(Box::new(kept));
                    }
                    read.failed_action = failed_action.map(Box::new);
                }
                FetchedTask { task, read, slot }
            }
            Err(error) => {
                tracing::debug!(%error, "fetch failed");
                metrics::counter!("trawl_fetch_failures_total", "fault" => error.fault().as_str())
                    .increment(1);
                FetchedTask { task, read: Err(cause(&error)), slot: None }
            }
        };
        if fetch_via == FetchVia::Tier {
            metrics::counter!("trawl_tier_requests_total", "outcome" => tier_outcome_label(&fetched.read))
                .increment(1);
        }
        fetched
    }

    async fn read(
        &self,
        task: FetchTask,
        response: FetchResponse,
    ) -> (FetchTask, Result<ParsedResponse, Cause>) {
        metrics::counter!("trawl_pages_total").increment(1);
        metrics::counter!("trawl_bytes_total").increment(response.wire_bytes);
        let head = head(&task, &response, self.clock.now());
        if let Purpose::Robots { .. } = task.purpose {
            let (bytes, max_age) = (response.body.len(), response.max_age());
            let (task, read) = self.reader.read(task, head, response.body, &self.read_state).await;
            if let Ok(reading) = &read
                && self.shares_robots(&task.url)
            {
                self.robots.insert(&task.url, reading, bytes, max_age, self.clock.now());
            }
            return (task, read);
        }
        self.reader.read(task, head, response.body, &self.read_state).await
    }
}

/// Other requests, such as those of estimates, use the same host gate as runs.
#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        self.send(request, FetchVia::Plain, None).await
    }
}

/// The browser of a run for its logins.
struct LoginBrowser {
    fetcher: Fetcher,
}

#[async_trait]
impl Fetch for LoginBrowser {
    async fn fetch(&self, mut request: FetchRequest) -> Result<FetchResponse, FetchError> {
        request.isolation.clone_from(&self.fetcher.account);
        request.run.clone_from(&self.fetcher.run);
        self.fetcher.send(request, FetchVia::Browser, None).await
    }
}

/// The request of a task: accepted content types and the limit of the body by its purpose.
fn request(task: &FetchTask) -> FetchRequest {
    let url = task.url.clone();
    match task.purpose {
        Purpose::Robots { .. } => FetchRequest::get(url)
            .accept("text/plain, */*;q=0.5")
            .body(BodyLimit::First(Robots::MAX_BYTES)),
        Purpose::Url { need: BodyNeed::Page { .. }, .. } => {
            FetchRequest::get(url).body(BodyLimit::Page)
        }
        Purpose::Url { need: BodyNeed::Sitemap, .. } => FetchRequest::get(url)
            .accept("application/xml, text/xml, text/plain, */*;q=0.5")
            .body(BodyLimit::First(match task.visit {
                Some(_) => VISIT_SITEMAP_BYTES,
                None => SitemapLimits::default().bytes,
            })),
        Purpose::Url { need: BodyNeed::Head, .. } => FetchRequest::head(url),
        Purpose::Url { need: BodyNeed::FirstBytes, .. } => {
            FetchRequest::get(url).accept("*/*").body(BodyLimit::Range(FIRST_BYTES))
        }
    }
}

/// The headers of a response that the engine needs.
fn head(task: &FetchTask, response: &FetchResponse, now: Millis) -> ResponseHead {
    let is_head = matches!(task.purpose, Purpose::Url { need: BodyNeed::Head, .. });
    // The size by the headers if the body was not read to its end.
    let is_partial = is_head || response.body_truncated || response.status == 206;
    ResponseHead {
        status: response.status,
        content_type: response.content_type().map(Cow::into_owned),
        location: response.location().map(Cow::into_owned),
        retry_after: response.retry_after(now),
        size_bytes: response.whole_size().filter(|_| is_partial).unwrap_or(response.wire_bytes),
        elapsed: response.elapsed,
        links: response.links(),
        robots: response.robots_tags(),
        language: response.language().map(Cow::into_owned),
        last_modified: response.last_modified(),
        signs: HeaderSigns::of(response.header_texts()),
    }
}

/// The metric label of a request of the protected tier.
fn tier_outcome_label(outcome: &Result<ParsedResponse, Cause>) -> &'static str {
    match outcome {
        Ok(reading) if reading.is_challenge() => "challenged",
        Ok(_) => "ok",
        Err(Cause::ProviderDown) => "provider_down",
        Err(_) => "failed",
    }
}

/// Whether the host appears overloaded. Errors of a single page (500, 404) do not count.
fn is_overload(response: &Result<FetchResponse, FetchError>) -> bool {
    match response {
        Ok(response) => matches!(response.status, 429 | 502..=504 | 520..=529),
        Err(error) => matches!(error, FetchError::TimedOut(_) | FetchError::Connect(_)),
    }
}
