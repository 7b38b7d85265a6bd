//! What goes in and out of the engine: inputs, actions, tasks, and what is to be written.

use std::sync::Arc;
use std::time::Duration;

use contract::{Item, Millis, SkippedUrl};
use job::RunEnding;
use journal::{Cause, Commit, JournalError, Overlay, Snapshot};
use markdown::RepeatedBlocks;
use page::ProtectionMarker;
use products::{ExtractionTemplate, ProductOptions};
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use crate::Reading;

/// What a driver tells the engine.
#[derive(Debug)]
pub enum Input {
    /// The run begins, or goes on after a replay.
    Begin,
    /// Time has passed.
    Tick,
    /// A task was answered.
    Answered(Task, Box<Reading>),
    /// A task got no usable answer.
    Failed(Task, Cause),
}

/// A run that a driver carries out: a crawl of a site, or visits to domains. There is one
/// loop for all of them.
pub trait Engine: Send + 'static {
    /// Takes an input and tells what is to be done.
    fn handle(&mut self, input: Input, now: Millis) -> Vec<Action> {
        let mut actions = Vec::new();
        match input {
            Input::Begin | Input::Tick => {}
            Input::Answered(task, reading) => {
                self.receive(&task, Ok(*reading), now, &mut actions);
            }
            Input::Failed(task, cause) => self.receive(&task, Err(cause), now, &mut actions),
        }
        self.advance(now, &mut actions);
        actions
    }

    /// Takes what came of a task.
    fn receive(
        &mut self,
        task: &Task,
        result: Result<Reading, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    );

    /// Goes on as far as it can at this instant.
    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>);

    /// How many steps, and about how many bytes, wait to be committed.
    fn pending(&self) -> (usize, usize);

    /// What waits to be committed; the engine forgets it.
    fn take_pending(&mut self) -> Pending;

    /// The lasting state, encoded. Only between a commit and the next input is it what
    /// the log says.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be encoded.
    fn snapshot(&self) -> Result<Snapshot, JournalError>;

    /// What is known by now of the items that were delivered; none where items never change.
    fn overlay(&self) -> Option<Overlay>;

    /// About how many bytes of memory the run takes.
    fn memory_bytes(&self) -> usize;

    /// How far it has come.
    fn standing(&self) -> Standing;

    /// Whether nothing is left to begin and little is under way that is not slow.
    fn is_fading(&self) -> bool {
        false
    }
}

/// How far a run has come, for a progress line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub results: u64,
    /// What the run is done with, of what it knows.
    pub done: u64,
    pub known: u64,
    /// What that is.
    pub of: &'static str,
    /// Something that is being fetched.
    pub at: Option<String>,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} results · {} of {} {}", self.results, self.done, self.known, self.of)
    }
}

/// What the engine asks of its driver.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Fetch this, and tell what came of it.
    Fetch(Task),
    /// Whatever is under way for this visit is not waited for any more.
    Abandon(u32),
    /// Nothing to do before this instant, unless an answer comes.
    WakeAt(Millis),
    /// The batch is full and known URLs wait.
    ReachBoundary,
    /// The site turned out to be protected: its owner, or the job's own word, decides.
    Escalate(ProtectionMarker),
    /// Everything is done.
    Finish(RunEnding),
}

/// Something to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub url: CanonicalUrl,
    pub purpose: Purpose,
    /// The visit that it belongs to, in a run over domains.
    pub visit: Option<u32>,
    /// The host's own wish for the time between two requests.
    pub gap: Option<Duration>,
    pub means: Means,
    pub study: Study,
}

/// What is wanted of a page besides where it leads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Study {
    /// Its text, told from what the pages of the site have in common: the version of that
    /// knowledge which was in force when the page was asked for.
    pub text: Option<Arc<RepeatedBlocks>>,
    /// What it sells.
    pub product: Option<ProductStudy>,
    /// Its language, by its text where nothing else tells.
    pub language: bool,
    /// The company and the people that it tells of.
    pub contacts: bool,
}

/// How a product is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductStudy {
    pub options: ProductOptions,
    /// The version of the site's template which was in force when the page was asked for.
    pub template: Option<Arc<ExtractionTemplate>>,
}

/// By what means something is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Means {
    /// A plain request.
    Plain,
    /// In a browser, for a page that is empty without JavaScript.
    Browser,
    /// By way of the protected tier.
    Tier,
}

/// What a task is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A URL of the frontier, or of a visit.
    Url {
        /// Its ordinal.
        ordinal: u32,
        /// How much of it is wanted.
        want: Want,
    },
    /// The rules of an origin.
    Robots {
        /// The origin.
        origin: String,
        /// Redirects so far.
        hops: u8,
    },
}

/// How much of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Want {
    /// All of it, read as a page.
    Page {
        /// Whether its images matter.
        images: bool,
    },
    /// All of it, read as a sitemap.
    Sitemap,
    /// Its head alone.
    Head,
    /// Its first bytes, where the head alone is refused.
    FirstBytes,
}

/// What is to be committed: steps, the items that they deliver and the URLs that they leave
/// out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pending {
    pub commit: Commit,
    pub items: Vec<Item>,
    pub skipped: Vec<SkippedUrl>,
}
