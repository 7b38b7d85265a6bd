//! The crawl engine: decides what to fetch next and what a response means. It does no I/O.
//!
//! A driver feeds [`Input`]s to an [`Engine`] and executes the [`Action`]s that it returns; every
//! input carries the time. [`SiteCrawl`] crawls one site, [`DomainCrawl`] visits a list of domains.
//! Everything that must survive a crash is in [`RunState`], which changes only by the steps that
//! are written to the log, so that replaying the log restores it.
//!
//! A new option of a run is a field of [`CrawlPlan`] and its use; a new kind of fetch is a variant
//! of [`FetchVia`] or [`BodyNeed`]; a new durable value is a [`journal::Fact`] with its case in
//! `RunState::apply`.

mod canonical;
mod canonical_hold;
mod ceilings;
mod challenge_window;
mod crawl_plan;
mod discovery;
mod dispatch;
mod disposition;
mod domain_crawl;
mod fetch_queue;
mod fetch_task;
mod finish;
mod frontier;
mod host_pace;
mod item;
mod languages;
mod outcome_counts;
mod page_failure_counts;
mod parsed_response;
mod pending_robots;
mod product_dedup;
mod product_policy;
mod read_request;
mod redirect;
mod repeated_block_counter;
mod responses;
mod retry_queue;
mod robots_response;
mod run_ending;
mod shell_pages;
mod site_crawl;
mod sitemap_urls;
mod skipped_row;
mod state;
mod template_tracker;
mod url_collector;

use contract::Mode;

/// The modes that the engine can run.
pub const MODES: &[Mode] =
    &[Mode::Links, Mode::Sitemap, Mode::Markdown, Mode::Products, Mode::Contacts];

pub use ceilings::{Ceilings, FetchAllowance};
pub use crawl_plan::{Capabilities, CrawlPlan, Retries};
pub use domain_crawl::{
    DomainCrawl, DomainCrawlState, RecordContext, VisitPlan, VisitTarget, contact_record,
};
pub use fetch_task::{
    Action, BodyNeed, CrawlProgress, Engine, ExtractRequest, FetchTask, FetchVia, Input, Pending,
    ProductRequest, Purpose,
};
pub use frontier::{Frontier, Offered};
pub use host_pace::{HostPace, Wait};
pub use languages::{language_of_page, page_language};
pub use parsed_response::{ParsedResponse, ResponseHead, is_vcard};
pub use read_request::{ReadRequest, page_bytes};
pub use site_crawl::{ReplayError, SiteCrawl};
pub use state::RunState;
