//! The registry of modes: maps `contract::Mode` to the crate that implements it.
//!
//! [`site_crawl`] and [`replay_site_crawl`] start and restore the crawl of a site in any mode,
//! [`domain_crawl`] and [`replay_domain_crawl`] visits to domains. [`extractor`] decodes the
//! extractor of a request that another process reads. [`item_schema`] describes the items of a mode
//! for exports and comparisons.
//!
//! A new mode is a crate beside this one and a line in [`crawl_mode`], [`extractor`], [`item_schema`]
//! and [`MODES`].
//!
//! ```
//! use contract::Mode;
//! use crawl::CrawlPlan;
//! use urls::CanonicalUrl;
//!
//! let start = CanonicalUrl::parse("https://example.com/")?;
//! assert!(registry::site_crawl(Mode::Sitemap, CrawlPlan::new(start.clone())).is_ok());
//! // This mode visits domains: `registry::domain_crawl` starts it.
//! assert!(registry::site_crawl(Mode::Contacts, CrawlPlan::new(start)).is_err());
//! # Ok::<(), urls::UrlError>(())
//! ```

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
use thiserror::Error;

/// The modes that can run.
pub const MODES: &[Mode] =
    &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

/// Why the crawl of a site cannot start or continue.
#[derive(Debug, Error)]
pub enum SiteCrawlError {
    /// The mode visits domains.
    #[error("mode {0} visits domains and does not crawl sites")]
    NotASiteMode(Mode),
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// The implementation of a mode for site crawls.
///
/// # Errors
///
/// [`SiteCrawlError::NotASiteMode`] when the mode visits domains.
pub fn crawl_mode(mode: Mode) -> Result<Box<dyn CrawlMode>, SiteCrawlError> {
    match mode {
        Mode::Links => Ok(Box::new(LinksMode)),
        Mode::Sitemap => Ok(Box::new(SitemapMode)),
        Mode::Markdown => Ok(Box::new(MarkdownMode::default())),
        Mode::Products => Ok(Box::new(ProductsMode::default())),
        Mode::Contacts => Err(SiteCrawlError::NotASiteMode(mode)),
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
///
/// # Errors
///
/// [`SiteCrawlError::NotASiteMode`] when the mode visits domains.
pub fn site_crawl(mode: Mode, plan: CrawlPlan) -> Result<SiteCrawl, SiteCrawlError> {
    Ok(SiteCrawl::new(plan, crawl_mode(mode)?))
}

/// Restores the crawl of a site from its log.
///
/// # Errors
///
/// [`SiteCrawlError`] when the mode visits domains, or the log cannot be replayed.
pub fn replay_site_crawl(
    mode: Mode,
    plan: CrawlPlan,
    snapshot: Option<&Snapshot>,
    commits: &[Commit],
) -> Result<SiteCrawl, SiteCrawlError> {
    Ok(SiteCrawl::replay(plan, crawl_mode(mode)?, snapshot, commits)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_crawls_either_sites_or_domains() {
        for mode in MODES {
            let crawls_sites = match crawl_mode(*mode) {
                Ok(_) => true,
                Err(SiteCrawlError::NotASiteMode(_)) => false,
                Err(SiteCrawlError::Replay(error)) => panic!("{error}"),
            };
            assert_eq!(crawls_sites, !mode.visits_domains(), "{mode}");
        }
    }
}
