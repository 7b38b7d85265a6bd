//! Modes `links` and `sitemap`: an inventory of the URLs of a site.
//!
//! [`LinksMode`] delivers every URL with its status and what its head says. [`SitemapMode`]
//! delivers the pages that a search engine may index, with the values of the site's sitemaps. Both
//! read nothing from a page but links and head, and have no state in the run.
//!
//! A new column is a field of `contract::LinkItem` and its lines in `link_item.rs` and
//! `item_schema.rs`.
//!
//! The crawl begins with the robots.txt of the start URL; the driver of the engine fetches it:
//!
//! ```
//! use contract::Millis;
//! use crawl::{Action, CrawlPlan, Engine, Input, SiteCrawl};
//! use links::LinksMode;
//! use urls::CanonicalUrl;
//!
//! let start = CanonicalUrl::parse("https://example.com/docs")?;
//! let mut crawl = SiteCrawl::new(CrawlPlan::new(start), Box::new(LinksMode));
//! let actions = crawl.handle(Input::Begin, Millis(0));
//! let Some(Action::Fetch(task)) = actions.first() else { panic!("nothing to fetch") };
//! assert_eq!(task.url.to_string(), "https://example.com/robots.txt");
//! # Ok::<(), urls::UrlError>(())
//! ```

use contract::{Item, Millis, SkipReason};
use crawl::{
    AnyContent, CrawlMode, FinishedPage, ModePolicy, NO_MODE_STATE, PageVerdict, RunState,
};
use journal::{JournalError, Snapshot};
use page::Page;

mod item_schema;
mod link_item;
mod sitemap_item;

pub use item_schema::{LINKS_SCHEMA, SITEMAP_SCHEMA};

/// Mode `links`: every URL of a site.
#[derive(Debug, Default)]
pub struct LinksMode;

/// Mode `sitemap`: the data of an XML sitemap.
#[derive(Debug, Default)]
pub struct SitemapMode;

impl CrawlMode for LinksMode {
    fn policy(&self) -> ModePolicy {
        ModePolicy::INVENTORY
    }

    fn examine(
        &self,
        finished: &FinishedPage<'_>,
        page: &Page,
        _content: Option<&AnyContent>,
    ) -> PageVerdict {
        examine(finished, page)
    }

    fn item(
        &self,
        finished: &FinishedPage<'_>,
        _content: Option<&mut AnyContent>,
        hash: Option<u64>,
        now: Millis,
    ) -> Option<Item> {
        Some(Item::Link(Box::new(link_item::link_item(finished, hash, now))))
    }

    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError> {
        state.snapshot(&NO_MODE_STATE)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError> {
        restore(snapshot)
    }
}

impl CrawlMode for SitemapMode {
    fn policy(&self) -> ModePolicy {
        ModePolicy {
            reads_sitemap_data: true,
            indexable_only: true,
            // Whether the target of a link is indexable is unknown.
            delivers_recorded_links: false,
            ..ModePolicy::INVENTORY
        }
    }

    fn examine(
        &self,
        finished: &FinishedPage<'_>,
        page: &Page,
        _content: Option<&AnyContent>,
    ) -> PageVerdict {
        examine(finished, page)
    }

    fn item(
        &self,
        finished: &FinishedPage<'_>,
        _content: Option<&mut AnyContent>,
        hash: Option<u64>,
        now: Millis,
    ) -> Option<Item> {
        let link = link_item::link_item(finished, hash, now);
        Some(Item::Sitemap(Box::new(sitemap_item::sitemap_item(finished, link))))
    }

    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError> {
        state.snapshot(&NO_MODE_STATE)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError> {
        restore(snapshot)
    }
}

/// The verdict on a page: only a folder and its index file are one page.
fn examine(finished: &FinishedPage<'_>, page: &Page) -> PageVerdict {
    let verdict = PageVerdict::of_page(page);
    let first = verdict.content.and_then(|hash| finished.state.delivered_folder(finished.id, hash));
    PageVerdict { duplicate: first.map(|first| (first, SkipReason::SamePage)), ..verdict }
}

fn restore(snapshot: &Snapshot) -> Result<RunState, JournalError> {
    let (state, mode): (RunState, [u8; 9]) = RunState::restore(snapshot)?;
    if mode != NO_MODE_STATE {
        return Err(JournalError::Damaged("state of another mode".to_owned()));
    }
    Ok(state)
}
