//! What the request of a page or of a run asks of the requests for pages, besides what the engine
//! decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use contract::{PageFileFormat, SiteAccess};
use crawl::{BodyNeed, FetchTask, FetchVia, ParsedResponse, Purpose, ResponseContent};
use net::{FetchRequest, PageScript, SiteHeaders};
use tokio::time::Instant;

use crate::page_cache::{PageCache, PageCacheKey};

/// The part of the remaining time that reading the page and its answer take at least and at most.
const RESERVE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(4));

/// Shortest time of a request with a deadline.
const SHORTEST: Duration = Duration::from_millis(100);

/// Pages of a run whose failed actions get a picture: each has up to some megabytes.
const FAILURE_PICTURES: u32 = 10;

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
    /// The files that a run keeps of its pages.
    pub formats: Vec<PageFileFormat>,
    pub site_headers: Option<Arc<SiteHeaders>>,
    /// See `net::FetchRequest::session`.
    pub session: Option<Arc<str>>,
    /// When a page with a script has to be there, so that its outcome can be answered.
    pub deadline: Option<Instant>,
    pub cache: Option<PageCacheUse>,
    /// Number of pages of a run with a picture of a failed action.
    pub failure_pictures: AtomicU32,
}

/// How a run uses the page cache.
#[derive(Debug)]
pub struct PageCacheUse {
    pub cache: PageCache,
    /// A page may be this old.
    pub max_age: Duration,
    /// The account, which alone uses pages that were fetched for it.
    pub account: String,
}

impl PageFetch {
    /// How a page is requested, as its request says.
    #[must_use]
    pub fn of_page(access: &SiteAccess) -> Self {
        let script = access.is_scripted().then(|| {
            let steps = access.actions.iter().cloned().map(Into::into).collect();
            let wait_for = access.wait_for.clone().map(Into::into);
            let script = PageScript::new(steps, wait_for, access.screenshot());
            Arc::new(script.on(access.device))
        });
        Self { always_renders: access.always_renders(), script, ..Self::default() }
    }

    /// How the pages of a run are requested, as its request says.
    #[must_use]
    pub fn of_run(access: &SiteAccess, run: &str) -> Self {
        // What an action leaves in the browser ends with the run.
        let session = (!access.actions.is_empty()).then(|| run.into());
        let mut formats = access.formats.clone();
        // The text of the page, by which an erasure finds its picture.
        if formats == [PageFileFormat::Screenshot] {
            formats.push(PageFileFormat::RawHtml);
        }
        Self { is_run: true, formats, session, ..Self::of_page(access) }
    }

    /// The same with pages from the cache of an account, and for it.
    #[must_use]
    pub fn with_cache(self, cache: PageCacheUse) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Whether a response of the task is read as a page.
    pub(crate) fn is_page(task: &FetchTask) -> bool {
        matches!(task.purpose, Purpose::Url { need: BodyNeed::Page { .. }, .. })
    }

    /// Whether something is kept of the pages that the run delivers: files, or warnings.
    pub(crate) fn keeps_pages(&self) -> bool {
        self.is_run && (!self.formats.is_empty() || self.script.is_some())
    }

    /// Whether the run can deliver this response as a page.
    pub(crate) fn is_delivered(read: &ParsedResponse) -> bool {
        matches!(read.content, ResponseContent::Page(_)) && matches!(read.status(), 200..=299)
    }

    /// The files that are kept of a page in which an action failed: a picture, unless the run has
    /// enough of them, and the text by which an erasure finds it.
    pub(crate) fn formats_of_failure(&self, has_picture: bool) -> &'static [PageFileFormat] {
        let is_kept =
            has_picture && self.failure_pictures.fetch_add(1, Ordering::Relaxed) < FAILURE_PICTURES;
        if is_kept { &[PageFileFormat::Screenshot, PageFileFormat::RawHtml] } else { &[] }
    }

    /// Prepares the task and the request of a page.
    pub(crate) fn prepare(&self, task: &mut FetchTask, request: &mut FetchRequest) {
        if self.always_renders && task.fetch_via == FetchVia::Plain {
            task.fetch_via = FetchVia::Browser;
        }
        request.script.clone_from(&self.script);
        if self.is_run {
            let captures = self.failure_pictures.load(Ordering::Relaxed) < FAILURE_PICTURES;
            let script = self.script.as_ref();
            request.script = script.map(|script| Arc::new(script.for_page_of_run(captures)));
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

    /// The place of a response in the cache; `None` if it is neither taken from it nor kept. The
    /// request has its credentials.
    pub(crate) fn in_cache(
        &self,
        request: &FetchRequest,
        via: FetchVia,
    ) -> Option<(&PageCacheUse, PageCacheKey)> {
        let cache = self.cache.as_ref().filter(|_| request.script.is_none())?;
        // A browser has the cookies of the account.
        let is_private = request.client_headers().is_some() || via != FetchVia::Plain;
        let account = is_private.then(|| cache.account.clone());
        let headers = request.client_headers();
        let headers = headers.into_iter().flatten();
        let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        Some((cache, PageCacheKey::new(&request.url, via, account, headers)))
    }
}
