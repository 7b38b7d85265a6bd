//! A request to a fetcher, with its limits.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use urls::CanonicalUrl;

use crate::{Endpoint, PageScript, SiteHeaders};

/// One request. It is sent once and has one response; redirects are responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    pub url: CanonicalUrl,
    pub method: FetchMethod,
    /// Value of the `Accept` header.
    pub accept: Cow<'static, str>,
    pub limits: RequestLimits,
    /// Requests with different values share no browser state such as cookies, and no memory quota.
    /// Usually the account.
    pub isolation: Option<Arc<str>>,
    /// Requests with different values share no browser state either. Such state ends with its
    /// requests, for example that of a login.
    pub session: Option<Arc<str>>,
    /// Key of the run, the same in each of its attempts.
    pub run: Option<Arc<str>>,
    /// The endpoint to send the request to, if a provider fetches the URL.
    pub at: Option<Arc<Endpoint>>,
    /// What a browser does with the page; other fetchers ignore it.
    pub script: Option<Arc<PageScript>>,
    /// Headers of the client, which are sent to their origin only. A provider that fetches the URL
    /// does not get them.
    pub site_headers: Option<Arc<SiteHeaders>>,
}

impl FetchRequest {
    /// The headers of the client for this request.
    #[must_use]
    pub fn client_headers(&self) -> Option<&http::HeaderMap> {
        let headers = self.site_headers.as_ref().filter(|_| self.at.is_none())?;
        headers.of(&self.url)
    }
}

/// The HTTP method of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FetchMethod {
    Get,
    Head,
}

/// Limits that replace those of the fetcher's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestLimits {
    pub body: BodyLimit,
    /// Timeout of the whole request.
    pub whole: Option<Duration>,
}

/// How much of a body to read, in decoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyLimit {
    /// The limit of the settings; a larger body is an error.
    #[default]
    Standard,
    /// Like `Standard` for pages, feeds and sitemaps. Of other content and redirects the first
    /// 4 KiB: enough to detect the type.
    Page,
    /// This many bytes; a larger body is an error.
    AtMost(usize),
    /// The first bytes; the rest is not read.
    First(usize),
    /// The first bytes, requested with a `Range` header.
    Range(usize),
}

const ACCEPT_PAGES: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

impl FetchRequest {
    #[must_use]
    pub fn get(url: CanonicalUrl) -> Self {
        let (accept, limits) = (Cow::Borrowed(ACCEPT_PAGES), RequestLimits::default());
        Self {
            url,
            method: FetchMethod::Get,
            accept,
            limits,
            isolation: None,
            session: None,
            run: None,
            at: None,
            script: None,
            site_headers: None,
        }
    }

    #[must_use]
    pub fn head(url: CanonicalUrl) -> Self {
        Self { method: FetchMethod::Head, accept: Cow::Borrowed("*/*"), ..Self::get(url) }
    }

    #[must_use]
    pub fn accept(self, accept: impl Into<Cow<'static, str>>) -> Self {
        Self { accept: accept.into(), ..self }
    }

    /// Sets [`Self::isolation`].
    #[must_use]
    pub fn isolated(self, key: impl Into<Arc<str>>) -> Self {
        Self { isolation: Some(key.into()), ..self }
    }

    #[must_use]
    pub fn of_run(self, run: impl Into<Arc<str>>) -> Self {
        Self { run: Some(run.into()), ..self }
    }

    #[must_use]
    pub fn body(mut self, body: BodyLimit) -> Self {
        self.limits.body = body;
        self
    }

    /// Sets the timeout of the whole request.
    #[must_use]
    pub fn within(mut self, whole: Duration) -> Self {
        self.limits.whole = Some(whole);
        self
    }
}
