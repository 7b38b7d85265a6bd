//! Hosts that nothing is asked of.

use crate::{BlockedDomains, CanonicalUrl, LiveObjections};

/// What the operator does not crawl, and who objects to being crawled.
#[derive(Debug, Clone, Default)]
pub struct Shunned {
    pub blocked_domains: BlockedDomains,
    pub objections: LiveObjections,
}

impl Shunned {
    /// Whether `url` may not be asked for, as things stand now.
    #[must_use]
    pub fn covers(&self, url: &CanonicalUrl) -> bool {
        self.blocked_domains.entry_for(url.host()).is_some()
            || self.objections.now().cover_host(url.host())
    }
}
