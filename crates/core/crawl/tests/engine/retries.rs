//! Which failures are retried, and when.

use contract::{FetchFault, Millis, Scope};
use crawl::{Action, CrawlPlan, Engine, FetchTask, Input, ResponseHead};
use journal::Cause;

use crate::harness::{Answer, Site, crawl, plan, start};

const A: &str = "https://site.test/a";

fn with(answers: &[Answer]) -> Site {
    let site = Site::of(&[("https://site.test/", "<a href=/a>")]);
    answers.iter().fold(site, |site, answer| site.with(A, answer.clone()))
}

fn broken() -> CrawlPlan {
    CrawlPlan { scope: Scope { include_broken: true, ..Scope::default() }, ..plan() }
}

fn page() -> Answer {
    Answer::Html("words".to_owned())
}

/// The delays between attempts, without the response time.
fn waits(times: &[i64]) -> Vec<i64> {
    times.windows(2).map(|pair| pair[1] - pair[0] - 10).collect()
}

#[test]
fn transient_failure_is_retried_twice() {
    for answer in [
        Answer::Status(500),
        Answer::Status(502),
        Answer::Status(503),
        Answer::Failure(Cause::Timeout),
        Answer::Failure(Cause::Connect),
        Answer::Failure(Cause::NameServer),
    ] {
        let run = crawl(&with(&[answer.clone(), answer.clone(), page()]), broken());
        let item = run.item(A);
        assert_eq!((item.status_code, item.error), (Some(200), None), "{answer:?}");
        assert_eq!(waits(&run.times(A)), [1_000, 4_000]);
        let run = crawl(&with(std::slice::from_ref(&answer)), broken());
        assert_eq!(run.times(A).len(), 3, "{answer:?}");
        let item = run.item(A);
        assert!(item.broken && item.status_code != Some(200), "{answer:?}");
        assert_eq!(run.units, 1, "what is broken is free");
    }
}

#[test]
fn permanent_failure_is_not_retried() {
    for (answer, error) in [
        (Answer::Status(404), None),
        (Answer::Status(410), None),
        (Answer::Status(403), None),
        (Answer::Failure(Cause::Tls), Some(FetchFault::Tls)),
        (Answer::Failure(Cause::TooLarge), Some(FetchFault::TooLarge)),
        (Answer::Failure(Cause::NameNotFound), Some(FetchFault::Dns)),
        (Answer::Failure(Cause::Bug), Some(FetchFault::Http)),
    ] {
        let run = crawl(&with(std::slice::from_ref(&answer)), broken());
        assert_eq!(run.times(A).len(), 1, "{answer:?}");
        assert_eq!(run.item(A).error, error);
        assert!(run.item(A).broken);
        let quiet = crawl(&with(&[answer]), plan());
        assert_eq!(quiet.urls(), ["https://site.test/"], "by default only what answered 2xx");
    }
}

#[test]
fn retry_after_is_honoured_up_to_a_minute() {
    for (seconds, waited) in [(7, 7_000), (600, 60_000)] {
        let run = crawl(&with(&[Answer::Wait(503, seconds), page()]), plan());
        assert_eq!(waits(&run.times(A)), [waited], "Retry-After: {seconds}");
        assert_eq!(run.item(A).status_code, Some(200));
    }
}

#[test]
fn rate_limit_is_retried_for_a_minute() {
    let run = crawl(&with(&[Answer::Wait(429, 25)]), broken());
    assert_eq!(waits(&run.times(A)), [25_000, 25_000]);
    assert_eq!(run.item(A).status_code, Some(429));
    let run = crawl(&with(&[Answer::Status(429), Answer::Status(429), page()]), plan());
    assert_eq!(run.item(A).status_code, Some(200));
}

/// A slow response must not delay an unrelated retry.
#[test]
fn retry_wakes_the_driver_while_others_are_in_flight() {
    let mut crawl = start(contract::Mode::Links, plan());
    let fetch = |actions: Vec<Action>| -> Vec<FetchTask> {
        let tasks = actions.into_iter().filter_map(|action| match action {
            Action::Fetch(task) => Some(task),
            Action::Abandon(_)
            | Action::WakeAt(_)
            | Action::ReachBoundary
            | Action::Escalate(_)
            | Action::Finish(_)
            | Action::Fail(_) => None,
        });
        tasks.collect()
    };
    let answered = |task: &FetchTask, status, body: &str| {
        let content_type = Some("text/html".to_owned());
        let head = ResponseHead { status, content_type, ..ResponseHead::default() };
        Input::Answered(task.clone(), Box::new(page::parse_response(task, head, body.as_bytes())))
    };
    let robots = fetch(crawl.handle(Input::Begin, Millis(0))).remove(0);
    let home = fetch(crawl.handle(answered(&robots, 404, ""), Millis(1))).remove(0);
    let links = "<a href=/a></a><a href=/slow>";
    let pages = fetch(crawl.handle(answered(&home, 200, links), Millis(2)));
    assert_eq!(pages.len(), 2);
    let failed = Input::Failed(pages[0].clone(), Cause::Timeout);
    assert_eq!(crawl.handle(failed, Millis(3)), [Action::WakeAt(Millis(1_003))]);
    let again = fetch(crawl.handle(Input::Tick, Millis(1_003)));
    assert_eq!(again[0].url, pages[0].url);
}

#[test]
fn redirect_target_has_its_own_retries() {
    let site = Site::of(&[("https://site.test/", "<a href=https://other.test/a>")])
        .with("https://other.test/a", Answer::Failure(Cause::Timeout))
        .with("https://other.test/a", Answer::Failure(Cause::Timeout))
        .moved("https://other.test/a", "/b")
        .with("https://other.test/b", Answer::Failure(Cause::Timeout))
        .with("https://other.test/b", page());
    let scope = Scope { include_external: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.item("https://other.test/a").status_code, Some(200));
}
