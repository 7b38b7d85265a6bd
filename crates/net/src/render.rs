//! Showing pages in a real Chromium, over its DevTools protocol.
//!
//! One browser serves all; each page gets a tab of its own in the context of whoever it
//! is for. A browser that ended, misbehaves or has grown old is replaced by a fresh one.
//! Everything that pages ask for goes through [`guard_proxy`], and is judged there.

mod browser;
mod command_line;
mod contexts;
mod document;
mod events;
mod failure;
mod guard_proxy;
mod message;
mod page_life;
mod pipe;
mod process_group;
mod profile;
mod settings;
mod snapshot;
mod tab;
mod visit;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

pub use settings::RenderSettings;

use crate::{Answer, BodyLimit, Fetch, FetchError, HttpFetch, Method, RenderFault, Request};
use browser::Browser;
use pipe::CallError;
use tab::{Place as TabPlace, Tab};
use visit::{Visit, Wanted};

/// How long a browser that did not start is left alone, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Fetches pages as a browser shows them. Clones share one browser, which ends with
/// the last of them; it starts with the first page.
#[derive(Debug, Clone)]
pub struct RenderFetch {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    chromium: PathBuf,
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    tabs: Arc<Semaphore>,
    place: Mutex<Place>,
    counts: Counts,
}

/// Where the browser is, or why there is none.
#[derive(Debug, Default)]
struct Place {
    browser: Option<Arc<Browser>>,
    failure: Option<StartFailure>,
}

#[derive(Debug)]
struct StartFailure {
    why: String,
    wait: Duration,
    until: Instant,
}

#[derive(Debug, Default)]
struct Counts {
    pages: AtomicU64,
    faults: AtomicU64,
    crashes: AtomicU64,
    hung: AtomicU64,
    starts: AtomicU64,
    failed_starts: AtomicU64,
    /// In a row, until one succeeds.
    failing: AtomicU64,
}

/// What has happened since the renderer was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RenderCounts {
    /// Pages that were answered.
    pub pages: u64,
    /// Pages that were lost to a fault of the browser, for whatever reason.
    pub faults: u64,
    /// Of these, pages that brought their process down.
    pub crashes: u64,
    /// Of these, pages that did not let go of their process.
    pub hung: u64,
    /// Browsers that were started.
    pub starts: u64,
    /// Browsers that did not start.
    pub failed_starts: u64,
}

impl RenderFetch {
    /// Chromium on this machine: `given`, or the first of its usual names on the `PATH`.
    #[must_use]
    pub fn find(given: Option<&Path>) -> Option<PathBuf> {
        command_line::find(given)
    }

    /// A renderer that starts `chromium` when it is first asked for a page. Names,
    /// addresses, the user agent and the limits of answers are those of `http`, which
    /// also takes what is not to be shown: heads and ranges.
    #[must_use]
    pub fn new(chromium: PathBuf, settings: RenderSettings, http: HttpFetch) -> Self {
        let tabs = Arc::new(Semaphore::new(settings.tabs.max(1)));
        let (place, counts) = (Mutex::default(), Counts::default());
        let settings = Arc::new(settings);
        Self { shared: Arc::new(Shared { chromium, settings, http, tabs, place, counts }) }
    }

    /// Whether the last browser that was to be started did start.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.shared.counts.failing.load(Ordering::Relaxed) == 0
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> RenderCounts {
        let counts = &self.shared.counts;
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        RenderCounts {
            pages: get(&counts.pages),
            faults: get(&counts.faults),
            crashes: get(&counts.crashes),
            hung: get(&counts.hung),
            starts: get(&counts.starts),
            failed_starts: get(&counts.failed_starts),
        }
    }

    /// The id of the browser's process, which is that of its group; none before the
    /// first page.
    pub async fn process_id(&self) -> Option<u32> {
        self.shared.place.lock().await.browser.as_ref().map(|browser| browser.process_id())
    }

    /// The memory of the browser's processes in bytes, without what they map of files.
    pub async fn memory(&self) -> u64 {
        self.shared.place.lock().await.browser.as_ref().map_or(0, |browser| browser.memory())
    }
}

