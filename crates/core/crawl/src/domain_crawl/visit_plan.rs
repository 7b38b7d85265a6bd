//! The plan of a domain crawl: everything that it depends on and that does not change while it
//! runs.

use std::time::Duration;

use privacy::Denylist;
use urls::CanonicalUrl;

use crate::Capabilities;

/// What a visit starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VisitTarget {
    /// A domain, without `www.`.
    Domain(String),
    /// The only entry URL of the visit.
    Url(CanonicalUrl),
}

impl VisitTarget {
    /// The domain that the record is about.
    #[must_use]
    pub fn domain(&self) -> &str {
        match self {
            Self::Domain(domain) => domain,
            Self::Url(url) => url.bare_host(),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Domain(domain) => domain.clone(),
            Self::Url(url) => url.to_string(),
        }
    }

    /// The entry URLs, the most likely first.
    pub(crate) fn entry_urls(&self) -> Vec<CanonicalUrl> {
        match self {
            Self::Url(url) => vec![url.clone()],
            Self::Domain(domain) => {
                let entry_urls =
                    [("https", ""), ("https", "www."), ("http", ""), ("http", "www.")].into_iter();
                let texts = entry_urls.map(|(scheme, www)| format!("{scheme}://{www}{domain}/"));
                texts.filter_map(|text| CanonicalUrl::parse(&text).ok()).collect()
            }
        }
    }
}

impl VisitPlan {
    /// The text that the client wrote for a domain.
    pub(crate) fn input(&self, domain_index: u32) -> Option<String> {
        let domain_index = domain_index as usize;
        let visited = || self.targets.get(domain_index).map(VisitTarget::text);
        self.inputs.get(domain_index).cloned().or_else(visited)
    }
}

/// The plan of a domain crawl.
#[derive(Debug, Clone)]
pub struct VisitPlan {
    /// The domains. The log identifies each by its index in this list.
    pub targets: Vec<VisitTarget>,
    /// The texts that the client wrote for them, in the same order; a missing one is the target
    /// itself.
    pub inputs: Vec<String>,
    /// Whether this is a sample of the requested domains.
    pub sampled: bool,
    /// Maximum number of fast visits in flight. The same number of slow visits may run beside them.
    pub concurrency: usize,
    /// Maximum number of pages that are requested per domain.
    pub pages: u32,
    /// Maximum time of a visit, from its first request.
    pub budget: Duration,
    /// Domains that are not visited, and data that no record may contain.
    pub denylist: Denylist,
    /// Whether domains that were set aside are fetched by the protected tier.
    pub protected: bool,
    /// Whether protected domains are set aside. Otherwise they are blocked.
    pub escalates: bool,
    pub capabilities: Capabilities,
}

impl VisitPlan {
    /// A plan with the defaults of the service.
    #[must_use]
    pub fn new(targets: Vec<VisitTarget>) -> Self {
        Self {
            targets,
            inputs: Vec::new(),
            sampled: false,
            concurrency: 48,
            pages: 25,
            budget: Duration::from_secs(60),
            denylist: Denylist::default(),
            protected: false,
            escalates: false,
            capabilities: Capabilities::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_has_four_entry_urls_and_a_url_one() {
        let entry_urls = |target: VisitTarget| {
            target.entry_urls().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            entry_urls(VisitTarget::Domain("firm.test".to_owned())),
            [
                "https://firm.test/",
                "https://www.firm.test/",
                "http://firm.test/",
                "http://www.firm.test/"
            ]
        );
        let url = CanonicalUrl::parse("http://www.firm.test:8080/de/").expect("a URL");
        let target = VisitTarget::Url(url);
        assert_eq!(target.domain(), "firm.test");
        assert_eq!(entry_urls(target), ["http://www.firm.test:8080/de/"]);
    }
}
