//! The places of the fake web: pages, redirects, files, lists, and what is broken about
//! them.

use journal::Cause;

use crate::list::List;
use crate::page::Page;

/// What stands at an address.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Host and path.
    pub key: String,
    pub kind: Kind,
    pub trouble: Option<Fault>,
}

/// What it is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Page(Page),
    File {
        content_type: &'static str,
        /// Whether its head alone may be asked for.
        takes_head: bool,
    },
    Redirect {
        status: u16,
        to: String,
    },
    /// A page that insists on a query.
    Queried(Page),
    List(List),
    Broken(Trouble),
}

/// What a request gets instead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// This status, and perhaps the wish to wait so many seconds.
    Says { status: u16, retry_after: Option<u64> },
    /// No answer, by this cause.
    Fails(Cause),
    /// No answer and no word of it: the driver's own patience ends.
    Lost,
}

/// A trouble that passes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub trouble: Trouble,
    pub passing: Passing,
}

/// When it passes. An attempt is repeated twice, after one and four seconds, or after
/// what the site asks for; 429 is waited out for a minute.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Passing {
    /// After it was met so often.
    After(u64),
    /// This many milliseconds after the first request.
    For(u64),
}
