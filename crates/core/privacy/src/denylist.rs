//! Hosts that must not be requested.

use urls::CanonicalUrl;

use crate::{BlockedDomains, LiveOptOuts};

/// The domains that the operator does not crawl, and the opt-outs.
#[derive(Debug, Clone, Default)]
pub struct Denylist {
    pub blocked_domains: BlockedDomains,
    pub opt_outs: LiveOptOuts,
}

impl Denylist {
    /// Whether `url` must not be requested at this moment.
    #[must_use]
    pub fn covers(&self, url: &CanonicalUrl) -> bool {
        self.blocked_domains.entry_for(url.host()).is_some()
            || self.opt_outs.now().cover_host(url.host())
    }
}
