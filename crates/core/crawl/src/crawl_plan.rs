//! The plan of a run: everything that the engine depends on and that does not change while it runs.

use std::sync::Arc;
use std::time::Duration;

use contract::{Options, Scope};
use privacy::Denylist;
use urls::{CanonicalUrl, SiteKey, TrapRule};

use crate::Ceilings;

/// The URLs that a run begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Seeds {
    /// The start URL, from which the run discovers the site.
    #[default]
    Site,
    /// The URLs of a list, on any sites. Each is requested once and nothing is discovered; each ends
    /// as one result or one skipped URL.
    Listed(Arc<[CanonicalUrl]>),
}

/// The plan of a site crawl.
#[derive(Debug, Clone)]
pub struct CrawlPlan {
    /// The start URL; of a list, its first URL.
    pub start: CanonicalUrl,
    pub seeds: Seeds,
    pub scope: Scope,
    pub options: Options,
    /// The units after which the current batch is full.
    pub batch_ends_at: Option<u64>,
    /// The number of the current batch, from 1. `batch_ends_at` is this many batch sizes.
    pub batch: u32,
    /// The run ends after this number of requested pages of the site, without images, files and
    /// external links.
    pub max_pages: Option<u64>,
    /// The run ends after this number of units, which are what `max_credits` pays.
    pub max_units: Option<u64>,
    /// Maximum number of requests of the run in flight.
    pub concurrency: usize,
    /// Maximum number of requests to one host in flight, so that a slow host does not block the
    /// others.
    pub host_concurrency: usize,
    pub retries: Retries,
    /// Domains that are not crawled.
    pub denylist: Denylist,
    /// Whether pages are fetched by the protected tier.
    pub protected: bool,
    /// Whether the owner of the run decides about protection. Otherwise protected pages are
    /// blocked.
    pub escalates: bool,
    pub capabilities: Capabilities,
    /// When URLs are considered to be a trap.
    pub traps: TrapRule,
    pub ceilings: Ceilings,
}

impl CrawlPlan {
    /// A plan with the defaults of the service.
    #[must_use]
    pub fn new(start: CanonicalUrl) -> Self {
        Self {
            start,
            seeds: Seeds::Site,
            scope: Scope::default(),
            options: Options::default(),
            batch_ends_at: None,
            batch: 1,
            max_pages: None,
            max_units: None,
            concurrency: 16,
            host_concurrency: 4,
            retries: Retries::default(),
            denylist: Denylist::default(),
            protected: false,
            escalates: false,
            capabilities: Capabilities::default(),
            traps: TrapRule::default(),
            ceilings: Ceilings::default(),
        }
    }
}

impl CrawlPlan {
    /// A plan for a list of URLs; `None` if the list is empty.
    #[must_use]
    pub fn listed(urls: Vec<CanonicalUrl>) -> Option<Self> {
        let start = urls.first()?.clone();
        Some(Self { seeds: Seeds::Listed(urls.into()), ..Self::new(start) })
    }

    /// Whether the run requests the URLs of a list.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        matches!(self.seeds, Seeds::Listed(_))
    }

    /// Whether all pages of the run are of one site, so that what one page teaches holds for the
    /// others.
    pub(crate) fn is_one_site(&self) -> bool {
        match &self.seeds {
            Seeds::Site => true,
            Seeds::Listed(urls) => {
                let site = SiteKey::of(&self.start);
                urls.iter().all(|url| SiteKey::of(url) == site)
            }
        }
    }

    /// The plan of a list without the scope, the options and the limits that concern discovery or
    /// all shards of the job together. Whatever answers is delivered, as far as the mode reads it.
    pub(crate) fn without_discovery(self) -> Self {
        if !self.is_listed() {
            return self;
        }
        let any_language = self.options.preferred_language.is_none();
        Self {
            scope: Scope {
                include_query_strings: true,
                include_broken: true,
                include_images: true,
                include_files: true,
                ..Scope::default()
            },
            options: Options {
                all_languages: any_language,
                strict_default_language: false,
                sitemap_first: false,
                discovery: true,
                sample_size: None,
                max_pages: None,
                max_depth: None,
                max_pages_per_folder: None,
                ..self.options
            },
            batch_ends_at: None,
            max_pages: None,
            max_units: None,
            ceilings: Ceilings { fetches: None, ..self.ceilings },
            ..self
        }
    }

    /// The plan with `concurrency` of the options, which can only lower that of the service.
    pub(crate) fn slowed_by_options(mut self) -> Self {
        let requested = self.options.concurrency.and_then(|most| usize::try_from(most).ok());
        if let Some(most) = requested {
            self.concurrency = self.concurrency.min(most);
            self.host_concurrency = self.host_concurrency.min(most);
        }
        self
    }
}

/// What the service can use besides plain requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// A browser that runs JavaScript.
    pub browser: bool,
    /// The protected tier, which passes bot protection.
    pub tier: bool,
}

/// How often and how long a failed request is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Retries of a page after a transient failure.
    pub pages: u32,
    /// The delay before the first retry; it quadruples with each further one.
    pub back_off: Duration,
    /// Attempts to fetch a robots.txt that does not answer.
    pub robots: u32,
    /// The delay between those attempts.
    pub robots_every: Duration,
    /// How long a URL is retried that answers 429.
    pub rate_limit_patience: Duration,
    /// The longest `Retry-After` that is honoured.
    pub retry_after_at_most: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            pages: 2,
            back_off: Duration::from_secs(1),
            robots: 3,
            robots_every: Duration::from_secs(10),
            rate_limit_patience: Duration::from_secs(60),
            retry_after_at_most: Duration::from_secs(60),
        }
    }
}
