//! The interface of a mode in a domain crawl. The engine requests pages; the mode decides which
//! pages of a domain are worth a request, and builds the record.

use std::fmt;
use std::sync::Arc;

use contract::Item;
use document::SitemapEntry;
use urls::CanonicalUrl;

use super::record_context::{RecordContext, VisitOutcome};
use crate::page_extractor::{AnyContent, PageExtractor};

pub trait VisitMode: fmt::Debug + Send + Sync {
    /// Reads the pages of visits.
    fn extractor(&self) -> Arc<dyn PageExtractor>;

    /// Collects the pages of one visit.
    fn collector(&self) -> Box<dyn VisitCollector>;

    /// Whether a record says that the domain is blocked.
    fn is_blocked(&self, record: &Item) -> bool;

    /// The units that a record is charged as.
    fn units(&self, record: &Item) -> u32;
}

/// The pages of one domain: those that were read, and those that may be requested.
pub trait VisitCollector: fmt::Debug + Send + Sync {
    /// Records that a page is requested. Returns false if it was known.
    fn see(&mut self, url: &CanonicalUrl) -> bool;

    /// Starts the record of the host that answered.
    fn set_home(&mut self, url: &CanonicalUrl);

    /// Adds a page that was read. `admits` says which URLs belong to the site.
    fn add(
        &mut self,
        url: CanonicalUrl,
        content: Box<AnyContent>,
        admits: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> LeadsOfPage;

    /// Adds the entries of a sitemap. Returns those that may be requested.
    fn add_listed(
        &mut self,
        entries: &[SitemapEntry],
        admits: &dyn Fn(&CanonicalUrl) -> bool,
    ) -> Vec<CanonicalUrl>;

    /// The next page to request.
    fn next_page(&mut self) -> Option<CanonicalUrl>;

    /// Whether the pages lead nowhere, so that the sitemap is searched.
    fn needs_sitemap(&self) -> bool;

    /// Builds the record of the pages that were added, or of a domain without a readable page.
    fn record(&mut self, of: RecordContext, outcome: VisitOutcome) -> Item;
}

/// What the mode finds on a page of a domain.
#[derive(Debug, Default)]
pub struct LeadsOfPage {
    /// Pages of the site that may be requested.
    pub found: Vec<CanonicalUrl>,
    /// Whether the domain is parked or shows a default page.
    pub is_parked: bool,
}
