//! A mode whose extractor reads nothing and that builds no item.

use std::sync::Arc;

use contract::{Item, Millis, Mode, SkipReason};
use crawl::{
    Action, AnyContent, ContentPresence, CrawlMode, Engine, EngineError, FinishedPage, Input,
    ModePolicy, NO_MODE_STATE, PageExtractor, PageRead, PageSource, PageVerdict, RunState,
    SiteCrawl,
};
use journal::{JournalError, Snapshot, Step, UrlId};
use page::Page;

use crate::harness::{Answer, Site, plan, respond};
use crate::url_states::first_page;

/// A mode that says this about every page.
#[derive(Debug)]
struct EmptyMode(ContentPresence);

impl CrawlMode for EmptyMode {
    fn policy(&self) -> ModePolicy {
        ModePolicy::CONTENT
    }

    fn extractor(&self) -> Option<Arc<dyn PageExtractor>> {
        Some(Arc::new(EmptyExtractor))
    }

    fn examine(
        &self,
        _finished: &FinishedPage<'_>,
        page: &Page,
        _content: Option<&AnyContent>,
    ) -> PageVerdict {
        PageVerdict { presence: self.0, ..PageVerdict::of_page(page) }
    }

    fn item(
        &self,
        _finished: &FinishedPage<'_>,
        _content: Option<&mut AnyContent>,
        _hash: Option<u64>,
        _now: Millis,
    ) -> Option<Item> {
        None
    }

    fn snapshot(&self, state: &RunState) -> Result<Snapshot, JournalError> {
        state.snapshot(&NO_MODE_STATE)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<RunState, JournalError> {
        let (state, _): (RunState, [u8; 9]) = RunState::restore(snapshot)?;
        Ok(state)
    }
}

#[derive(Debug)]
struct EmptyExtractor;

impl PageExtractor for EmptyExtractor {
    fn read(&self, _source: &PageSource<'_>) -> Option<PageRead> {
        None
    }

    fn mode(&self) -> Mode {
        Mode::Links
    }

    fn encode(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Answers the start page with this HTML. Returns the run and its next actions.
fn answered(presence: ContentPresence, html: &str) -> (SiteCrawl, Vec<Action>) {
    let mut run = SiteCrawl::new(plan(), Box::new(EmptyMode(presence)));
    let task = first_page(&mut run);
    let mut site = Site::default().with(task.url.as_str(), Answer::Html(html.to_owned()));
    let actions = run.handle(respond(&mut site, task), Millis(1));
    (run, actions)
}

#[test]
fn delivered_url_without_an_item_fails_the_run() {
    let (mut run, actions) = answered(ContentPresence::Present, "<p>Words");
    assert_eq!(actions, [Action::Fail(EngineError::MissingItem(UrlId::START))]);
    assert_eq!(run.handle(Input::Tick, Millis(2)), [], "the run is over");
}

#[test]
fn page_without_content_does_not_wait_for_its_canonical_page() {
    let presence = ContentPresence::Absent(SkipReason::NoText);
    let (mut run, _) = answered(presence, "<link rel=canonical href=/b><p>Words");
    let steps = run.take_pending().commit.steps;
    let is_start = |step: &Step| matches!(step, Step::Finished(at) if at.id == UrlId::START);
    assert!(steps.iter().any(is_start), "{steps:?}");
}
