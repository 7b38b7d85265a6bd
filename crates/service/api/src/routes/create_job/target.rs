//! The crawl target of a valid job request.

use std::collections::HashSet;

use contract::{JobRequest, ParsedTarget};
use urls::{CanonicalUrl, Fingerprint, SiteKey, is_sample_host};

/// The start URL, the domains or the URLs of a job, normalised.
#[derive(Debug)]
pub(super) struct JobTarget {
    pub url: Option<CanonicalUrl>,
    /// The normalised domains, each once.
    pub domains: Vec<String>,
    /// In mode `contacts`: the text of the request for each of `domains`, or for the URL.
    pub inputs: Vec<String>,
    /// The URLs of a list, each once.
    pub urls: Vec<CanonicalUrl>,
}

impl JobTarget {
    /// The target of a valid request.
    pub fn of(request: &JobRequest, parsed: ParsedTarget<CanonicalUrl, String>) -> Self {
        let given = request.domains.iter().flatten();
        let mut seen = HashSet::with_capacity(parsed.domains.len());
        let (domains, mut inputs): (Vec<_>, Vec<_>) = parsed
            .domains
            .into_iter()
            .zip(given.cloned())
            .filter(|(domain, _)| seen.insert(domain.clone()))
            .unzip();
        if request.mode.visits_domains()
            && let Some(url) = &request.url
        {
            inputs = vec![url.clone()];
        }
        let mut seen = HashSet::with_capacity(parsed.urls.len());
        let is_new = |url: &CanonicalUrl| seen.insert(Fingerprint::of(url));
        let urls = parsed.urls.into_iter().filter(is_new).collect();
        Self { url: parsed.url, domains, inputs, urls }
    }

    /// Whether the job crawls only built-in sample sites, which costs nothing.
    pub fn is_free(&self) -> bool {
        match &self.url {
            Some(url) => is_sample_host(url.bare_host()),
            None if self.domains.is_empty() => {
                self.urls.iter().all(|url| is_sample_host(url.bare_host()))
            }
            None => self.domains.iter().all(|domain| is_sample_host(domain)),
        }
    }

    /// The key by which an account has at most one job per site. None for one-page jobs, of which
    /// clients start many at a time, and for sample sites.
    pub fn site_key(&self, one_page: bool) -> Option<String> {
        let url = self.url.as_ref().filter(|_| !one_page && !self.is_free());
        url.map(|url| SiteKey::of(url).to_string())
    }

    /// The host of the first request.
    pub fn host(&self) -> String {
        let host = self.url.as_ref().or(self.urls.first()).map(|url| url.bare_host().to_owned());
        host.or_else(|| self.domains.first().cloned()).unwrap_or_default()
    }
}
