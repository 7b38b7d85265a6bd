//! What is asked for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use urls::CanonicalUrl;

use crate::Endpoint;

/// One request. It is sent once and leads to one answer: redirects are answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: CanonicalUrl,
    pub method: Method,
    /// The `Accept` header.
    pub accept: Cow<'static, str>,
    pub limits: Limits,
    /// Whom this is asked for. Cookies and whatever else a browser keeps never pass
    /// from one to another; without a browser nothing is kept at all.
    pub isolation: Option<Arc<str>>,
    /// The run that this is asked for, the same in each of its attempts.
    pub run: Option<Arc<str>>,
    /// Where it is asked for, when somebody else asks the site for us.
    pub at: Option<Arc<Endpoint>>,
}

/// How it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// For the whole answer.
    Get,
    /// For its head alone.
    Head,
}

/// Where a request differs from the settings of the fetcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// How much of the body is wanted.
    pub body: BodyLimit,
    /// How long all of it may take.
    pub whole: Option<Duration>,
}

/// How much of a body is wanted, counted after decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyLimit {
    /// As much as the settings allow; more is an error.
    #[default]
    Standard,
    /// The same of what may be a page, a feed or a sitemap. Of a film, an archive or a
    /// redirect the first 4 KiB: enough to tell what it is.
    Page,
    /// As much as this; more is an error.
    AtMost(usize),
    /// The first bytes; what follows is not read.
    First(usize),
    /// The first bytes, and the server is asked for no more than these.
    Range(usize),
}

/// What is asked for when looking for pages.
const PAGES: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

impl Request {
    /// A GET for a page.
    #[must_use]
    pub fn get(url: CanonicalUrl) -> Self {
        let (accept, limits) = (Cow::Borrowed(PAGES), Limits::default());
        Self { url, method: Method::Get, accept, limits, isolation: None, run: None, at: None }
    }

    /// A HEAD.
    #[must_use]
    pub fn head(url: CanonicalUrl) -> Self {
        Self { method: Method::Head, accept: Cow::Borrowed("*/*"), ..Self::get(url) }
    }

    /// The same with another `Accept` header.
    #[must_use]
    pub fn accept(self, accept: impl Into<Cow<'static, str>>) -> Self {
        Self { accept: accept.into(), ..self }
    }

    /// The same, asked for `whom`.
    #[must_use]
    pub fn isolated(self, whom: impl Into<Arc<str>>) -> Self {
        Self { isolation: Some(whom.into()), ..self }
    }

    /// The same, asked for by a run.
    #[must_use]
    pub fn of_run(self, run: impl Into<Arc<str>>) -> Self {
        Self { run: Some(run.into()), ..self }
    }

    /// The same with another limit of the body.
    #[must_use]
    pub fn body(mut self, body: BodyLimit) -> Self {
        self.limits.body = body;
        self
    }

    /// The same with another limit of the whole time.
    #[must_use]
    pub fn within(mut self, whole: Duration) -> Self {
        self.limits.whole = Some(whole);
        self
    }
}
