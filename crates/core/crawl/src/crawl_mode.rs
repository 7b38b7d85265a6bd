//! The interface of a mode in a site crawl. The engine decides what to fetch and when; the mode
//! decides what a page is worth and what is delivered.

use std::fmt;
use std::sync::Arc;

use contract::{Alternate, Item, Millis, SkipReason};
use document::Page;
use journal::{Fact, ItemIdentity, JournalError, Snapshot, Step, UrlId};
use urls::ScopeRule;

use crate::crawl_plan::CrawlPlan;
use crate::finished_page::FinishedPage;
use crate::mode_policy::ModePolicy;
use crate::page_extractor::{AnyContent, PageExtractor};
use crate::state::RunState;

/// A mode of a site crawl, with its state in the run.
pub trait CrawlMode: fmt::Debug + Send + Sync {
    fn policy(&self) -> ModePolicy;

    /// The scope of the mode, based on that of the job.
    fn scope_rule(&self, rule: ScopeRule) -> ScopeRule {
        rule
    }

    /// Starts with a plan, or continues with another one. State that is not durable is reset.
    fn begin(&mut self, _plan: &CrawlPlan) {}

    /// Reads the pages that are requested now; `None` if links and head are enough.
    fn extractor(&self) -> Option<Arc<dyn PageExtractor>> {
        None
    }

    /// Judges a page with a good response.
    fn examine(
        &self,
        finished: &FinishedPage<'_>,
        page: &Page,
        content: Option<&AnyContent>,
    ) -> PageVerdict;

    /// Builds the item of a URL that is delivered; `None` only if `content` is missing that the
    /// verdict said to be present, a bug that fails the run. `hash` is the content hash of the
    /// verdict.
    fn item(
        &self,
        finished: &FinishedPage<'_>,
        content: Option<&mut AnyContent>,
        hash: Option<u64>,
        now: Millis,
    ) -> Option<Item>;

    /// Learns from a page after it was finished. The fact is written to the log and applied.
    fn learn(&mut self, _content: &mut AnyContent, _delivered: bool) -> Option<Fact> {
        None
    }

    /// Changes the durable state. Called for every step, live and in replay.
    fn apply(&mut self, _step: &Step) {}

    /// Whether the run can start with what an earlier run learned of the site.
    fn wants_learned_data(&self) -> bool {
        false
    }

    /// Starts with what an earlier run learned; `None` if it is unusable.
    fn start_with_learned_data(&mut self, _data: Vec<u8>) -> Option<Fact> {
        None
    }

    /// The translations that are merged into a delivered item.
    fn translations(&self, _state: &RunState, _id: UrlId) -> Vec<Alternate> {
        Vec::new()
    }

    /// Encodes the state of the run together with that of the mode, by [`RunState::snapshot`].
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it cannot be encoded.
    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError>;

    /// Restores the state of the mode and returns that of the run, by [`RunState::restore`].
    ///
    /// # Errors
    ///
    /// [`JournalError`] when the bytes are damaged or of an unknown version.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError>;
}

/// What a mode says about a page.
#[derive(Debug, Clone)]
pub struct PageVerdict {
    /// The content hash; `None` for empty pages, which are all alike.
    pub content: Option<u64>,
    pub presence: ContentPresence,
    /// The delivered page that replaces this one, with the skip reason.
    pub duplicate: Option<(UrlId, SkipReason)>,
    pub recording: ContentRecording,
    /// The identity of the item, for the log.
    pub identity: Option<Box<ItemIdentity>>,
}

impl Default for PageVerdict {
    fn default() -> Self {
        Self {
            content: None,
            presence: ContentPresence::NotRequested,
            duplicate: None,
            recording: ContentRecording::Always,
            identity: None,
        }
    }
}

impl PageVerdict {
    /// The verdict on a page of which only links and head are delivered.
    #[must_use]
    pub fn of_page(page: &Page) -> Self {
        Self { content: content_hash(page.word_count, &page.content_hash), ..Self::default() }
    }
}

/// The content hash of a text; `None` if it has no words.
#[must_use]
pub fn content_hash(words: u64, hexadecimal: &str) -> Option<u64> {
    (words > 0).then(|| u64::from_str_radix(hexadecimal, 16).ok()).flatten()
}

/// Whether a page has what the mode delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentPresence {
    /// The mode delivers every page.
    NotRequested,
    /// The page is skipped for this reason.
    Absent(SkipReason),
    /// The page says that it does not exist (soft 404).
    SoftNotFound,
    Present,
}

/// When the content hash of a page is written to the log. The first URL of a content is the one
/// that others duplicate, and duplicates teach the trap rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentRecording {
    Always,
    /// If the page is delivered, or has the content of a page that was recorded before.
    DeliveredOrKnown,
    Delivered,
}
