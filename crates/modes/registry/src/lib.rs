//! The registry of modes: maps `contract::Mode` to the crate that implements it.
//!
//! [`site_crawl`] and [`replay_site_crawl`] start and restore the crawl of a site in any mode,
//! [`domain_crawl`] and [`replay_domain_crawl`] visits to domains. [`extractor`] decodes the
//! extractor of a request that another process reads. [`item_schema`] describes the items of a mode
//! for exports and comparisons.
//!
//! A new mode is a crate beside this one and a line in [`crawl_mode`], [`extractor`], [`item_schema`]
//! and [`MODES`].

use std::sync::Arc;

use contacts::{CONTACTS_SCHEMA, ContactExtractor, ContactsMode};
use contract::{ItemSchema, Mode};
use crawl::{
    CrawlMode, CrawlPlan, DomainCrawl, PageExtractor, ReplayError, SiteCrawl, VisitMode, VisitPlan,
};
use journal::{Commit, Snapshot};
use links::{LINKS_SCHEMA, LinksMode, SITEMAP_SCHEMA, SitemapMode};
use markdown::{MARKDOWN_SCHEMA, MarkdownExtractor, MarkdownMode};
use products::{PRODUCTS_SCHEMA, ProductExtractor, ProductsMode};

/// The modes that can run.
pub const MODES: &[Mode] =
    &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

/// The implementation of a mode for site crawls. Mode `contacts` has none: it visits domains, and
/// the inventory of a site is as near as a site crawl comes to it.
#[must_use]
pub fn crawl_mode(mode: Mode) -> Box<dyn CrawlMode> {
    match mode {
        Mode::Links | Mode::Contacts => Box::new(LinksMode),
        Mode::Sitemap => Box::new(SitemapMode),
        Mode::Markdown => Box::new(MarkdownMode::default()),
        Mode::Products => Box::new(ProductsMode::default()),
    }
}

/// The mode of domain crawls.
#[must_use]
pub fn visit_mode() -> Arc<dyn VisitMode> {
    Arc::new(ContactsMode)
}

/// Decodes the extractor of a mode; `None` if the mode has none or the bytes are damaged.
#[must_use]
pub fn extractor(mode: Mode, encoded: &[u8]) -> Option<Arc<dyn PageExtractor>> {
    match mode {
        Mode::Links | Mode::Sitemap => None,
        Mode::Markdown => Some(Arc::new(MarkdownExtractor::decode(encoded)?)),
        Mode::Products => Some(Arc::new(ProductExtractor::decode(encoded)?)),
        Mode::Contacts => Some(Arc::new(ContactExtractor)),
    }
}

/// The tables of a mode's exports, and the fields by which its items are compared.
#[must_use]
pub fn item_schema(mode: Mode) -> &'static ItemSchema {
    match mode {
        Mode::Links => &LINKS_SCHEMA,
        Mode::Sitemap => &SITEMAP_SCHEMA,
        Mode::Markdown => &MARKDOWN_SCHEMA,
        Mode::Products => &PRODUCTS_SCHEMA,
        Mode::Contacts => &CONTACTS_SCHEMA,
    }
}

/// Starts the crawl of a site.
#[must_use]
pub fn site_crawl(plan: CrawlPlan) -> SiteCrawl {
    let mode = crawl_mode(plan.mode);
    SiteCrawl::new(plan, mode)
}

/// Restores the crawl of a site from its log.
///
/// # Errors
///
/// [`ReplayError`] when the snapshot cannot be read.
pub fn replay_site_crawl(
    plan: CrawlPlan,
    snapshot: Option<&Snapshot>,
    commits: &[Commit],
) -> Result<SiteCrawl, ReplayError> {
    let mode = crawl_mode(plan.mode);
    SiteCrawl::replay(plan, mode, snapshot, commits)
}

/// Starts visits to domains.
#[must_use]
pub fn domain_crawl(plan: VisitPlan) -> DomainCrawl {
    DomainCrawl::new(plan, visit_mode())
}

/// Restores visits to domains from their log.
///
/// # Errors
///
/// [`ReplayError`] when the snapshot cannot be read.
pub fn replay_domain_crawl(
    plan: VisitPlan,
    snapshot: Option<&Snapshot>,
    commits: &[Commit],
) -> Result<DomainCrawl, ReplayError> {
    DomainCrawl::replay(plan, visit_mode(), snapshot, commits)
}
