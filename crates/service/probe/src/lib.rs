//! Estimates for a site: reachability, bot protection, and number of pages in its sitemaps; and maps
//! of its URLs.
//!
//! [`probe`] and [`map_urls`] are bounded in time and requests, charge nothing and create no job. Requests are
//! sequential and pass the same address guard as those of runs. Responses are read off the async
//! runtime within the limits of a [`ReadExecutor`] that runs share.
//!
//! The readers of robots.txt, start page and sitemaps are in `reading`; a new estimate is another
//! reader there and a field of [`Probe`].

mod reading;
mod url_map;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use contract::{FailureCause, Scope, Unreachable};
use net::{BodyLimit, Fetch, FetchError, FetchRequest, FetchResponse};
use page::{ProtectionMarker, SitemapLimits, SitemapLocations};
use privacy::Denylist;
use reader::{ReadExecutor, ReadFailure};
use reading::{PageCount, ProbeRules};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use urls::{CanonicalUrl, Robots, RobotsStatus, ScopeRule};

pub use url_map::{FoundUrls, map_urls};

/// Maximum number of redirects of a page or a file.
const MAX_REDIRECTS: u8 = 5;

/// The result of probing a site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// Number of pages in the sitemaps; `None` if there is no sitemap or it was not read in time.
    pub estimated_pages: Option<u64>,
    /// Number of those below the path of the URL.
    pub pages_under_path: Option<u64>,
    /// The bot protection that responded instead of the start page.
    pub protection: Option<ProtectionMarker>,
    /// Why the start page could not be read; `None` if it was, or if it is protected.
    pub unreachable: Option<Unreachable>,
    /// What failed, if there was no response.
    pub cause: Option<FailureCause>,
}

/// Why there is no usable response.
#[derive(Debug, Clone, Copy)]
struct NoResponse {
    reason: Unreachable,
    cause: Option<FailureCause>,
}

impl From<Unreachable> for NoResponse {
    fn from(reason: Unreachable) -> Self {
        let cause = (reason == Unreachable::Timeout).then_some(FailureCause::TimedOut);
        Self { reason, cause }
    }
}

impl From<&FetchError> for NoResponse {
    fn from(error: &FetchError) -> Self {
        Self { reason: unreachable(error), cause: failure_cause(error) }
    }
}

impl Probe {
    fn unreachable(NoResponse { reason, cause }: NoResponse) -> Self {
        Self { unreachable: Some(reason), cause, ..Self::default() }
    }
}

/// Why a site cannot be probed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// The host name does not resolve.
    #[error("the host name of the site does not resolve")]
    NameNotFound,
    /// The address guard refused an address of the host.
    #[error("the host of the site resolves to an address that may not be crawled")]
    AddressRefused,
    /// The domain is on the denylist.
    #[error("the domain of the site is not crawled by this service")]
    NotCrawled,
}

/// Probes the site of `url` for at most `within`. Pages outside of `scope` are not counted, except
/// those outside of the path of `url`, which are counted separately. Hosts on `denylist` are not
/// requested, wherever redirects and sitemaps lead. `readers` reads the responses; waiting for it
/// counts as time.
///
/// # Errors
/// [`ProbeError`] if there is no site to probe. A site that does not respond is no error: its
/// number of pages is unknown.
pub async fn probe(
    fetch: &dyn Fetch,
    readers: &ReadExecutor,
    url: &CanonicalUrl,
    scope: &Scope,
    within: Duration,
    denylist: &Denylist,
) -> Result<Probe, ProbeError> {
    if denylist.covers(url) {
        return Err(ProbeError::NotCrawled);
    }
    let scope = Scope { specific_route: false, ..scope.clone() };
    let rule = Arc::new(ScopeRule::new(url.clone(), scope));
    let mut session = ProbeSession::new(fetch, readers, denylist, rule, within);
    let rules = match session.robots(url).await? {
        Ok(robots) => ProbeRules::of(&robots, url),
        Err(failed) => return Ok(Probe::unreachable(failed)),
    };
    let start = if rules.allow_start {
        session.start(url).await
    } else {
        StartPage::Unreachable(Unreachable::Robots.into())
    };
    let seen = match start {
        StartPage::Read => Probe::default(),
        StartPage::Protected(marker) => Probe { protection: Some(marker), ..Probe::default() },
        StartPage::Unreachable(failed) => Probe::unreachable(failed),
    };
    let estimated_pages = session.count(&rules.sitemaps).await;
    let pages_under_path = estimated_pages.map(|_| session.pages.under_path());
    Ok(Probe { estimated_pages, pages_under_path, ..seen })
}

