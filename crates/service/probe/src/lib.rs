//! The first look at a site: can it be reached, is it behind bot protection, and how many
//! pages does it publish?
//!
//! Bounded in time and in requests, spends nothing and starts nothing. Requests go out
//! one after the other, through the same guard as every other. Answers are read off the async
//! runtime, within the limits of a [`ReadExecutor`] that runs use as well.

mod reading;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use contract::{Scope, Unreachable};
use net::{Answer, BodyLimit, Fetch, FetchError, Request};
use page::{ProtectionMarker, SitemapLimits, SitemapLocations};
use privacy::Denylist;
use reader::{ReadExecutor, ReadFailure};
use reading::{PageCount, Rules};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use urls::{CanonicalUrl, Robots, ScopeRule};

/// Redirects that are followed.
const HOPS: u8 = 5;

/// What the first look showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// The pages that the site's sitemaps list; none when it has no sitemap, or when it
    /// could not be read in time.
    pub estimated_pages: Option<u64>,
    /// The protection that answered in place of the start page.
    pub protection: Option<ProtectionMarker>,
    /// Why the start page could not be read; none when it was, or when protection answered.
    pub unreachable: Option<Unreachable>,
}

impl Probe {
    fn unreachable(reason: Unreachable) -> Self {
        Self { unreachable: Some(reason), ..Self::default() }
    }
}

/// Why there was nothing to look at.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProbeError {
    /// There is no such name.
    #[error("the name of the site does not exist")]
    NameNotFound,
    /// An address behind the name may not be reached.
    #[error("the name of the site leads to an address that may not be crawled")]
    AddressRefused,
    /// The domain is one that is not visited.
    #[error("the domain of the site is not crawled by this service")]
    NotCrawled,
}

/// Looks at the site of `url`, for at most `within`, and asks no host that is `denylist`,
/// wherever redirects and sitemaps may lead. `readers` runs the reading of answers; the wait for
/// it counts.
///
/// # Errors
/// [`ProbeError`] when there is no site that could be looked at. A site that does not
/// answer is one whose pages are not known.
pub async fn probe(
    fetch: &dyn Fetch,
    readers: &ReadExecutor,
    url: &CanonicalUrl,
    within: Duration,
    denylist: &Denylist,
) -> Result<Probe, ProbeError> {
    if denylist.covers(url) {
        return Err(ProbeError::NotCrawled);
    }
    let rule = Arc::new(ScopeRule::new(url.clone(), Scope::default()));
    let mut look = Look {
        fetch,
        readers,
        denylist,
        end: Instant::now() + within,
        files: HashSet::new(),
        pages: PageCount::new(rule),
    };
    let rules = match look
        .get(&url.join("/robots.txt").unwrap_or_else(|_| url.clone()), Robots::MAX_BYTES)
        .await
    {
        Some(Ok(answer)) if answer.status == 200 => {
            let (bytes, start) = (answer.body.len(), url.clone());
            match look.read(bytes, move || Rules::read(&answer.body, &start)).await {
                Some(Ok(rules)) => rules,
                // As for a run: rules that cannot be read allow nothing.
                Some(Err(_)) => Rules::of(&Robots::disallow_all(), url),
                None => return Ok(Probe::unreachable(Unreachable::Timeout)),
            }
        }
        Some(Err(FetchError::NameNotFound)) => return Err(ProbeError::NameNotFound),
        Some(Err(FetchError::AddressRefused(_) | FetchError::PortRefused(_))) => {
            return Err(ProbeError::AddressRefused);
        }
        // A site that does not even answer this is not asked for its sitemaps.
        Some(Err(error)) => return Ok(Probe::unreachable(unreachable(&error))),
        None => return Ok(Probe::unreachable(Unreachable::Timeout)),
        Some(Ok(_)) => Rules::of(&Robots::allow_all(), url),
    };
    let start = if rules.allow_start {
        look.start(url).await
    } else {
        Start::Unreachable(Unreachable::Robots)
    };
    let (protection, unreachable) = match start {
        Start::Read => (None, None),
        Start::Protected(marker) => (Some(marker), None),
        Start::Unreachable(reason) => (None, Some(reason)),
    };
    let estimated_pages = look.count(&rules.sitemaps).await;
    Ok(Probe { estimated_pages, protection, unreachable })
}

/// What the start page answered.
enum Start {
    Read,
    Protected(ProtectionMarker),
    Unreachable(Unreachable),
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

fn refused(status: u16) -> Option<Unreachable> {
    match status {
        401 | 403 | 407 | 451 => Some(Unreachable::Forbidden),
        404 | 410 => Some(Unreachable::NotFound),
        429 => Some(Unreachable::RateLimited),
        500.. => Some(Unreachable::ServerError),
        400.. => Some(Unreachable::Http),
        _ => None,
    }
}

struct Look<'a> {
    fetch: &'a dyn Fetch,
    readers: &'a ReadExecutor,
    denylist: &'a Denylist,
    end: Instant,
    /// Files that were asked for: a loop ends where it began.
    files: HashSet<CanonicalUrl>,
    pages: PageCount,
}

