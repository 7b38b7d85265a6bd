//! How a run ends, by what it met.

use contract::ErrorCode;
use crawl::{Action, Plan};
use job::Ending;
use journal::Cause;

use crate::script::{Answer, Site, crawl, plan};

const HOME: &str = "https://site.test/";

#[test]
fn nothing_to_deliver_is_told_by_its_cause() {
    for (answer, code) in [
        (Answer::Status(404), ErrorCode::NoData),
        (Answer::Status(410), ErrorCode::NoData),
        (Answer::Status(401), ErrorCode::TargetBlocked),
        (Answer::Status(403), ErrorCode::TargetBlocked),
        (Answer::Status(451), ErrorCode::TargetBlocked),
        (Answer::Status(429), ErrorCode::RateLimited),
        (Answer::Status(500), ErrorCode::ServerError),
        (Answer::Status(503), ErrorCode::ServerError),
        (Answer::Fails(Cause::Timeout), ErrorCode::ServerError),
        (Answer::Fails(Cause::Connect), ErrorCode::ServerError),
        (Answer::Fails(Cause::Tls), ErrorCode::ServerError),
        (Answer::Fails(Cause::NameNotFound), ErrorCode::UrlNotResolved),
        (Answer::Fails(Cause::AddressRefused), ErrorCode::InvalidUrl),
        (Answer::Fails(Cause::Bug), ErrorCode::PipelineBug),
        (Answer::File, ErrorCode::NoData),
    ] {
        let run = crawl(&Site::default().with(HOME, answer.clone()), plan());
        let Action::Finish(Ending::Nothing { code: told, message }) = &run.end else {
            panic!("{answer:?} ended as {:?}", run.end);
        };
        assert_eq!(*told, code, "{answer:?}");
        assert!(!message.is_empty() && run.items.is_empty());
    }
}

#[test]
fn the_name_is_judged_before_the_rules_are_read() {
    for (cause, code) in [
        (Cause::NameNotFound, ErrorCode::UrlNotResolved),
        (Cause::AddressRefused, ErrorCode::InvalidUrl),
        (Cause::Tls, ErrorCode::ServerError),
    ] {
        let site = Site::default().with("https://site.test/robots.txt", Answer::Fails(cause));
        let run = crawl(&site, plan());
        assert!(
            matches!(&run.end, Action::Finish(Ending::Nothing { code: told, .. }) if *told == code),
            "{cause:?}: {:?}",
            run.end
        );
        assert_eq!(run.asked.len(), 1, "no other try will say otherwise");
    }
}

#[test]
fn more_than_a_fifth_of_failures_makes_a_partial_result() {
    for (pages, failing, ending) in
        [(5, 1, Ending::Complete), (9, 2, Ending::Partial), (10, 2, Ending::Complete)]
    {
        let mut html = String::new();
        let mut site = Site::default();
        for page in 1..pages {
            html += &format!("<a href=/{page}></a>");
            let url = format!("https://site.test/{page}");
            let answer = match page {
                1 if failing > 0 => Answer::Status(500),
                2 if failing > 1 => Answer::Fails(Cause::Timeout),
                _ => Answer::Html(format!("page {page}")),
            };
            site = site.with(&url, answer);
        }
        let run = crawl(&site.with(HOME, Answer::Html(html)), plan());
        assert_eq!(run.end, Action::Finish(ending), "{failing} of {pages}");
    }
}

#[test]
fn what_is_not_there_is_no_failure_of_the_site() {
    let html = "<a href=/1></a><a href=/2></a><a href=/3></a>";
    let run = crawl(&Site::of(&[(HOME, html)]), Plan { concurrency: 1, ..plan() });
    assert_eq!(run.end, Action::Finish(Ending::Complete));
}