impl Shared {
    /// The browser, which is started if there is none that is fit.
    async fn browser(&self) -> Result<Arc<Browser>, FetchError> {
        let mut place = self.place.lock().await;
        if let Some(browser) = place.browser.as_ref().filter(|browser| browser.is_fit()) {
            return Ok(Arc::clone(browser));
        }
        // It lives on until its last page is done.
        place.browser = None;
        if let Some(failure) = &place.failure
            && Instant::now() < failure.until
        {
            return Err(RenderFault::Unavailable(failure.why.clone()).into());
        }
        match Browser::start(&self.chromium, &self.settings, &self.http).await {
            Ok(browser) => {
                self.counts.starts.fetch_add(1, Ordering::Relaxed);
                self.counts.failing.store(0, Ordering::Relaxed);
                place.failure = None;
                place.browser = Some(Arc::clone(&browser));
                Ok(browser)
            }
            Err(why) => {
                tracing::warn!(why, "the browser does not start");
                self.counts.failed_starts.fetch_add(1, Ordering::Relaxed);
                self.counts.failing.fetch_add(1, Ordering::Relaxed);
                let before = place.failure.as_ref();
                let wait = before.map_or(BACK_OFF.0, |failure| BACK_OFF.1.min(failure.wait * 2));
                let until = Instant::now() + wait;
                place.failure = Some(StartFailure { why: why.clone(), wait, until });
                Err(RenderFault::Unavailable(why).into())
            }
        }
    }

    async fn tab(&self, request: &Request) -> Result<Tab, FetchError> {
        let permit = Arc::clone(&self.tabs).acquire_owned().await;
        let place = TabPlace::new(permit.map_err(|_| RenderFault::BrowserGone)?);
        let browser = self.browser().await?;
        browser.count_page();
        // A task of its own: if nobody waits any more when the tab is there, it is
        // dropped then, and so closed.
        let opening = Tab::open(Arc::clone(&browser), request.isolation.clone(), place);
        match tokio::spawn(opening).await {
            Ok(Ok(tab)) => Ok(tab),
            Ok(Err(CallError::Refused(why))) if browser.is_fit() => {
                Err(RenderFault::Refused(why).into())
            }
            Ok(Err(CallError::Late)) => {
                browser.end("it does not open a tab");
                Err(RenderFault::BrowserGone.into())
            }
            Ok(Err(CallError::Gone | CallError::Refused(_))) | Err(_) => {
                Err(RenderFault::BrowserGone.into())
            }
        }
    }

    async fn render(&self, request: &Request) -> Result<Answer, FetchError> {
        let settings = self.http.settings();
        let (bytes, cut) = match request.limits.body {
            BodyLimit::Standard | BodyLimit::Page => (settings.body_bytes, false),
            BodyLimit::AtMost(bytes) => (bytes, false),
            BodyLimit::First(bytes) | BodyLimit::Range(bytes) => (bytes, true),
        };
        // The pipe carries no more.
        let wanted = Wanted { bytes: bytes.min(settings.body_bytes), cut };
        // Judged before anything is started; the proxy judges again as it connects.
        let url = &request.url;
        let addresses = self.http.resolver().resolve(url.host(), url.port()).await?;
        let likely = *addresses.first().ok_or(FetchError::NameNotFound)?;
        let tab = self.tab(request).await?;
        Visit::new(tab, request, wanted, &settings.user_agent, &self.settings).run(likely).await
    }

    fn count(&self, outcome: &Result<Answer, FetchError>) {
        let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("trawl_rendered_pages_total", "outcome" => word(outcome)).increment(1);
        match outcome {
            Ok(_) => _ = add(&self.counts.pages),
            Err(FetchError::Renderer(fault)) => {
                add(&self.counts.faults);
                match fault {
                    RenderFault::Crashed => _ = add(&self.counts.crashes),
                    RenderFault::Hung => _ = add(&self.counts.hung),
                    RenderFault::Unavailable(_)
                    | RenderFault::BrowserGone
                    | RenderFault::Left(_)
                    | RenderFault::Refused(_) => {}
                }
            }
            Err(_) => {}
        }
    }
}

/// An outcome as a label.
fn word(outcome: &Result<Answer, FetchError>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(FetchError::Renderer(fault)) => match fault {
            RenderFault::Unavailable(_) => "no_browser",
            RenderFault::BrowserGone => "browser_gone",
            RenderFault::Crashed => "crashed",
            RenderFault::Hung => "hung",
            RenderFault::Left(_) | RenderFault::Refused(_) => "refused",
        },
        Err(_) => "failed",
    }
}

#[async_trait]
impl Fetch for RenderFetch {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        let is_page =
            request.method == Method::Get && !matches!(request.limits.body, BodyLimit::Range(_));
        if !is_page {
            return self.shared.http.fetch(request).await;
        }
        let mut outcome = self.shared.render(&request).await;
        self.shared.count(&outcome);
        if outcome == Err(FetchError::Renderer(RenderFault::BrowserGone)) {
            // Whoever ended the browser, all its pages went with it, and hardly one of them
            // is to blame. In a fresh one each has a second life, and no third.
            outcome = self.shared.render(&request).await;
            self.shared.count(&outcome);
        }
        outcome
    }
}
