//! Built-in sample sites: small static sites that are the same on every run and need no network.
//!
//! [`SampleFetch`] is a [`net::Fetch`] that responds to requests for the hosts of
//! [`urls::is_sample_host`] before any name is resolved, and forwards every other request.
//! Responses contain nothing from the request, so that no client can use them to reach another
//! host. API jobs on these hosts are free of charge, and `trawl demo` crawls them.
//!
//! To add a page, add it to the file of its site. To add a site, add its name to
//! [`urls::is_sample_host`], its file here, and its line in `SampleFetch::page`.

mod docs;
mod page;
mod shop;
mod slow;
mod wall;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use net::{
    BodyLimit, Encoding, Fetch, FetchError, FetchMethod, FetchRequest, FetchResponse, Phase,
};
use page::SamplePage;
use parking_lot::Mutex;
use urls::{CanonicalUrl, is_sample_host};

/// Maximum remembered pages of `slow.lab.test`; the oldest are dropped first.
const MAX_REMEMBERED: usize = 4_096;

/// Remote address of the responses: an address for documentation (RFC 5737).
const REMOTE: ([u8; 4], u16) = ([192, 0, 2, 1], 443);

/// URLs that were requested before, by run, oldest first.
#[derive(Debug, Default)]
struct RequestHistory(Mutex<VecDeque<String>>);

impl RequestHistory {
    /// Whether this is the run's first request for this URL. Other runs do not influence it, so
    /// that every run sees the same responses. A request without a run, such as one of an
    /// estimate, is never the first.
    fn is_first(&self, request: &FetchRequest) -> bool {
        let Some(run) = &request.run else { return false };
        let entry = format!("{run} {}", request.url);
        let mut entries = self.0.lock();
        if entries.contains(&entry) {
            return false;
        }
        if entries.len() >= MAX_REMEMBERED {
            entries.pop_front();
        }
        entries.push_back(entry);
        true
    }
}

/// Responds for the sample sites and forwards every other request to `inner`.
#[derive(Clone)]
pub struct SampleFetch {
    inner: Arc<dyn Fetch>,
    history: Arc<RequestHistory>,
    is_tier: bool,
}

impl std::fmt::Debug for SampleFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleFetch").field("is_tier", &self.is_tier).finish_non_exhaustive()
    }
}

impl SampleFetch {
    /// The sample sites as plain requests see them, and `inner` for all other hosts.
    #[must_use]
    pub fn new(inner: Arc<dyn Fetch>) -> Self {
        Self { inner, history: Arc::default(), is_tier: false }
    }

    /// The sample sites without a network: every other host fails as a name that does not resolve.
    #[must_use]
    pub fn offline() -> Self {
        Self::new(Arc::new(NoNetwork))
    }

    /// The same sites as the protected tier `inner` sees them: without challenges.
    #[must_use]
    pub fn tier(&self, inner: Arc<dyn Fetch>) -> Self {
        Self { inner, history: Arc::clone(&self.history), is_tier: true }
    }

    /// The same sites for another fetch backend of the same tier, such as a browser.
    #[must_use]
    pub fn for_backend(&self, inner: Arc<dyn Fetch>) -> Self {
        Self { inner, history: Arc::clone(&self.history), is_tier: self.is_tier }
    }

    async fn answer(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        let page = self.page(request);
        let whole = request.limits.whole.unwrap_or(Duration::MAX);
        tokio::time::sleep(page.delay.min(whole)).await;
        if page.hangs || page.delay > whole {
            return Err(FetchError::TimedOut(Phase::FirstByte));
        }
        Ok(to_answer(page, request))
    }

    fn page(&self, request: &FetchRequest) -> SamplePage {
        let url = &request.url;
        if let Some(target) = canonical_redirect(url) {
            return SamplePage::redirect(target);
        }
        match url.host() {
            "shop.lab.test" => shop::page(url.path()),
            "docs.lab.test" => docs::page(url.path()),
            "wall.lab.test" => wall::page(url.path(), self.is_tier),
            "slow.lab.test" => slow::page(url.path(), || self.history.is_first(request)),
            _ => SamplePage::not_found(),
        }
    }
}

/// Redirect target for requests by http or to `www.`: https without `www.`.
fn canonical_redirect(url: &CanonicalUrl) -> Option<String> {
    let is_canonical = url.scheme() == "https" && url.host() == url.bare_host();
    (!is_canonical).then(|| format!("https://{}{}", url.bare_host(), url.path_and_query()))
}

fn to_answer(page: SamplePage, request: &FetchRequest) -> FetchResponse {
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

/// A network in which no name resolves.
struct NoNetwork;

#[async_trait]
impl Fetch for NoNetwork {
    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
        Err(FetchError::NameNotFound)
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

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    #[tokio::test(start_paused = true)]
    async fn sample_hosts_are_served_and_other_hosts_are_forwarded() {
        let fetch = SampleFetch::offline();
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
    async fn http_and_www_redirect_to_the_canonical_host() {
        let fetch = SampleFetch::offline();
        for spelling in ["http://shop.lab.test/mugs?a=1", "https://www.shop.lab.test/mugs?a=1"] {
            let answer = fetch.fetch(FetchRequest::get(url(spelling))).await.expect("an answer");
            assert_eq!(answer.status, 301);
            assert_eq!(answer.location().as_deref(), Some("https://shop.lab.test/mugs?a=1"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn protected_tier_passes_the_challenge_and_slow_pages_delay_or_time_out() {
        let plain = SampleFetch::offline();
        let tier = plain.tier(Arc::new(NoNetwork));
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
    async fn head_and_range_requests_report_the_full_size() {
        let fetch = SampleFetch::offline();
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
