//! What the caller of a page asks of its requests, besides what the engine decides.

use std::sync::Arc;
use std::time::Duration;

use contract::{Millis, SiteAccess};
use crawl::{BodyNeed, FetchTask, FetchVia, Purpose};
use net::{FetchRequest, PageScript, SiteHeaders};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::page_cache::{PageCache, PageCacheKey};

/// The part of the remaining time that reading the page and its answer take at least and at most.
const RESERVE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(4));

/// Shortest time of a request with a deadline.
const SHORTEST: Duration = Duration::from_millis(100);

/// What is asked of the requests for pages of a run. Requests for robots.txt and sitemaps are sent
/// without it.
#[derive(Debug, Default)]
pub struct PageFetch {
    /// Whether a browser renders the pages in any case.
    pub always_renders: bool,
    pub script: Option<Arc<PageScript>>,
    /// Whether there are many pages: each has an outcome of the script, and is skipped if a step
    /// fails.
    pub is_run: bool,
    pub site_headers: Option<Arc<SiteHeaders>>,
    /// See `net::FetchRequest::session`.
    pub session: Option<Arc<str>>,
    /// When a page with a script has to be there, so that its outcome can be answered.
    pub deadline: Option<Instant>,
    pub cache: Option<PageCacheUse>,
}

/// How a run uses the page cache.
#[derive(Debug)]
pub struct PageCacheUse {
    pub cache: PageCache,
    /// A page may be this old.
    pub max_age: Duration,
    /// The account, which alone uses pages that were fetched for it.
    pub account: String,
    /// When the last page was fetched, if it was taken from the cache.
    pub served: Mutex<Option<Millis>>,
}

impl PageFetch {
    /// How the pages of a run are requested, as its request says.
    #[must_use]
    pub fn of_run(access: &SiteAccess, run: &str) -> Self {
        let steps: Vec<_> = access.actions.iter().cloned().map(Into::into).collect();
        let wait_for = access.wait_for.clone().map(Into::into);
        // What an action leaves in the browser ends with the run.
        let session = (!steps.is_empty()).then(|| run.into());
        let script = (!steps.is_empty() || wait_for.is_some())
            .then(|| Arc::new(PageScript::of_run(steps, wait_for)));
        Self {
            always_renders: access.always_renders(),
            script,
            is_run: true,
            session,
            ..Self::default()
        }
    }

    /// Whether a response of the task is read as a page.
    pub(crate) fn is_page(task: &FetchTask) -> bool {
        matches!(task.purpose, Purpose::Url { need: BodyNeed::Page { .. }, .. })
    }

    /// Prepares the task and the request of a page.
    pub(crate) fn prepare(&self, task: &mut FetchTask, request: &mut FetchRequest) {
        if self.always_renders && task.fetch_via == FetchVia::Plain {
            task.fetch_via = FetchVia::Browser;
        }
        request.script.clone_from(&self.script);
        if self.is_run {
            request.script = self.script.as_ref().map(|script| Arc::new(script.for_page()));
        }
        request.site_headers.clone_from(&self.site_headers);
        request.session.clone_from(&self.session);
    }

    /// Limits a scripted request to the time that is left when it starts.
    pub(crate) fn limit(&self, request: &mut FetchRequest) {
        let Some(deadline) = self.deadline.filter(|_| request.script.is_some()) else { return };
        let left = deadline.saturating_duration_since(Instant::now());
        let reserve = (left / 5).clamp(RESERVE.0, RESERVE.1);
        request.limits.whole = Some(left.saturating_sub(reserve).max(SHORTEST));
    }

    /// The place of a response in the cache; `None` if it is neither taken from it nor kept.
    pub(crate) fn cache_key(&self, request: &FetchRequest, via: FetchVia) -> Option<PageCacheKey> {
        let cache = self.cache.as_ref().filter(|_| request.script.is_none())?;
        // A browser has the cookies of the account.
        let is_private = request.client_headers().is_some() || via != FetchVia::Plain;
        let account = is_private.then(|| cache.account.clone());
        let headers = request.client_headers();
        let headers = headers.into_iter().flatten();
        let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        Some(PageCacheKey::new(&request.url, via, account, headers))
    }
}
