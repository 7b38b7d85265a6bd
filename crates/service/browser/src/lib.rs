//! Renders pages in headless Chromium over the DevTools protocol.
//!
//! [`RenderFetch`] implements `net::Fetch` like the plain fetcher. Each account has its own browser
//! process (`pool`), each page its own tab (`tab`) with one `PageLoad`. A browser that
//! crashed, does not respond, exceeds its limits or has rendered `browser_pages` pages is replaced.
//! All browsers share one memory budget and one CPU budget ([`RenderSettings`]). Every request of a
//! page goes through `guard_proxy`, which checks its address.
//!
//! To handle another DevTools event, add its type to `events` and its case to
//! `PageLoad::handle_event`.

mod browser;
mod browser_user;
mod command_line;
mod contexts;
mod cpu_budget;
mod document;
mod error_mapping;
mod events;
mod guard_proxy;
mod load_tracker;
mod machine;
mod message;
mod page_load;
mod pipe;
mod pool;
mod process_group;
mod profile;
mod settings;
mod snapshot;
mod tab;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use tokio::sync::Semaphore;

pub use settings::RenderSettings;

use net::{
    BodyLimit, Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse, FetchResult, HttpFetch,
    RenderFault,
};
use page_load::{PageLoad, RenderLimit};
use pipe::CallError;
use pool::BrowserPool;
use tab::{BrowserTab, TabPermit};

/// Logged at each start while the sandbox is off.
const NO_SANDBOX: &str = "chromium_no_sandbox is on: Chromium runs without its sandbox, so that a \
    page that exploits it has all rights of the user it runs as; allow unprivileged user \
    namespaces instead";

/// Fetches pages with a browser. Clones share their browsers, which end with the last clone; the
/// browser of an account starts with its first page.
#[derive(Debug, Clone)]
pub struct RenderFetch {
    inner: Arc<RendererInner>,
}

#[derive(Debug)]
struct RendererInner {
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    tabs: Arc<Semaphore>,
    pool: Arc<BrowserPool>,
    counts: RenderCounters,
}

#[derive(Debug, Default)]
struct RenderCounters {
    pages: AtomicU64,
    faults: AtomicU64,
    crashes: AtomicU64,
    hung: AtomicU64,
    over_limit: AtomicU64,
}

/// Counters since the start of the renderer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RenderCounts {
    /// Pages with a response.
    pub pages: u64,
    /// Pages that failed with a fault of the browser.
    pub faults: u64,
    /// Of these, pages whose process crashed.
    pub crashes: u64,
    /// Of these, pages that did not respond.
    pub hung: u64,
    /// Of these, pages whose browser exceeded its memory or CPU limit.
    pub over_limit: u64,
    /// Successful starts of a browser.
    pub starts: u64,
    /// Failed starts of a browser.
    pub failed_starts: u64,
}

impl RenderFetch {
    /// Finds Chromium: `given`, or the first of its usual names on the `PATH`.
    #[must_use]
    pub fn find(given: Option<&Path>) -> Option<PathBuf> {
        command_line::find(given)
    }

    /// Creates a renderer, which starts `chromium` with the first page. Name resolution, the address
    /// guard, the user agent and the limits of responses are those of `http`, which also performs
    /// HEAD and range requests.
    #[must_use]
    pub fn new(chromium: PathBuf, settings: RenderSettings, http: HttpFetch) -> Self {
        if settings.no_sandbox {
            tracing::warn!("{NO_SANDBOX}");
        }
        // Profiles of killed processes.
        profile::remove_stale_profiles(&settings.profiles());
        let tabs = Arc::new(Semaphore::new(settings.tabs.max(1)));
        let settings = Arc::new(settings);
        let pool = Arc::new(BrowserPool::new(chromium, Arc::clone(&settings), http.clone()));
        Self {
            inner: Arc::new(RendererInner {
                settings,
                http,
                tabs,
                pool,
                counts: RenderCounters::default(),
            }),
        }
    }

    /// Whether the last start of a browser succeeded.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.inner.pool.is_healthy()
    }

    #[must_use]
    pub fn counts(&self) -> RenderCounts {
        let counts = &self.inner.counts;
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        RenderCounts {
            pages: get(&counts.pages),
            faults: get(&counts.faults),
            crashes: get(&counts.crashes),
            hung: get(&counts.hung),
            over_limit: get(&counts.over_limit),
            starts: get(&self.inner.pool.starts),
            failed_starts: get(&self.inner.pool.failed_starts),
        }
    }

    /// The ids of the browser processes, which are process group leaders.
    #[must_use]
    pub fn process_ids(&self) -> Vec<u32> {
        self.inner.pool.running().iter().map(|browser| browser.process_id()).collect()
    }

    /// Memory of all browser processes in bytes, without mapped files.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.inner.pool.memory()
    }
}

