//! The built-in sample sites: small, static, the same on every run, and served without a network.
//!
//! [`SampleFetch`] answers requests to the names of [`urls::is_sample_host`] before any name is
//! resolved, and passes every other request on. Nothing that a site or a client says ends up in
//! an answer, so that nothing can be reached through them. To add a page, add it to the file of
//! its site; to add a site, add its name to `urls::is_sample_host` and its file here.

mod docs;
mod page;
mod shop;
mod slow;
mod wall;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use net::{
    BodyLimit, Encoding, Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse, Phase,
};
use page::Page;
use urls::{CanonicalUrl, is_sample_host};

/// Pages of `slow.lab.test` that are remembered as refused; the oldest are forgotten first.
const REMEMBERED: usize = 4_096;

/// Who the answers are said to come from: an address for documentation (RFC 5737).
const REMOTE: ([u8; 4], u16) = ([192, 0, 2, 1], 443);

/// The pages that were asked for before, by run and URL, oldest first.
#[derive(Debug, Default)]
struct Visits(Mutex<VecDeque<String>>);

impl Visits {
    /// Whether this is the first request of a run for this page. So each run sees the same,
    /// whatever other runs do at the same time and however they ended. A request of no run, as for
    /// an estimate, is never the first.
    fn is_first(&self, request: &FetchRequest) -> bool {
        let Some(run) = &request.run else { return false };
        let visit = format!("{run} {}", request.url);
        let mut visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if visits.contains(&visit) {
            return false;
        }
        if visits.len() >= REMEMBERED {
            visits.pop_front();
        }
        visits.push_back(visit);
        true
    }
}

/// Answers for the sample sites, and passes everything else on.
#[derive(Clone)]
pub struct SampleFetch {
    inner: Arc<dyn Fetch>,
    visits: Arc<Visits>,
    is_tier: bool,
}

impl std::fmt::Debug for SampleFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleFetch").field("is_tier", &self.is_tier).finish_non_exhaustive()
    }
}

impl SampleFetch {
    /// Sample sites as plain requests see them, and `inner` for all others.
    #[must_use]
    pub fn new(inner: Arc<dyn Fetch>) -> Self {
        Self { inner, visits: Arc::default(), is_tier: false }
    }

    /// The same sites as the protected tier `inner` sees them: without the wall.
    #[must_use]
    pub fn tier(&self, inner: Arc<dyn Fetch>) -> Self {
        Self { inner, visits: Arc::clone(&self.visits), is_tier: true }
    }

    /// The same sites as another way of plain requests sees them, as a browser.
    #[must_use]
    pub fn also(&self, inner: Arc<dyn Fetch>) -> Self {
        Self { inner, visits: Arc::clone(&self.visits), is_tier: self.is_tier }
    }

    async fn answer(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        let page = self.page(request);
        let whole = request.limits.whole.unwrap_or(Duration::MAX);
        tokio::time::sleep(page.delay.min(whole)).await;
        if page.hangs || page.delay > whole {
            return Err(FetchError::TimedOut(Phase::FirstByte));
        }
        Ok(answered(page, request))
    }

    fn page(&self, request: &FetchRequest) -> Page {
        let url = &request.url;
        if let Some(own) = own_spelling(url) {
            return Page::redirect(own);
        }
        match url.host() {
            "shop.lab.test" => shop::page(url.path()),
            "docs.lab.test" => docs::page(url.path()),
            "wall.lab.test" => wall::page(url.path(), self.is_tier),
            "slow.lab.test" => slow::page(url.path(), || self.visits.is_first(request)),
            _ => Page::not_found(),
        }
    }
}

/// Where a request in another spelling of the site is sent: to https, without `www.`.
fn own_spelling(url: &CanonicalUrl) -> Option<String> {
    let is_own = url.scheme() == "https" && url.host() == url.bare_host();
    (!is_own).then(|| format!("https://{}{}", url.bare_host(), url.path_and_query()))
}

fn answered(page: Page, request: &FetchRequest) -> FetchResponse {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(page.content_type));
    for (name, value) in &page.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    let whole = Bytes::from(page.body);
    let wanted = match (request.method, request.limits.body) {
        (FetchMethod::Head, _) => 0,
        (FetchMethod::Get, BodyLimit::First(bytes) | BodyLimit::Range(bytes)) => bytes,
        (FetchMethod::Get, BodyLimit::Standard | BodyLimit::Page | BodyLimit::AtMost(_)) => {
            usize::MAX
        }
    };
    let body = whole.slice(..whole.len().min(wanted));
    let is_partial = body.len() < whole.len();
    if is_partial {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(whole.len()));
    }
    FetchResponse {
        status: page.status,
        version: Version::HTTP_11,
        headers,
        wire_bytes: body.len() as u64,
        body_truncated: is_partial && request.method == FetchMethod::Get,
        body,
        encoding: Encoding::Identity,
        remote: REMOTE.into(),
        first_byte: page.delay,
        elapsed: page.delay,
    }
}