impl Look<'_> {
    /// Runs a reading of at most `bytes` off the async runtime. None when the time is over.
    async fn read<T: Send + 'static>(
        &self,
        bytes: usize,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Option<Result<T, ReadFailure>> {
        let read = timeout_at(self.end, self.readers.run(bytes, read)).await.ok()?;
        Some(read.inspect_err(|error| tracing::debug!(%error, "an answer was not read")))
    }

    /// What the start page answers, wherever its redirects lead.
    async fn start(&self, url: &CanonicalUrl) -> Start {
        let mut url = url.clone();
        for _ in 0..HOPS {
            let request = Request::get(url.clone()).body(BodyLimit::Page);
            let answer = match timeout_at(self.end, self.fetch.fetch(request)).await {
                Ok(Ok(answer)) => answer,
                // It is there, and large: that is for the run to judge.
                Ok(Err(FetchError::TooLarge(_))) => return Start::Read,
                Ok(Err(error)) => return Start::Unreachable(unreachable(&error)),
                Err(_) => return Start::Unreachable(Unreachable::Timeout),
            };
            // A page that is too complex to look for a wall in is for the run to judge.
            let (seen, at) = (answer.clone(), url.clone());
            let marker = self.read(answer.body.len(), move || reading::protection(&seen, &at));
            if let Some(Ok(Some(marker))) = marker.await {
                return Start::Protected(marker);
            }
            if let Some(reason) = refused(answer.status) {
                return Start::Unreachable(reason);
            }
            let leads_on = (300..400).contains(&answer.status) && answer.location().is_some();
            match self.redirect(&url, &answer) {
                Some(next) => url = next,
                None if leads_on => return Start::Unreachable(Unreachable::Redirect),
                None => return Start::Read,
            }
        }
        Start::Unreachable(Unreachable::Redirect)
    }

    /// Pages in the sitemaps that robots.txt names, or else in the first well-known one
    /// that there is. None when there is none, or the time is over.
    async fn count(&mut self, places: &SitemapLocations) -> Option<u64> {
        let mut found = false;
        for place in &places.named {
            found |= self.read_tree(place.clone()).await?;
        }
        for place in &places.well_known {
            if found {
                break;
            }
            found = self.read_tree(place.clone()).await?;
        }
        Some(self.pages.count()).filter(|pages| found && *pages > 0)
    }

    /// Reads a sitemap and what it leads to. Whether it was one; none when time is over.
    async fn read_tree(&mut self, root: CanonicalUrl) -> Option<bool> {
        let limits = SitemapLimits::default();
        let mut found = false;
        let mut waiting = vec![(root, 0)];
        while let Some((url, depth)) = waiting.pop() {
            let is_full = self.files.len() >= limits.files;
            if is_full || self.denylist.covers(&url) || !self.files.insert(url.clone()) {
                continue;
            }
            let Ok(answer) = self.get(&url, limits.bytes).await? else { continue };
            if answer.status != 200 {
                continue;
            }
            let pages = self.pages.clone();
            let bytes = reading::sitemap_bytes(&answer);
            // One that is too complex counts as one that cannot be read.
            let read = self.read(bytes, move || pages.add_sitemap(&answer, &url)).await?;
            let Ok(Some(children)) = read else { continue };
            found = true;
            if depth < limits.depth {
                waiting.extend(children.into_iter().map(|child| (child, depth + 1)));
            }
        }
        Some(found)
    }

    /// Follows a few redirects, each judged anew. None when the time is over.
    async fn get(&self, url: &CanonicalUrl, bytes: usize) -> Option<Result<Answer, FetchError>> {
        let mut url = url.clone();
        for _ in 0..HOPS {
            let request = Request::get(url.clone()).body(BodyLimit::First(bytes));
            let answer = match timeout_at(self.end, self.fetch.fetch(request)).await.ok()? {
                Ok(answer) => answer,
                Err(error) => {
                    tracing::debug!(%url, %error, "not reached");
                    return Some(Err(error));
                }
            };
            match self.redirect(&url, &answer) {
                Some(next) => url = next,
                None => return Some(Ok(answer)),
            }
        }
        Some(Err(FetchError::Protocol))
    }

    /// Where an answer leads on to, if it may be asked.
    fn redirect(&self, url: &CanonicalUrl, answer: &Answer) -> Option<CanonicalUrl> {
        let leads_on = (300..400).contains(&answer.status);
        let next = answer.location().filter(|_| leads_on)?;
        url.join(&next).ok().filter(|next| !self.denylist.covers(next))
    }
}
