//! What a run is to do: everything that the engine goes by and that does not change.

use std::time::Duration;

use contract::{LinkType, Mode, Options, Scope};
use privacy::Denylist;
use urls::{CanonicalUrl, TrapRule};

use crate::Ceilings;

/// The plan of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub start: CanonicalUrl,
    pub mode: Mode,
    pub scope: Scope,
    pub options: Options,
    /// The units after which the current batch is full.
    pub batch_ends_at: Option<u64>,
    /// The number of the current batch, from 1. `batch_ends_at` is this many batch sizes.
    pub batch: u32,
    /// The pages after which the run ends, whatever is left.
    pub max_pages: Option<u64>,
    /// Requests of this run under way at a time.
    pub concurrency: usize,
    /// Requests to one host under way at a time: a slow one leaves room for the others.
    pub host_concurrency: usize,
    pub retries: Retries,
    /// Hosts that are not crawled.
    pub denylist: Denylist,
    /// Whether the run goes by the protected tier.
    pub protected: bool,
    /// Whether protection is a question for the run's owner. When it is not, pages behind it
    /// are blocked.
    pub escalates: bool,
    pub equipment: Equipment,
    /// Where patience with a site's inventions ends.
    pub traps: TrapRule,
    pub ceilings: Ceilings,
}

impl Plan {
    /// A plan with the defaults of the service.
    #[must_use]
    pub fn new(start: CanonicalUrl, mode: Mode) -> Self {
        Self {
            start,
            mode,
            scope: Scope::default(),
            options: Options::default(),
            batch_ends_at: None,
            batch: 1,
            max_pages: None,
            concurrency: 16,
            host_concurrency: 4,
            retries: Retries::default(),
            denylist: Denylist::default(),
            protected: false,
            escalates: false,
            equipment: Equipment::default(),
            traps: TrapRule::default(),
            ceilings: Ceilings::default(),
        }
    }

    /// The plan as its mode carries it out. Pages alone have a text or sell something:
    /// switches that ask for anything else have no effect on a run that delivers that.
    pub(crate) fn in_its_mode(mut self) -> Self {
        if self.delivers_once() {
            self.scope = Scope {
                include_external: false,
                include_broken: false,
                include_images: false,
                include_files: false,
                ..self.scope
            };
        }
        self
    }

    /// Whether the items are the texts of pages.
    pub(crate) fn delivers_text(&self) -> bool {
        self.mode == Mode::Markdown
    }

    /// Whether whatever is delivered is delivered once, under one address and in one language.
    pub(crate) fn delivers_once(&self) -> bool {
        self.delivers_text() || self.seeks_products()
    }

    /// What an address will lead to, as far as it tells.
    pub(crate) fn expected_kind(&self, path: &str) -> LinkType {
        match page::expected_kind(path) {
            LinkType::File if self.delivers_text() && markdown::names_plain_text(path) => {
                LinkType::Page
            }
            kind => kind,
        }
    }

    /// Whether the site's sitemaps are read, so that what they list joins the run.
    pub(crate) fn reads_sitemaps(&self) -> bool {
        let asked = self.mode == Mode::Sitemap
            || self.options.sitemap_first
            || self.scope.include_sitemap
            || self.scope.include_orphan;
        asked && !self.scope.one_page
    }

    /// Whether the images of a page matter.
    pub(crate) fn reads_images(&self) -> bool {
        self.scope.include_images || self.scope.include_files || self.mode == Mode::Sitemap
    }
}

/// What there is besides plain requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Equipment {
    /// A browser that runs JavaScript.
    pub browser: bool,
    /// A way past bot protection.
    pub tier: bool,
}

/// How often and how patiently a failure is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Tries after the first, of what a retry can mend.
    pub pages: u32,
    /// The wait before the first of them; it doubles twice over.
    pub back_off: Duration,
    /// Tries of a robots.txt that does not answer.
    pub robots: u32,
    /// The wait between those.
    pub robots_every: Duration,
    /// How long "too many requests" is waited out.
    pub rate_limit_patience: Duration,
    /// The longest wait that a site may ask for.
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