#[async_trait]
impl Fetch for SampleFetch {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        if !is_sample_host(request.url.bare_host()) {
            return self.inner.fetch(request).await;
        }
        match request.url.explicit_port() {
            None => self.answer(&request).await,
            Some(port) => Err(FetchError::PortRefused(port)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way out that must not be taken.
    struct Nowhere;

    #[async_trait]
    impl Fetch for Nowhere {
        async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
            Err(FetchError::NameNotFound)
        }
    }

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    #[tokio::test(start_paused = true)]
    async fn sample_names_are_answered_and_all_others_passed_on() {
        let fetch = SampleFetch::new(Arc::new(Nowhere));
        for host in ["shop", "docs", "slow"] {
            let request = FetchRequest::get(url(&format!("https://{host}.lab.test/")));
            assert_eq!(fetch.fetch(request).await.expect("an answer").status, 200, "{host}");
        }
        for other in ["https://lab.test/", "https://evil.lab.test/", "https://shop.lab.test.org/"] {
            let answer = fetch.fetch(FetchRequest::get(url(other))).await;
            assert_eq!(answer, Err(FetchError::NameNotFound), "{other}");
        }
        let port = fetch.fetch(FetchRequest::get(url("https://shop.lab.test:8443/"))).await;
        assert_eq!(port, Err(FetchError::PortRefused(8443)));
    }

    #[tokio::test(start_paused = true)]
    async fn other_spellings_lead_to_the_one() {
        let fetch = SampleFetch::new(Arc::new(Nowhere));
        for spelling in ["http://shop.lab.test/mugs?a=1", "https://www.shop.lab.test/mugs?a=1"] {
            let answer = fetch.fetch(FetchRequest::get(url(spelling))).await.expect("an answer");
            assert_eq!(answer.status, 301);
            assert_eq!(answer.location().as_deref(), Some("https://shop.lab.test/mugs?a=1"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn wall_lets_the_tier_pass_and_slow_pages_take_their_time() {
        let plain = SampleFetch::new(Arc::new(Nowhere));
        let tier = plain.tier(Arc::new(Nowhere));
        let wall = || FetchRequest::get(url("https://wall.lab.test/prices"));
        assert_eq!(plain.fetch(wall()).await.expect("an answer").status, 403);
        assert_eq!(tier.fetch(wall()).await.expect("an answer").status, 200);
        let slow = FetchRequest::get(url("https://slow.lab.test/slow/1"));
        let answer = plain.fetch(slow.clone()).await.expect("an answer");
        assert_eq!((answer.status, answer.elapsed), (200, Duration::from_millis(1_500)));
        let hasty = plain.fetch(slow.within(Duration::from_secs(1))).await;
        assert!(matches!(hasty, Err(FetchError::TimedOut(_))));
        let hangs = plain.fetch(FetchRequest::get(url("https://slow.lab.test/hangs"))).await;
        assert!(matches!(hangs, Err(FetchError::TimedOut(_))));
        let page = || FetchRequest::get(url("https://slow.lab.test/limited/1"));
        let first = plain.fetch(page().of_run("a")).await.expect("an answer");
        assert_eq!((first.status, first.headers["retry-after"].as_bytes()), (429, &b"1"[..]));
        // Run `a` was aborted here; `b` and `c` see the same, side by side.
        for (run, status) in [("b", 429), ("c", 429), ("b", 200), ("c", 200), ("b", 200)] {
            let answer = plain.fetch(page().of_run(run)).await.expect("an answer");
            assert_eq!(answer.status, status, "{run}");
        }
        assert_eq!(plain.fetch(page()).await.expect("an answer").status, 200, "an estimate");
    }

    #[tokio::test(start_paused = true)]
    async fn head_and_first_bytes_say_the_whole_size() {
        let fetch = SampleFetch::new(Arc::new(Nowhere));
        let page = || url("https://docs.lab.test/keys");
        let whole =
            fetch.fetch(FetchRequest::get(page())).await.expect("an answer").body.len() as u64;
        let head = fetch.fetch(FetchRequest::head(page())).await.expect("an answer");
        assert_eq!((head.body.len(), head.content_length()), (0, Some(whole)));
        let first = FetchRequest::get(page()).body(BodyLimit::Range(100));
        let first = fetch.fetch(first).await.expect("an answer");
        assert_eq!((first.body.len(), first.body_truncated), (100, true));
        assert_eq!(first.whole_size(), Some(whole));
    }
}
