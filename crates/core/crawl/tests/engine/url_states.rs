//! Bugs of the engine, and logs that do not fit, end a run instead of being ignored.

use contract::{Millis, Mode};
use crawl::{Action, Engine, EngineError, Input, Purpose, ReplayError, UrlStateError};
use journal::{Cause, Commit, Step, UrlId};
use registry::SiteCrawlError;

use crate::harness::{Site, crawl, plan, start};

/// The first page request of a run.
pub fn first_page(run: &mut crawl::SiteCrawl) -> crawl::FetchTask {
    let mut input = Input::Begin;
    loop {
        let actions = run.handle(input, Millis(0));
        let Some(Action::Fetch(task)) = actions.into_iter().next() else { panic!("no request") };
        match task.purpose {
            Purpose::Url { .. } => return task,
            Purpose::Robots { .. } => {
                let head = crawl::ResponseHead { status: 404, ..crawl::ResponseHead::default() };
                let response = page::parse_response(&task, head, b"");
                input = Input::Answered(task, Box::new(response));
            }
        }
    }
}

#[test]
fn response_of_an_unknown_url_fails_the_run() {
    let mut run = start(Mode::Links, plan());
    let mut task = first_page(&mut run);
    let Purpose::Url { id, .. } = &mut task.purpose else { panic!("a page") };
    *id = UrlId(77);
    let actions = run.handle(Input::Failed(task, Cause::Timeout), Millis(1));
    let error = EngineError::from(UrlStateError::UnknownId(UrlId(77)));
    assert_eq!(actions, [Action::Fail(error)]);
    assert_eq!(run.handle(Input::Tick, Millis(2)), [], "the run is over");
}

#[test]
fn second_response_to_a_request_fails_the_run() {
    let mut run = start(Mode::Links, plan());
    let task = first_page(&mut run);
    let failed = Input::Failed(task.clone(), Cause::Timeout);
    assert!(matches!(run.handle(failed, Millis(1))[..], [Action::WakeAt(_)]), "it is retried");
    let actions = run.handle(Input::Failed(task, Cause::Timeout), Millis(2));
    let [Action::Fail(EngineError::UrlState(error))] = actions[..] else { panic!("{actions:?}") };
    assert!(matches!(error, UrlStateError::Unexpected { .. }), "{error}");
}

#[test]
fn log_that_refers_to_an_unknown_url_is_rejected() {
    let run = crawl(&Site::of(&[("https://site.test/", "<a href=/a>")]), plan());
    let mut log: Vec<Commit> = run.commits;
    let mut steps = log.iter_mut().flat_map(|commit| &mut commit.steps);
    let finished = steps.find_map(|step| match step {
        Step::Finished(finished) => Some(finished),
        _ => None,
    });
    finished.expect("a finished URL").linked.push(UrlId(500));
    let replayed = registry::replay_site_crawl(Mode::Links, plan(), None, &log);
    let Err(SiteCrawlError::Replay(error)) = replayed else { panic!("it replays") };
    assert!(matches!(error, ReplayError::UnknownUrl(UrlId(500))), "{error}");
}