impl RendererInner {
    async fn tab(&self, request: &FetchRequest) -> FetchResult<BrowserTab> {
        let permit = Arc::clone(&self.tabs).acquire_owned().await;
        let permit = TabPermit::new(permit.map_err(|_| RenderFault::BrowserGone)?);
        let lease = self.pool.lease(&request.isolation).await?;
        let browser = Arc::clone(lease.browser());
        browser.count_page();
        // A separate task: if the caller has stopped waiting when the tab is open, the tab is
        // dropped and thereby closed.
        let state = request.session.clone().or_else(|| request.isolation.clone());
        let opening = BrowserTab::open(lease, state, permit);
        match tokio::spawn(opening).await {
            Ok(Ok(tab)) => Ok(tab),
            Ok(Err(CallError::Refused(why))) if browser.is_alive() => {
                Err(RenderFault::Refused(why).into())
            }
            Ok(Err(CallError::TimedOut)) => {
                browser.kill("timeout while opening a tab");
                Err(RenderFault::BrowserGone.into())
            }
            Ok(Err(CallError::Closed | CallError::Refused(_))) | Err(_) => {
                let is_over = browser.is_over_limit();
                let fault = if is_over { RenderFault::OverLimit } else { RenderFault::BrowserGone };
                Err(fault.into())
            }
        }
    }

    async fn render(&self, request: &FetchRequest) -> FetchResult<FetchResponse> {
        let settings = self.http.settings();
        let (bytes, truncate) = match request.limits.body {
            BodyLimit::Standard | BodyLimit::Page => (settings.body_bytes, false),
            BodyLimit::AtMost(bytes) => (bytes, false),
            BodyLimit::First(bytes) | BodyLimit::Range(bytes) => (bytes, true),
        };
        // The pipe drops longer messages.
        let limit = RenderLimit { bytes: bytes.min(settings.body_bytes), truncate };
        // Checked before a browser starts; the guard proxy checks again when it connects.
        let url = &request.url;
        let addresses = self.http.resolver().resolve(url.host(), url.port()).await?;
        let expected_remote = *addresses.first().ok_or(FetchError::NameNotFound)?;
        let tab = self.tab(request).await?;
        PageLoad::new(tab, request, limit, &settings.user_agent, &self.settings)
            .run(expected_remote)
            .await
    }

    fn count(&self, outcome: &FetchResult<FetchResponse>) {
        let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("trawl_rendered_pages_total", "outcome" => outcome_label(outcome))
            .increment(1);
        match outcome {
            Ok(_) => _ = add(&self.counts.pages),
            Err(FetchError::Renderer(fault)) => {
                add(&self.counts.faults);
                match fault {
                    RenderFault::Crashed => _ = add(&self.counts.crashes),
                    RenderFault::Hung => _ = add(&self.counts.hung),
                    RenderFault::OverLimit => _ = add(&self.counts.over_limit),
                    RenderFault::Unavailable(_)
                    | RenderFault::BrowserGone
                    | RenderFault::NavigatedAway(_)
                    | RenderFault::Refused(_) => {}
                }
            }
            Err(_) => {}
        }
    }
}

/// The metric label of an outcome.
fn outcome_label(outcome: &FetchResult<FetchResponse>) -> &'static str {
    match outcome {
        Ok(_) => "ok",
        Err(FetchError::Renderer(fault)) => match fault {
            RenderFault::Unavailable(_) => "no_browser",
            RenderFault::BrowserGone => "browser_gone",
            RenderFault::Crashed => "crashed",
            RenderFault::Hung => "hung",
            RenderFault::OverLimit => "over_limit",
            RenderFault::NavigatedAway(_) | RenderFault::Refused(_) => "refused",
        },
        Err(_) => "failed",
    }
}

#[async_trait]
impl Fetch for RenderFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult<FetchResponse> {
        let is_page = request.method == FetchMethod::Get
            && !matches!(request.limits.body, BodyLimit::Range(_));
        if !is_page {
            return self.inner.http.fetch(request).await;
        }
        let mut outcome = self.inner.render(&request).await;
        self.inner.count(&outcome);
        let is_lost = matches!(
            outcome,
            Err(FetchError::Renderer(RenderFault::BrowserGone | RenderFault::OverLimit))
        );
        if is_lost {
            // All pages of the browser failed with it, and at most one of them caused it. Retry
            // once in a new browser.
            outcome = self.inner.render(&request).await;
            self.inner.count(&outcome);
        }
        outcome
    }
}
