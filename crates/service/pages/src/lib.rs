//! Reads one page at once, with the engine of runs.
//!
//! [`PageService::read`] drives a one-page run in memory: the same engine, fetcher, host gate,
//! robots.txt cache and page readers as the runs of the node, without shard, log and job. So the
//! item is the one that a run delivers. In modes that visit domains the visit is limited to the
//! page, and the record has the evidence of this page alone.
//!
//! Nothing is stored and nothing is charged here: the caller does both with the answer, in one
//! transaction. A call that is dropped cancels its requests.
//!
//! What a call asks of the requests (a browser, actions, credentials, the cache) is in
//! `call_requests.rs`. A new part of the answer is collected in `observed_run.rs`, which sees every response before the
//! engine. A new way in which a page fails is a case of `page_failure.rs`.
//!
//! [`PageService::survey`] reads the first pages of a run to price it (`survey.rs`).

mod call_requests;
mod observed_run;
mod page_failure;
mod page_files;
mod page_sink;
mod survey;

use std::time::Duration;

use bytes::Bytes;
use contract::{Item, Mode, Options, PageId, PageMetadata, PageOutlink, RenderChoice, SiteAccess};
use crawl::{
    Capabilities, CrawlPlan, DomainCrawl, Engine, Retries, SiteCrawl, VisitPlan, VisitTarget,
};
use journal::Overlay;
use privacy::Denylist;
use runner::{CommitLimits, Fetcher, RunOutcome, RunSignal, drive};
use tokio::sync::watch;
use tokio::time::timeout;
use urls::{CanonicalUrl, TrapRule};

use call_requests::CallRequests;
use observed_run::{ObservedRun, PageObservation};
pub use page_failure::{FailureKind, PageFailure};
use page_sink::PageSink;
pub use survey::{ListedPages, SiteSurvey, SurveyCall, SurveyedUnits};

/// Reads pages with the fetcher of the node. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PageService {
    fetcher: Fetcher,
    retries: Retries,
}

/// One page to read, for one account.
#[derive(Debug, Clone)]
pub struct PageCall {
    pub id: PageId,
    /// The account, which isolates browser state and shares of CPU.
    pub account: String,
    pub mode: Mode,
    pub url: CanonicalUrl,
    /// The URL as the client wrote it.
    pub input: String,
    pub options: Options,
    /// How the page is requested, and the files that are part of the result.
    pub access: SiteAccess,
    /// Whether the links of the page are part of the result.
    pub with_links: bool,
    /// Whether the page may be read through the protected tier.
    pub accepts_protected: bool,
    /// What earlier runs learned of the site, for modes that use it.
    pub learned: Option<Vec<u8>>,
    pub denylist: Denylist,
    /// Cached pages of another version of the opt-outs are removed.
    pub opt_outs_version: i64,
    /// Maximum time of the call.
    pub within: Duration,
}

/// The outcome of a call.
#[derive(Debug)]
pub enum PageOutcome {
    Delivered(Box<DeliveredPage>),
    /// There is no item, with the reason.
    NotDelivered(PageFailure),
    /// The site is behind bot protection, and the call does not accept the protected tier.
    Protected {
        /// The protection, for example `cloudflare_challenge`.
        marker: String,
    },
    /// An action could not be executed.
    ActionFailed {
        /// The position of the action, from 0.
        action: usize,
        message: String,
        screenshot: Option<FileContent>,
    },
    /// A bug of the engine or the mode.
    Internal(String),
}

/// A page that was read and not charged yet.
#[derive(Debug)]
pub struct DeliveredPage {
    pub item: Item,
    /// Values of the item that are known at the end of the run.
    pub overlay: Option<Overlay>,
    /// The units that the item is charged as: 0 or 1.
    pub units: u64,
    /// Whether the page was read through the protected tier.
    pub protected: bool,
    pub metadata: Option<PageMetadata>,
    /// Empty unless the call asks for links.
    pub links: Vec<PageOutlink>,
    pub fetched_at: contract::Millis,
    /// Whether the page was taken from the cache.
    pub cached: bool,
    /// The requested files, as far as there are any.
    pub html: Option<FileContent>,
    pub raw_html: Option<FileContent>,
    pub screenshot: Option<FileContent>,
    /// What was not possible, as messages.
    pub warnings: Vec<String>,
}

/// A file of a page with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    pub content_type: String,
    pub body: Bytes,
}

impl PageService {
    /// A service over the fetcher that the runs of the node use.
    #[must_use]
    pub fn new(fetcher: Fetcher, retries: Retries) -> Self {
        Self { fetcher, retries }
    }

    /// Whether pages can be rendered.
    #[must_use]
    pub fn has_browser(&self) -> bool {
        self.fetcher.capabilities().browser
    }

