//! A run whose responses are observed before the engine consumes them: metadata, links, and the last
//! failure.

use std::time::Duration;

use contract::{Millis, PageMetadata, PageOutlink};
use crawl::{
    Action, BodyNeed, CrawlProgress, Engine, FetchTask, Input, ParsedResponse, Pending, Purpose,
    ResponseContent,
};
use document::{LinkKind, Page};
use journal::{Cause, JournalError, Overlay, Snapshot};

/// What was observed of the page.
#[derive(Debug, Default)]
pub(crate) struct PageObservation {
    /// The page that was read last.
    pub metadata: Option<PageMetadata>,
    pub links: Vec<PageOutlink>,
    pub fetched_at: Option<Millis>,
    /// Whether the page was taken from the cache.
    pub cached: bool,
    /// The status of the last response.
    pub status: Option<u16>,
    /// Whether bot protection gave the last response.
    pub challenged: bool,
    /// Why the last request got no usable response.
    pub cause: Option<Cause>,
}

impl PageObservation {
    /// Whether a page of the site was read.
    pub fn is_read(&self) -> bool {
        self.metadata.is_some()
    }

    fn note(&mut self, task: &FetchTask, response: &ParsedResponse, with_links: bool, now: Millis) {
        self.status = Some(response.status());
        self.challenged = response.is_challenge();
        self.cause = None;
        let is_page = (200..300).contains(&response.status()) && !self.challenged;
        let ResponseContent::Page(page) = &response.content else { return };
        if !is_page {
            return;
        }
        self.fetched_at = Some(response.received_at.unwrap_or(now));
        self.cached = response.cached;
        self.metadata = Some(metadata(task, response, page));
        if with_links {
            self.links = links(page);
        }
    }
}

fn metadata(task: &FetchTask, response: &ParsedResponse, page: &Page) -> PageMetadata {
    let head = &response.head;
    PageMetadata {
        final_url: task.url.to_string(),
        status_code: head.status,
        content_type: head.content_type.clone(),
        title: page.title.clone(),
        description: page.description.clone(),
        h1: page.h1.clone(),
        language: page.language.clone(),
        canonical_url: page.canonical.as_ref().map(ToString::to_string),
        noindex: page.noindex,
        nofollow: page.nofollow,
        word_count: page.word_count,
        size_bytes: head.size_bytes,
        response_ms: u64::try_from(head.elapsed.as_millis()).unwrap_or(u64::MAX),
        rendered: response.rendered,
        last_modified: head.last_modified,
    }
}

/// The links that a visitor can follow; a page has at most as many as its reader collects.
fn links(page: &Page) -> Vec<PageOutlink> {
    let followed =
        page.links.iter().filter(|link| matches!(link.kind, LinkKind::Anchor | LinkKind::Area));
    let outlinks = followed.map(|link| PageOutlink {
        url: link.url.to_string(),
        text: page.anchor(link).to_owned(),
        nofollow: link.nofollow,
    });
    outlinks.collect()
}

/// Forwards everything to the engine and observes the responses of pages.
#[derive(Debug)]
pub(crate) struct ObservedRun<E> {
    engine: E,
    observation: PageObservation,
    with_links: bool,
}

impl<E> ObservedRun<E> {
    pub fn new(engine: E, with_links: bool) -> Self {
        Self { engine, observation: PageObservation::default(), with_links }
    }

    /// The same run with another engine.
    pub fn map(self, change: impl FnOnce(E) -> E) -> Self {
        Self { engine: change(self.engine), ..self }
    }

    pub fn into_observation(self) -> PageObservation {
        self.observation
    }

    fn observe(&mut self, input: &Input, now: Millis) {
        match input {
            Input::Begin | Input::Tick => {}
            Input::Answered(task, response) if is_page(task) => {
                self.observation.note(task, response, self.with_links, now);
            }
            Input::Answered(..) => {}
            Input::Failed(task, cause) => {
                if is_page(task) {
                    self.observation.status = None;
                }
                self.observation.cause = Some(*cause);
            }
        }
    }
}

/// Whether the response of the task is read as a page.
pub(crate) fn is_page(task: &FetchTask) -> bool {
    matches!(task.purpose, Purpose::Url { need: BodyNeed::Page { .. }, .. })
}

impl<E: Engine> Engine for ObservedRun<E> {
    fn handle(&mut self, input: Input, now: Millis) -> Vec<Action> {
        self.observe(&input, now);
        self.engine.handle(input, now)
    }

    fn receive(
        &mut self,
        task: &FetchTask,
        result: Result<ParsedResponse, Cause>,
        now: Millis,
        actions: &mut Vec<Action>,
    ) {
        self.engine.receive(task, result, now, actions);
    }

    fn advance(&mut self, now: Millis, actions: &mut Vec<Action>) {
        self.engine.advance(now, actions);
    }

    fn extend_deadlines(&mut self, by: Duration) {
        self.engine.extend_deadlines(by);
    }

    fn pending(&self) -> (usize, usize) {
        self.engine.pending()
    }

    fn take_pending(&mut self) -> Pending {
        self.engine.take_pending()
    }

    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        self.engine.snapshot()
    }

    fn overlay(&self) -> Option<Overlay> {
        self.engine.overlay()
    }

    fn memory_bytes(&self) -> usize {
        self.engine.memory_bytes()
    }

    fn progress(&self) -> CrawlProgress {
        self.engine.progress()
    }

    fn is_winding_down(&self) -> bool {
        self.engine.is_winding_down()
    }
}
