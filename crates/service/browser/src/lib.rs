//! Showing pages in a real Chromium, over its DevTools protocol.
//!
//! Each account has a browser of its own ([`pool`]), each page a tab of its own. A browser that
//! ended, misbehaves, takes too much or has grown old is replaced by a fresh one.
//! All browsers share one budget of memory and one of CPU time.
//! Everything that pages ask for goes through [`guard_proxy`], and is judged there.

mod browser;
mod browser_user;
mod command_line;
mod contexts;
mod cpu_budget;
mod document;
mod events;
mod failure;
mod guard_proxy;
mod machine;
mod message;
mod page_life;
mod pipe;
mod pool;
mod process_group;
mod profile;
mod settings;
mod snapshot;
mod tab;
mod visit;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use tokio::sync::Semaphore;

pub use settings::RenderSettings;

use net::{
    BodyLimit, Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse, HttpFetch, RenderFault,
};
use pipe::CallError;
use pool::Pool;
use tab::{Place as TabPlace, Tab};
use visit::{Visit, Wanted};

/// What an operator who switched the sandbox off is told at each start.
const NO_SANDBOX: &str = "chromium_no_sandbox is on: Chromium runs without its sandbox, so that a \
    page that exploits it has all rights of the user it runs as; allow unprivileged user \
    namespaces instead";

/// Fetches pages as a browser shows them. Clones share their browsers, which end with
/// the last of them; an account's browser starts with its first page.
#[derive(Debug, Clone)]
pub struct RenderFetch {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: Arc<RenderSettings>,
    http: HttpFetch,
    tabs: Arc<Semaphore>,
    pool: Arc<Pool>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    pages: AtomicU64,
    faults: AtomicU64,
    crashes: AtomicU64,
    hung: AtomicU64,
    over_limit: AtomicU64,
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
    /// Of these, pages whose browser took more memory or CPU time than it may, twice.
    pub over_limit: u64,
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
        if settings.no_sandbox {
            tracing::warn!("{NO_SANDBOX}");
        }
        // What a process that was killed left behind.
        profile::remove_left_behind(&settings.profiles());
        let tabs = Arc::new(Semaphore::new(settings.tabs.max(1)));
        let settings = Arc::new(settings);
        let pool = Arc::new(Pool::new(chromium, Arc::clone(&settings), http.clone()));
        Self { shared: Arc::new(Shared { settings, http, tabs, pool, counts: Counts::default() }) }
    }

    /// Whether the last browser that was to be started did start.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.shared.pool.is_healthy()
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
            over_limit: get(&counts.over_limit),
            starts: get(&self.shared.pool.starts),
            failed_starts: get(&self.shared.pool.failed_starts),
        }
    }

    /// The ids of the browsers' processes, each of which leads its group; none before the
    /// first page.
    #[must_use]
    pub fn process_ids(&self) -> Vec<u32> {
        self.shared.pool.running().iter().map(|browser| browser.process_id()).collect()
    }

    /// The memory of all browsers' processes in bytes, without what they map of files.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.shared.pool.memory()
    }
}

impl Shared {
    async fn tab(&self, request: &FetchRequest) -> Result<Tab, FetchError> {
        let permit = Arc::clone(&self.tabs).acquire_owned().await;
        let place = TabPlace::new(permit.map_err(|_| RenderFault::BrowserGone)?);
        let lease = self.pool.lease(&request.isolation).await?;
        let browser = Arc::clone(lease.browser());
        browser.count_page();
        // A task of its own: if nobody waits any more when the tab is there, it is
        // dropped then, and so closed.
        let opening = Tab::open(lease, request.isolation.clone(), place);
        match tokio::spawn(opening).await {
            Ok(Ok(tab)) => Ok(tab),
            Ok(Err(CallError::Refused(why))) if browser.is_alive() => {
                Err(RenderFault::Refused(why).into())
            }
            Ok(Err(CallError::Late)) => {
                browser.end("it does not open a tab");
                Err(RenderFault::BrowserGone.into())
            }
            Ok(Err(CallError::Gone | CallError::Refused(_))) | Err(_) => {
                let is_over = browser.is_over_limit();
                let fault = if is_over { RenderFault::OverLimit } else { RenderFault::BrowserGone };
                Err(fault.into())
            }
        }
    }

    async fn render(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
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

    fn count(&self, outcome: &Result<FetchResponse, FetchError>) {
        let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("trawl_rendered_pages_total", "outcome" => word(outcome)).increment(1);
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

/// An outcome as a label.
fn word(outcome: &Result<FetchResponse, FetchError>) -> &'static str {
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
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let is_page = request.method == FetchMethod::Get
            && !matches!(request.limits.body, BodyLimit::Range(_));
        if !is_page {
            return self.shared.http.fetch(request).await;
        }
        let mut outcome = self.shared.render(&request).await;
        self.shared.count(&outcome);
        let is_lost = matches!(
            outcome,
            Err(FetchError::Renderer(RenderFault::BrowserGone | RenderFault::OverLimit))
        );
        if is_lost {
            // Whatever ended the browser, all its pages went with it, and hardly one of them
            // is to blame. In a fresh one each has a second life, and no third.
            outcome = self.shared.render(&request).await;
            self.shared.count(&outcome);
        }
        outcome
    }
}