/// The outcome of requesting the start page.
enum StartPage {
    Read,
    Protected(ProtectionMarker),
    Unreachable(NoResponse),
}

fn unreachable(error: &FetchError) -> Unreachable {
    match error {
        FetchError::Tls(_) => Unreachable::Tls,
        FetchError::TimedOut(_) => Unreachable::Timeout,
        FetchError::AddressRefused(_) | FetchError::PortRefused(_) | FetchError::BadUrl => {
            Unreachable::Redirect
        }
        _ => Unreachable::Connect,
    }
}

fn failure_cause(error: &FetchError) -> Option<FailureCause> {
    Some(match error {
        FetchError::NameNotFound | FetchError::NameServer => FailureCause::DnsFailed,
        FetchError::AddressRefused(_) | FetchError::PortRefused(_) => FailureCause::AddressRefused,
        FetchError::Connect(std::io::ErrorKind::ConnectionRefused) => {
            FailureCause::ConnectionRefused
        }
        FetchError::Connect(_) | FetchError::CutOff => FailureCause::ConnectionFailed,
        FetchError::Tls(_) => FailureCause::TlsFailed,
        FetchError::TimedOut(_) => FailureCause::TimedOut,
        FetchError::TooLarge(_) => FailureCause::TooLarge,
        FetchError::BadEncoding => FailureCause::BadEncoding,
        FetchError::HeadersTooLarge | FetchError::Protocol => FailureCause::InvalidHttp,
        FetchError::Busy | FetchError::Provider(_) | FetchError::Egress(_) => {
            FailureCause::ServiceUnavailable
        }
        FetchError::BadUrl | FetchError::Renderer(_) => return None,
    })
}

fn status_error(status: u16) -> Option<Unreachable> {
    match status {
        401 | 403 | 407 | 451 => Some(Unreachable::Forbidden),
        404 | 410 => Some(Unreachable::NotFound),
        429 => Some(Unreachable::RateLimited),
        500.. => Some(Unreachable::ServerError),
        400.. => Some(Unreachable::Http),
        _ => None,
    }
}

struct ProbeSession<'a> {
    fetch: &'a dyn Fetch,
    readers: &'a ReadExecutor,
    denylist: &'a Denylist,
    deadline: Instant,
    /// Sitemaps that were requested, which ends cycles.
    files: HashSet<CanonicalUrl>,
    pages: PageCount,
}

impl<'a> ProbeSession<'a> {
    fn new(
        fetch: &'a dyn Fetch,
        readers: &'a ReadExecutor,
        denylist: &'a Denylist,
        rule: Arc<ScopeRule>,
        within: Duration,
    ) -> Self {
        let (deadline, pages) = (Instant::now() + within, PageCount::new(rule));
        Self { fetch, readers, denylist, deadline, files: HashSet::new(), pages }
    }
}

