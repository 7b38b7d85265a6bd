//! A site of the lab: replies by path, and its truth.

use std::collections::BTreeMap;
use std::fmt;

use contract::FetchFault;

use crate::{Reply, Request};

/// A deterministic site: the same path always gets the same reply, unless the site overrides
/// [`Site::respond`].
pub trait Site: fmt::Debug + Send + Sync + 'static {
    /// The reply to a GET of `path_and_query`.
    fn answer(&self, path_and_query: &str) -> Reply;

    /// The reply to a request, for sites that respond by client or header.
    fn respond(&self, request: &Request<'_>) -> Reply {
        self.answer(request.path())
    }

    /// The expected result of a run that starts at `/`.
    fn truth(&self) -> SiteTruth;
}

/// The expected result of a `links` run with default options. Keys are path and query, or the whole
/// URL for other hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteTruth {
    /// Delivered URLs with their status.
    pub delivered: BTreeMap<String, u16>,
    /// Linked URLs that are not delivered.
    pub skipped: BTreeMap<String, ExpectedSkip>,
    /// Starts of paths that must never be requested: nothing links to them, although it may look so.
    pub never: Vec<String>,
}

impl SiteTruth {
    /// These pages are delivered with status 200; nothing else is known.
    pub(crate) fn of_pages(paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let delivered = paths.into_iter().map(|path| (path.into(), 200)).collect();
        Self { delivered, ..Self::default() }
    }
}

/// Why a URL is not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedSkip {
    /// robots.txt disallows it: it must not be requested.
    Robots,
    /// Its status is not 2xx.
    Status(u16),
    /// It redirects to another URL of the site.
    Redirect(String),
    /// It is this URL with a query.
    Variant(String),
    /// It belongs to another site.
    External,
    Image,
    File,
    /// The request fails in this way.
    Fault(FetchFault),
    /// It is behind the bot protection with this marker.
    Protected(&'static str),
}
