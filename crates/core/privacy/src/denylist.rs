//! Hosts that nothing is asked of.

use urls::CanonicalUrl;

use crate::{BlockedDomains, LiveOptOuts};

/// What the operator does not crawl, and who objects to being crawled.
#[derive(Debug, Clone, Default)]
pub struct Denylist {
    pub blocked_domains: BlockedDomains,
    pub objections: LiveOptOuts,
}

impl Denylist {
    /// Whether `url` may not be asked for, as things stand now.
    #[must_use]
    pub fn covers(&self, url: &CanonicalUrl) -> bool {
        self.blocked_domains.entry_for(url.host()).is_some()
            || self.objections.now().cover_host(url.host())
    }
}
