//! The crawl engine: decides what to fetch next and what a response means. It does no I/O.
//!
//! A driver feeds [`Input`]s to an [`Engine`] and executes the [`Action`]s that it returns; every
//! input carries the time. [`SiteCrawl`] crawls one site, [`DomainCrawl`] visits a list of domains.
//! Everything that must survive a crash is in [`RunState`], which changes only by the steps that
//! are written to the log, so that replaying the log restores it.
//!
//! The engine knows no mode. A mode of a site crawl implements [`CrawlMode`] and, if it reads more
//! of a page than links and head, [`PageExtractor`]; a mode of a domain crawl implements
//! [`VisitMode`]. The crate `registry` selects the implementation.
//!
//! A new option of a run is a field of [`CrawlPlan`] and its use; a new kind of fetch is a variant
//! of [`FetchVia`] or [`BodyNeed`]; a new durable value is a [`journal::Fact`] with its case in
//! `RunState::apply` or in the `apply` of its mode.

mod canonical;
mod canonical_hold;
mod ceilings;
mod challenge_window;
mod crawl_mode;
mod crawl_plan;
mod discovery;
mod dispatch;
mod disposition;
mod domain_crawl;
mod engine_error;
mod explanation;
mod fetch_policy;
mod fetch_queue;
mod fetch_task;
mod finish;
mod finished_page;
mod folder_limit;
mod frontier;
mod host_pace;
mod kept_page;
mod languages;
mod list_outcome;
mod mode_policy;
mod outcome_counts;
mod page_extractor;
mod page_failure_counts;
mod parsed_response;
mod pending_robots;
mod redirect;
mod redirect_chain;
mod responses;
mod retry_queue;
mod robots_fetches;
mod robots_outcome;
mod robots_response;
mod run_ending;
mod shell_pages;
mod site_crawl;
mod sitemap_urls;
mod skipped_row;
mod state;
mod url_collector;
mod url_table;

pub use ceilings::{Ceilings, FetchAllowance};
pub use crawl_mode::{ContentPresence, ContentRecording, CrawlMode, PageVerdict, content_hash};
pub use crawl_plan::{Capabilities, CrawlPlan, Retries, Seeds};
pub use domain_crawl::{
    DomainCrawl, DomainCrawlState, LeadsOfPage, RecordContext, VisitCollector, VisitMode,
    VisitOutcome, VisitPlan, VisitTarget,
};
pub use engine_error::EngineError;
pub use explanation::{FoundUrl, UrlExplainer};
pub use fetch_task::{
    Action, BodyNeed, CrawlProgress, Engine, ExtractRequest, FetchTask, FetchVia, Input, Pending,
    Purpose,
};
pub use finished_page::FinishedPage;
pub use frontier::{Frontier, Offered};
pub use host_pace::{HostPace, Wait};
pub use kept_page::{KEPT_PAGE_BYTES, KeptFile, KeptPage, KeptResponse};
pub use languages::{language_of_page, needs_language_detection};
pub use list_outcome::ListOutcome;
pub use mode_policy::ModePolicy;
pub use page_extractor::{AnyContent, ModeContent, PageExtractor, PageRead, PageSource};
pub use parsed_response::{ParsedResponse, ResponseContent, ResponseHead};
pub use site_crawl::{ReplayError, SiteCrawl};
pub use state::{NO_MODE_STATE, RunState};
pub use url_table::{HoldReason, UrlState, UrlStateError, WaitReason};
