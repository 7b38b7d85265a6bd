//! The interface of the engine: inputs, actions, fetch tasks and pending commits.

use std::sync::Arc;
use std::time::Duration;

use contract::{Item, Millis, SkippedUrl};
use document::ProtectionMarker;
use job::RunEnding;
use journal::{Cause, Commit, JournalError, Overlay, Snapshot, UrlId};
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use crate::ParsedResponse;
use crate::engine_error::EngineError;
use crate::kept_page::KeptPage;
use crate::page_extractor::PageExtractor;

/// What a driver reports to the engine.
#[derive(Debug)]
pub enum Input {
    /// The run starts, or continues after a replay.
    Begin,
    Tick,
    /// A task got a response.
    Answered(FetchTask, Box<ParsedResponse>),
    /// A task failed without a usable response.
    Failed(FetchTask, Cause),
}

/// A run that a driver executes: the crawl of a site, or visits to domains.
pub trait Engine: Send + 'static {
    /// Applies an input and returns what to do next.
    fn handle(&mut self, input: Input, now: Millis) -> Vec<Action> {
        let mut actions = Vec::new();
        match input {
            Input::Begin | Input::Tick => {}
            Input::Answered(task, response) => {
                self.receive(&task, Ok(*response), now, &mut actions);
            }
            Input::Failed(task, cause) => self.receive(&task, Err(cause), now, &mut actions),
        }
        self.advance(now, &mut actions);
        actions
    }

    /// Applies the result of a task.
    fn receive(
        &mut self,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    );

    /// Advances as far as possible at this time.
    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>);

    /// Moves deadlines by a time in which the driver took no input because a commit was slow.
    fn extend_deadlines(&mut self, _by: Duration) {}

    /// Number of pending steps, and their approximate bytes.
    fn pending(&self) -> (usize, usize);

    /// Takes the pending steps out of the engine, to be committed.
    fn take_pending(&mut self) -> Pending;

    /// The durable state, encoded. It matches the log only between a commit and the next input.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be encoded.
    fn snapshot(&self) -> Result<Snapshot, JournalError>;

    /// Current values of delivered items; `None` if items never change.
    fn overlay(&self) -> Option<Overlay>;

    /// Approximate memory of the run, in bytes.
    fn memory_bytes(&self) -> usize;

    fn progress(&self) -> CrawlProgress;

    /// Whether everything was started and few fast visits are in flight, so that another run may
    /// start beside it.
    fn is_winding_down(&self) -> bool {
        false
    }
}

/// The progress of a run, for a progress line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlProgress {
    pub results: u64,
    /// Finished URLs or domains, of those that are known.
    pub done: u64,
    pub known: u64,
    /// The unit of `done` and `known`.
    pub of: &'static str,
    /// A URL or domain that is being fetched.
    pub at: Option<String>,
}

impl std::fmt::Display for CrawlProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { results, done, known, of, .. } = self;
        let noun = if *results == 1 { "result" } else { "results" };
        write!(f, "{results} {noun} · {done} of {known} {of}")
    }
}

/// An instruction of the engine to its driver.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Fetch this and report the result.
    Fetch(FetchTask),
    /// Cancel the requests of this visit.
    Abandon(u32),
    /// Nothing to do before this time, unless a response arrives.
    WakeAt(Millis),
    /// The batch is full and unfinished URLs remain.
    ReachBoundary,
    /// The site is protected: its owner, or a setting of the job, decides.
    Escalate(ProtectionMarker),
    Finish(RunEnding),
    /// A bug: the run cannot continue.
    Fail(EngineError),
}

/// A request for the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchTask {
    pub url: CanonicalUrl,
    pub purpose: Purpose,
    /// The visit that it belongs to, in a domain crawl.
    pub visit: Option<u32>,
    /// The host's `Crawl-delay`.
    pub gap: Option<Duration>,
    pub fetch_via: FetchVia,
    pub extract: ExtractRequest,
}

/// What is extracted from a page besides its links.
#[derive(Debug, Clone, Default)]
pub struct ExtractRequest {
    /// Extracts what the mode delivers; `None` if links and head are enough.
    pub extractor: Option<Arc<dyn PageExtractor>>,
    /// Whether the language is detected from the text if nothing else declares it.
    pub language: bool,
}

impl PartialEq for ExtractRequest {
    fn eq(&self, other: &Self) -> bool {
        let encoded = |request: &Self| {
            let extractor = request.extractor.as_ref()?;
            Some((extractor.mode(), extractor.encode()))
        };
        self.language == other.language && encoded(self) == encoded(other)
    }
}

impl Eq for ExtractRequest {}

/// The backend that fetches a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchVia {
    Plain,
    /// A browser, for pages that are empty without JavaScript.
    Browser,
    Tier,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A URL of the frontier, or a request of a visit.
    Url {
        /// The id in the frontier, or the number of the request within its visit.
        id: UrlId,
        need: BodyNeed,
    },
    /// The robots.txt of an origin.
    Robots { origin: String, hops: u8 },
}

/// Which part of the response is needed, and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyNeed {
    /// The whole body, read as a page.
    Page {
        /// Whether image links are collected.
        images: bool,
    },
    /// The whole body, read as a sitemap.
    Sitemap,
    /// The headers only (`HEAD`).
    Head,
    /// The first bytes, for hosts that reject `HEAD`.
    FirstBytes,
}

/// What the next commit contains: steps, the items that they deliver and the URLs that they skip.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pending {
    pub commit: Commit,
    pub items: Vec<Item>,
    /// What is kept of the pages of items, each with the position of its item, in their order.
    pub kept: Vec<(usize, Box<KeptPage>)>,
    pub skipped: Vec<SkippedUrl>,
    /// What is kept of skipped pages in which an action failed, each with the position of its URL.
    pub kept_of_skipped: Vec<(usize, Box<KeptPage>)>,
}

impl Pending {
    /// Cuts the commit before the first step that would exceed `units`, with its items and skipped
    /// URLs.
    pub fn trim_to(&mut self, units: u64) {
        let retained = self.commit.trim_to(units);
        self.items.truncate(retained.items);
        self.kept.retain(|(item, _)| *item < retained.items);
        self.skipped.truncate(retained.skipped);
        self.kept_of_skipped.retain(|(skipped, _)| *skipped < retained.skipped);
    }
}
