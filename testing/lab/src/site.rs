//! What a site of the lab is: replies by path, and the truth about them.

use std::collections::BTreeMap;
use std::fmt;

use contract::FetchFault;

use crate::{Reply, Request};

/// A deterministic site: the same path always gets the same reply, except where a site
/// looks at who asks.
pub trait Site: fmt::Debug + Send + Sync + 'static {
    /// The reply to a GET of `path_and_query`.
    fn answer(&self, path_and_query: &str) -> Reply;

    /// The reply to a request, for a site that looks at who asks.
    fn respond(&self, request: &Request<'_>) -> Reply {
        self.answer(request.path())
    }

    /// What a run that starts at `/` must find.
    fn truth(&self) -> SiteTruth;
}

/// What a `links` run with default switches must make of a site. Keys are path
/// and query; what lies on other hosts stands with its whole URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteTruth {
    /// Delivered, with the status each answers.
    pub delivered: BTreeMap<String, u16>,
    /// Linked from a page, but no result of such a run.
    pub skipped: BTreeMap<String, ExpectedSkip>,
    /// No request may ever begin with one of these: nothing links there, it only
    /// looks so.
    pub never: Vec<String>,
}

/// Why a URL is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedSkip {
    /// robots.txt forbids it: it must not even be asked for.
    Robots,
    /// It answers, but not 2xx.
    Status(u16),
    /// It leads to another URL of the site.
    Redirect(String),
    /// It is that URL with a query.
    Variant(String),
    /// It lies on another site.
    External,
    Image,
    File,
    /// It gives no usable answer.
    Fault(FetchFault),
    /// A wall of this marker stands before it.
    Protected(&'static str),
}
