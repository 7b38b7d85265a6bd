//! robots.txt is fetched first; if it cannot be read, nothing is fetched.

use std::time::Duration;

use contract::{ErrorCode, FailureCause, FetchFault, IndexReason, JobError, Scope};
use crawl::{Action, CrawlPlan, Purpose};
use job::RunEnding;
use journal::Cause;

use crate::harness::{Answer, Run, Site, crawl, plan};

const ROBOTS: &str = "https://site.test/robots.txt";

fn home() -> Site {
    Site::of(&[
        ("https://site.test/", "<a href=/private/a></a><a href=/b>"),
        ("https://site.test/private/a", ""),
        ("https://site.test/b", ""),
    ])
}

fn code(run: &Run) -> ErrorCode {
    match &run.end {
        Action::Finish(RunEnding::Nothing(JobError { code, .. })) => *code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn robots_txt_is_fetched_first_and_obeyed() {
    let run = crawl(&home().robots("User-agent: Trawl\nDisallow: /private"), plan());
    assert!(matches!(run.requests[0].0.purpose, Purpose::Robots { .. }));
    assert_eq!(run.pages_requested(), ["https://site.test/", "https://site.test/b"]);
    assert_eq!(run.times(ROBOTS).len(), 1);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn forbidden_urls_are_reported_without_a_request() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let site = home().robots("User-agent: *\nDisallow: /private");
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    let item = run.item("https://site.test/private/a");
    assert_eq!((item.status_code, item.error), (None, Some(FetchFault::Robots)));
    assert_eq!((item.indexable, item.index_reason), (Some(false), Some(IndexReason::Robots)));
    assert!(!item.broken && item.fetched_at.is_none());
    assert_eq!(run.units, 2, "such a record is free");
}

#[test]
fn forbidden_site_ends_as_blocked() {
    let run = crawl(&home().robots("User-agent: *\nDisallow: /"), plan());
    assert_eq!(code(&run), ErrorCode::TargetBlocked);
    assert!(run.pages_requested().is_empty());
}

#[test]
fn unreadable_robots_txt_forbids_everything() {
    for (answer, expected) in [
        (Answer::Status(503), ErrorCode::ServerError),
        (Answer::Status(429), ErrorCode::RateLimited),
        (Answer::Failure(Cause::Timeout), ErrorCode::ServerError),
        (Answer::Failure(Cause::Connect), ErrorCode::ServerError),
    ] {
        let run = crawl(&home().with(ROBOTS, answer.clone()), plan());
        assert_eq!(code(&run), expected, "{answer:?}");
        assert!(run.pages_requested().is_empty());
        assert_eq!(run.times(ROBOTS), [0, 10_010, 20_020], "three tries in 30 s: {answer:?}");
    }
}

#[test]
fn host_that_refuses_connections_is_tried_twice_within_a_second() {
    let site = home().with(ROBOTS, Answer::Failure(Cause::ConnectionRefused));
    let run = crawl(&site, plan());
    let Action::Finish(RunEnding::Nothing(error)) = &run.end else { panic!("{:?}", run.end) };
    assert_eq!(error.code, ErrorCode::ServerError);
    assert_eq!(error.cause, Some(FailureCause::ConnectionRefused));
    assert!(error.message.contains("refuses connections"), "{}", error.message);
    assert_eq!(run.times(ROBOTS), [0, 510]);
}

#[test]
fn start_page_that_refuses_connections_is_tried_twice_within_two_seconds() {
    let site =
        Site::default().with("https://site.test/", Answer::Failure(Cause::ConnectionRefused));
    let run = crawl(&site, plan());
    let Action::Finish(RunEnding::Nothing(error)) = &run.end else { panic!("{:?}", run.end) };
    assert_eq!(error.cause, Some(FailureCause::ConnectionRefused), "{}", error.message);
    let times = run.times("https://site.test/");
    assert!(times.len() == 2 && times[1] - times[0] < 2_000, "{times:?}");
}

#[test]
fn failing_robots_txt_is_retried() {
    let site = home()
        .with(ROBOTS, Answer::Status(503))
        .with(ROBOTS, Answer::Failure(Cause::Timeout))
        .with(ROBOTS, Answer::Text("User-agent: *\nDisallow: /private".to_owned()));
    assert_eq!(crawl(&site, plan()).urls(), ["https://site.test/", "https://site.test/b"]);
}

#[test]
fn missing_robots_txt_allows_everything() {
    for status in [401, 403, 404, 410] {
        let run = crawl(&home().with(ROBOTS, Answer::Status(status)), plan());
        assert_eq!(run.urls().len(), 3, "{status}");
    }
}

#[test]
fn five_redirects_of_robots_txt_are_followed() {
    for (hops, delivered) in [(1, 2), (5, 2), (6, 3)] {
        let mut site = home();
        let name = |hop: usize| match hop {
            0 => ROBOTS.to_owned(),
            _ => format!("https://rules.test/{hop}/robots.txt"),
        };
        for hop in 0..hops {
            site = site.moved(&name(hop), &name(hop + 1));
        }
        let rules = "User-agent: *\nDisallow: /private".to_owned();
        let run = crawl(&site.with(&name(hops), Answer::Text(rules)), plan());
        assert_eq!(run.items.len(), delivered, "{hops} redirects");
    }
}

#[test]
fn robots_txt_on_a_denylisted_domain_is_not_requested() {
    let blocked_domains = privacy::BlockedDomains::new(["bad.test"]);
    let denylist = privacy::Denylist { blocked_domains, ..Default::default() };
    // The sixth redirect is not followed, and still no rules are assumed.
    for hops in [1, 6] {
        let name = |hop: usize| match hop {
            0 => ROBOTS.to_owned(),
            _ if hop == hops => "https://bad.test/robots.txt".to_owned(),
            _ => format!("https://site.test/{hop}/robots.txt"),
        };
        let site = (0..hops).fold(home(), |site, hop| site.moved(&name(hop), &name(hop + 1)));
        let run = crawl(&site, CrawlPlan { denylist: denylist.clone(), ..plan() });
        assert!(run.requests.iter().all(|(task, _)| task.url.host() == "site.test"));
        assert_eq!(code(&run), ErrorCode::BlacklistedDomain, "{hops} redirects");
    }
}

#[test]
fn crawl_delay_is_honoured_up_to_ten_seconds() {
    for (text, gap) in [("2.5", 2_500), ("60", 10_000)] {
        let run = crawl(&home().robots(&format!("User-agent: *\nCrawl-delay: {text}")), plan());
        let gaps: Vec<_> = run.requests[1..].iter().map(|(task, _)| task.gap).collect();
        assert_eq!(gaps, [Some(Duration::from_millis(gap)); 3]);
    }
    assert_eq!(crawl(&home(), plan()).requests[1].0.gap, None);
}

#[test]
fn subdomain_with_failing_robots_txt_does_not_block_the_site() {
    let site = Site::of(&[("https://site.test/", "<a href=https://shop.site.test/>")])
        .with("https://shop.site.test/robots.txt", Answer::Status(500));
    let scope = Scope { include_subdomains: true, include_broken: true, ..Scope::default() };
    let run = crawl(&site, CrawlPlan { scope, ..plan() });
    assert_eq!(run.item("https://shop.site.test/").error, Some(FetchFault::Robots));
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn failed_robots_txt_is_not_requested_again() {
    let rules = "https://shop.site.test/robots.txt";
    for status in [500, 429] {
        let site = Site::of(&[
            ("https://site.test/", "<a href=https://shop.site.test/1></a><a href=/a>"),
            // Found after robots.txt of its host has failed.
            ("https://site.test/b", "<a href=https://shop.site.test/2>"),
        ])
        .with("https://site.test/a", Answer::Wait(503, 50))
        .with("https://site.test/a", Answer::Html("<a href=/b>".to_owned()))
        .with(rules, Answer::Status(status));
        let scope = Scope { include_subdomains: true, include_broken: true, ..Scope::default() };
        let run = crawl(&site, CrawlPlan { scope, ..plan() });
        assert_eq!(run.times(rules).len(), 3, "the verdict is a fact of the run");
        assert_eq!(run.item("https://shop.site.test/2").error, Some(FetchFault::Robots));
        assert_eq!(run.items.len(), 5);
    }
}
