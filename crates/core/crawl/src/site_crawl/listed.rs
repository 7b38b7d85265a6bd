//! Runs over a list of URLs: a shard of the list is a crawl whose seeds are all its URLs.

use contract::LinkType;
use journal::{DiscoveredUrl, Step, UrlRole, Via};
use urls::CanonicalUrl;

use crate::Action;
use crate::list_outcome::ListOutcome;
use crate::site_crawl::SiteCrawl;

/// URLs that one step adds, so that a step stays small.
const SEEDS_AT_A_TIME: usize = 256;

impl SiteCrawl {
    /// Adds the URLs of the list that the log does not have: all of them, or those after a crash
    /// between two commits.
    pub(super) fn seed_list(&mut self, urls: &[CanonicalUrl]) {
        let unknown: Vec<_> = urls
            .iter()
            .filter(|url| self.state.frontier.find(url).is_none())
            .map(|url| DiscoveredUrl {
                role: self.listed_role(url),
                ..DiscoveredUrl::page(url.to_string(), Via::Start, None)
            })
            .collect();
        for found in unknown.chunks(SEEDS_AT_A_TIME) {
            self.apply(Step::Seeded(found.to_vec()));
        }
    }

    /// An inventory checks files and images without reading them, as in the crawl of a site.
    fn listed_role(&self, url: &CanonicalUrl) -> UrlRole {
        let is_file =
            matches!(self.policy.expected_kind(url.path()), LinkType::File | LinkType::Image);
        if is_file && !self.policy.deduplicates { UrlRole::File } else { UrlRole::Page }
    }

    /// The end of the run: protected pages that were set aside, or what became of all URLs.
    pub(super) fn list_action(&self) -> Action {
        match self.challenged_by {
            Some(marker) if self.state.frontier.pending_count() > 0 => Action::Escalate(marker),
            _ => Action::Finish(self.list_outcome().ending()),
        }
    }

    /// What became of the URLs of a list so far. The end of a job is that of all its shards.
    #[must_use]
    pub fn list_outcome(&self) -> ListOutcome {
        ListOutcome::of(&self.state, self.plan.capabilities.tier)
    }

    /// Whether the run is one over a list.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.plan.is_listed()
    }
}