    /// Reads the page. Waits for its turn at the host gate, in the order of the calls.
    pub async fn read(&self, call: PageCall) -> PageOutcome {
        let fetcher = self.fetcher.for_run(&call.account, call.id.as_str());
        let cache = fetcher.page_cache().clone();
        cache.set_opt_outs(call.opt_outs_version);
        let request = match CallRequests::new(&call, &cache) {
            Ok(request) => request,
            Err(cause) => return PageOutcome::Internal(cause),
        };
        let fetcher = request.fetcher(fetcher);
        let within = call.within;
        let reading = async {
            if call.mode.visits_domains() {
                read_to_end(self.visit(&call), &fetcher, &request, &call).await
            } else {
                match registry::site_crawl(call.mode, self.plan(&call)) {
                    Ok(mut run) => {
                        if let Some(learned) = call.learned.clone() {
                            run.begin_with_learned_data(learned);
                        }
                        read_to_end(run, &fetcher, &request, &call).await
                    }
                    Err(error) => PageOutcome::Internal(error.to_string()),
                }
            }
        };
        match timeout(within, reading).await {
            Ok(outcome) => outcome,
            Err(_) => PageOutcome::NotDelivered(PageFailure::timed_out(within)),
        }
    }

    fn plan(&self, call: &PageCall) -> CrawlPlan {
        let capabilities = self.capabilities(call);
        let mut plan = CrawlPlan::new(call.url.clone());
        plan.scope.one_page = true;
        CrawlPlan {
            options: call.options.clone(),
            traps: TrapRule::in_year(self.fetcher.clock().now().year()),
            // Without a protected tier there is no higher rate to accept.
            escalates: capabilities.tier,
            capabilities,
            retries: self.retries,
            denylist: call.denylist.clone(),
            ..plan
        }
    }

    fn capabilities(&self, call: &PageCall) -> Capabilities {
        let all = self.fetcher.capabilities();
        Capabilities { browser: all.browser && call.access.render != RenderChoice::Never, ..all }
    }

    fn visit(&self, call: &PageCall) -> DomainCrawl {
        let capabilities = self.capabilities(call);
        registry::domain_crawl(VisitPlan {
            inputs: vec![call.input.clone()],
            pages: 1,
            denylist: call.denylist.clone(),
            escalates: capabilities.tier,
            capabilities,
            ..VisitPlan::new(vec![VisitTarget::Url(call.url.clone())])
        })
    }
}

/// A run that can continue through the protected tier.
trait ProtectedRun: Engine + Sized {
    #[must_use]
    fn through_tier(self) -> Self;
}

impl ProtectedRun for SiteCrawl {
    fn through_tier(self) -> Self {
        let plan = CrawlPlan { protected: true, ..self.plan().clone() };
        self.resume_with(plan)
    }
}

impl ProtectedRun for DomainCrawl {
    fn through_tier(self) -> Self {
        let plan = VisitPlan { protected: true, escalates: false, ..self.plan().clone() };
        self.resume_with(plan)
    }
}

/// Drives the run to its end, through the protected tier if it is needed and accepted.
async fn read_to_end<R: ProtectedRun>(
    run: R,
    fetcher: &Fetcher,
    request: &CallRequests,
    call: &PageCall,
) -> PageOutcome {
    // The sender lives as long as the run: a closed channel is no signal.
    let (_stop, stopped) = watch::channel(RunSignal::Continue);
    let mut run = ObservedRun::new(run, call.with_links);
    let mut sink = PageSink::default();
    let mut protected = false;
    loop {
        let outcome;
        (run, sink, outcome) =
            drive(run, fetcher, sink, CommitLimits::default(), stopped.clone()).await;
        let ending = match outcome {
            RunOutcome::Finished(ending) => Some(ending),
            RunOutcome::Protected(marker) if protected || !call.accepts_protected => {
                return PageOutcome::Protected { marker: marker.to_string() };
            }
            RunOutcome::Protected(_) => {
                protected = true;
                run = run.map(ProtectedRun::through_tier);
                continue;
            }
            // The page is committed before its batch ends.
            RunOutcome::BatchBoundary => None,
            RunOutcome::Failed(error) => return PageOutcome::Internal(error.to_string()),
            RunOutcome::OutOfCredits
            | RunOutcome::Shutdown
            | RunOutcome::Evicted
            | RunOutcome::Abandoned => {
                return PageOutcome::Internal(format!("unexpected end of a page: {outcome:?}"));
            }
        };
        let overlay = run.overlay();
        let observation = run.into_observation();
        let is_read = observation.is_read() || !call.mode.visits_domains();
        let (item, units, skipped) = sink.into_parts();
        let script = request.script_outcome();
        return match (item.filter(|_| is_read), script) {
            (Some(item), Ok((screenshot, warnings))) => {
                let page = delivered(item, units, overlay, protected, observation, fetcher);
                let page = DeliveredPage { screenshot, warnings, ..page };
                PageOutcome::Delivered(Box::new(request.complete(page, fetcher, call).await))
            }
            // The page has no content because of the action, unless the site has sent an error.
            (item, Err(failed)) if item.is_some() || observation.is_read() => failed,
            _ => PageOutcome::NotDelivered(PageFailure::of(ending, skipped, &observation)),
        };
    }
}

fn delivered(
    mut item: Item,
    units: u64,
    overlay: Option<Overlay>,
    protected: bool,
    observation: PageObservation,
    fetcher: &Fetcher,
) -> DeliveredPage {
    let fetched_at = observation.fetched_at.unwrap_or_else(|| fetcher.clock().now());
    if observation.cached {
        item.set_fetched_at(fetched_at);
    }
    DeliveredPage {
        item,
        overlay,
        units,
        protected,
        metadata: observation.metadata,
        links: observation.links,
        fetched_at,
        cached: observation.cached,
        html: None,
        raw_html: None,
        screenshot: None,
        warnings: Vec::new(),
    }
}
