//! What the engine knows of a visited domain. The mode builds the record of it.

use contract::Millis;

/// What only the run knows about a domain.
#[derive(Debug)]
pub struct RecordContext {
    pub domain: String,
    /// The text that the client wrote for it.
    pub input: Option<String>,
    /// The domain that it redirected to.
    pub redirected_to: Option<String>,
    pub pages_checked: u32,
    pub now: Millis,
}

/// How the visit of a domain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitOutcome {
    /// The home page was read, and the pages that it leads to as far as the visit allowed.
    Read {
        /// Whether bot protection, robots.txt or the denylist blocked pages.
        blocked: bool,
    },
    /// Bot protection, robots.txt, the denylist or the host itself denies access.
    Blocked,
    /// The host answered, but not with a page.
    NoPage,
    Unreachable,
}
