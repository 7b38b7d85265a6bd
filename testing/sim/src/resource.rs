//! The resources of the fake web: pages, redirects, files, lists, and their failures.

use journal::Cause;

use crate::sim_page::SimPage;
use crate::url_list::UrlList;

/// A resource at an address.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    /// The host and the path of a URL.
    pub key: String,
    pub kind: ResourceKind,
    pub failure: Option<TransientFault>,
}

/// The kind of a resource.
#[derive(Debug, Clone)]
pub(crate) enum ResourceKind {
    Page(SimPage),
    File {
        content_type: &'static str,
        /// Whether `HEAD` is supported.
        takes_head: bool,
    },
    Redirect {
        status: u16,
        to: String,
    },
    /// A page that redirects to itself with a query.
    Queried(SimPage),
    UrlList(UrlList),
    Broken(SimFailure),
}

/// What a request gets instead of the resource.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SimFailure {
    /// This status, maybe with `Retry-After` in seconds.
    Status {
        status: u16,
        retry_after: Option<u64>,
    },
    Cause(Cause),
    /// No response until the driver's timeout.
    NoResponse,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TransientFault {
    pub failure: SimFailure,
    pub recovery: Recovery,
}

/// When it ends. The engine retries twice, after one and four seconds, or after `Retry-After`; 429
/// is retried for a minute.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Recovery {
    /// After this many failed requests.
    After(u64),
    /// This many milliseconds after the first request.
    For(u64),
}