impl ProbeSession<'_> {
    /// The robots.txt of the site of `url`; `Err` if its rules are not available now, so that nothing
    /// else may be requested.
    async fn robots(&self, url: &CanonicalUrl) -> Result<Result<Robots, NoResponse>, ProbeError> {
        let location = url.join("/robots.txt").unwrap_or_else(|_| url.clone());
        Ok(match self.get(&location, Robots::MAX_BYTES).await {
            Some(Ok(response)) => match RobotsStatus::of(response.status) {
                RobotsStatus::Rules => {
                    let bytes = response.body.len();
                    match self.read(bytes, move || reading::robots(&response.body)).await {
                        Some(Ok(robots)) => Ok(robots),
                        // As in a run: an unreadable robots.txt disallows everything.
                        Some(Err(_)) => Ok(Robots::disallow_all()),
                        None => Err(Unreachable::Timeout.into()),
                    }
                }
                // As in a run: unknown rules disallow everything.
                RobotsStatus::RateLimited | RobotsStatus::ServerError => {
                    Err(status_error(response.status).unwrap_or(Unreachable::ServerError).into())
                }
                RobotsStatus::Redirect | RobotsStatus::NoRules => Ok(Robots::allow_all()),
            },
            Some(Err(FetchError::NameNotFound)) => return Err(ProbeError::NameNotFound),
            Some(Err(FetchError::AddressRefused(_) | FetchError::PortRefused(_))) => {
                return Err(ProbeError::AddressRefused);
            }
            Some(Err(error)) => Err(NoResponse::from(&error)),
            None => Err(Unreachable::Timeout.into()),
        })
    }

    /// Sends a request. `None` when time is up.
    async fn fetch(&self, request: FetchRequest) -> Option<Result<FetchResponse, FetchError>> {
        timeout_at(self.deadline, self.fetch.fetch(request)).await.ok()
    }

    /// Runs `read` on at most `bytes` bytes off the async runtime. `None` when time is up.
    async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Result<T, ReadFailure>> {
        let read = timeout_at(self.deadline, self.readers.run(bytes, read)).await.ok()?;
        Some(read.inspect_err(|error| tracing::debug!(%error, "failed to read response")))
    }

    /// Requests the start page and follows its redirects.
    async fn start(&self, url: &CanonicalUrl) -> StartPage {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let request = FetchRequest::get(url.clone()).body(BodyLimit::Page);
            let response = match timeout_at(self.deadline, self.fetch.fetch(request)).await {
                Ok(Ok(response)) => response,
                // A large page exists: the run decides about it.
                Ok(Err(FetchError::TooLarge(_))) => return StartPage::Read,
                Ok(Err(error)) => return StartPage::Unreachable(NoResponse::from(&error)),
                Err(_) => return StartPage::Unreachable(Unreachable::Timeout.into()),
            };
            // A page that is too complex to be checked is left to the run.
            let (copy, at) = (response.clone(), url.clone());
            let marker = self.read(response.body.len(), move || reading::protection(&copy, &at));
            if let Some(Ok(Some(marker))) = marker.await {
                return StartPage::Protected(marker);
            }
            if let Some(reason) = status_error(response.status) {
                return StartPage::Unreachable(reason.into());
            }
            let is_redirect =
                (300..400).contains(&response.status) && response.location().is_some();
            match self.redirect(&url, &response) {
                Some(next) => url = next,
                None if is_redirect => {
                    return StartPage::Unreachable(Unreachable::Redirect.into());
                }
                None => return StartPage::Read,
            }
        }
        StartPage::Unreachable(Unreachable::Redirect.into())
    }

    /// Number of pages in the sitemaps of robots.txt, or else in the first usual one that exists.
    /// `None` if there is none, or when time is up.
    async fn count(&mut self, locations: &SitemapLocations) -> Option<u64> {
        let mut found = false;
        for location in &locations.named {
            found |= self.read_tree(location.clone()).await?;
        }
        for location in &locations.well_known {
            if found {
                break;
            }
            found = self.read_tree(location.clone()).await?;
        }
        Some(self.pages.count()).filter(|pages| found && *pages > 0)
    }

    /// Reads a sitemap and its children. Returns whether it is one; `None` when time is up.
    async fn read_tree(&mut self, root: CanonicalUrl) -> Option<bool> {
        let limits = SitemapLimits::default();
        let mut found = false;
        let mut pending = vec![(root, 0)];
        while let Some((url, depth)) = pending.pop() {
            let is_full = self.files.len() >= limits.files;
            if is_full || self.denylist.covers(&url) || !self.files.insert(url.clone()) {
                continue;
            }
            let Ok(response) = self.get(&url, limits.bytes).await? else { continue };
            if response.status != 200 {
                continue;
            }
            let pages = self.pages.clone();
            let bytes = reading::sitemap_bytes(&response);
            // A sitemap that is too complex counts as unreadable.
            let read = self.read(bytes, move || pages.add_sitemap(&response, &url)).await?;
            let Ok(Some(children)) = read else { continue };
            found = true;
            if depth < limits.depth {
                pending.extend(children.into_iter().map(|child| (child, depth + 1)));
            }
        }
        Some(found)
    }

    /// Requests a URL and follows a few redirects, each checked anew. `None` when time is up.
    async fn get(
        &self,
        url: &CanonicalUrl,
        bytes: usize,
    ) -> Option<Result<FetchResponse, FetchError>> {
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let request = FetchRequest::get(url.clone()).body(BodyLimit::First(bytes));
            let response = match timeout_at(self.deadline, self.fetch.fetch(request)).await.ok()? {
                Ok(response) => response,
                Err(error) => {
                    tracing::debug!(%url, %error, "probe request failed");
                    return Some(Err(error));
                }
            };
            match self.redirect(&url, &response) {
                Some(next) => url = next,
                None => return Some(Ok(response)),
            }
        }
        Some(Err(FetchError::Protocol))
    }

    /// The target of a redirect, if it may be requested.
    fn redirect(&self, url: &CanonicalUrl, response: &FetchResponse) -> Option<CanonicalUrl> {
        let is_redirect = (300..400).contains(&response.status);
        let next = response.location().filter(|_| is_redirect)?;
        url.join(&next).ok().filter(|next| !self.denylist.covers(next))
    }
}
