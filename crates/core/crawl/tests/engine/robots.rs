//! robots.txt: asked for first, and never taken for permission when it cannot be read.

use std::time::Duration;

use contract::{ErrorCode, FetchFault, IndexReason, Scope};
use crawl::{Action, Plan, Purpose};
use job::RunEnding;
use journal::Cause;

use crate::script::{Answer, Run, Site, crawl, plan};

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
        Action::Finish(RunEnding::Nothing { code, .. }) => *code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_rules_come_first_and_are_kept() {
    let run = crawl(&home().robots("User-agent: Trawl\nDisallow: /private"), plan());
    assert!(matches!(run.asked[0].0.purpose, Purpose::Robots { .. }));
    assert_eq!(run.pages_asked(), ["https://site.test/", "https://site.test/b"]);
    assert_eq!(run.times(ROBOTS).len(), 1);
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn what_they_close_is_recorded_among_the_broken_without_being_asked() {
    let scope = Scope { include_broken: true, ..Scope::default() };
    let site = home().robots("User-agent: *\nDisallow: /private");
    let run = crawl(&site, Plan { scope, ..plan() });
    let item = run.item("https://site.test/private/a");
    assert_eq!((item.status_code, item.error), (None, Some(FetchFault::Robots)));
    assert_eq!((item.indexable, item.index_reason), (Some(false), Some(IndexReason::Robots)));
    assert!(!item.broken && item.fetched_at.is_none());
    assert_eq!(run.units, 2, "such a record is free");
}

#[test]
fn a_closed_site_is_blocked() {
    let run = crawl(&home().robots("User-agent: *\nDisallow: /"), plan());
    assert_eq!(code(&run), ErrorCode::TargetBlocked);
    assert!(run.pages_asked().is_empty());
}

#[test]
fn rules_that_cannot_be_read_are_no_permission() {
    for (answer, expected) in [
        (Answer::Status(503), ErrorCode::ServerError),
        (Answer::Status(429), ErrorCode::RateLimited),
        (Answer::Fails(Cause::Timeout), ErrorCode::ServerError),
        (Answer::Fails(Cause::Connect), ErrorCode::ServerError),
    ] {
        let run = crawl(&home().with(ROBOTS, answer.clone()), plan());
        assert_eq!(code(&run), expected, "{answer:?}");
        assert!(run.pages_asked().is_empty());
        assert_eq!(run.times(ROBOTS), [0, 10_010, 20_020], "three tries in 30 s: {answer:?}");
    }
}

#[test]
fn a_robots_txt_that_comes_late_is_waited_for() {
    let site = home()
        .with(ROBOTS, Answer::Status(503))
        .with(ROBOTS, Answer::Fails(Cause::Timeout))
        .with(ROBOTS, Answer::Text("User-agent: *\nDisallow: /private".to_owned()));
    assert_eq!(crawl(&site, plan()).urls(), ["https://site.test/", "https://site.test/b"]);
}

#[test]
fn a_missing_robots_txt_allows_everything() {
    for status in [401, 403, 404, 410] {
        let run = crawl(&home().with(ROBOTS, Answer::Status(status)), plan());
        assert_eq!(run.urls().len(), 3, "{status}");
    }
}

#[test]
fn five_redirects_of_it_are_followed() {
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
fn a_robots_txt_on_a_blocked_domain_is_not_asked_for() {
    let site = home().moved(ROBOTS, "https://bad.test/robots.txt");
    let blocked_domains = privacy::BlockedDomains::new(["bad.test"]);
    let denylist = privacy::Denylist { blocked_domains, ..Default::default() };
    let run = crawl(&site, Plan { denylist, ..plan() });
    assert!(run.asked.iter().all(|(task, _)| task.url.host() == "site.test"));
}

#[test]
fn the_crawl_delay_is_kept_up_to_ten_seconds() {
    for (text, gap) in [("2.5", 2_500), ("60", 10_000)] {
        let run = crawl(&home().robots(&format!("User-agent: *\nCrawl-delay: {text}")), plan());
        let gaps: Vec<_> = run.asked[1..].iter().map(|(task, _)| task.gap).collect();
        assert_eq!(gaps, [Some(Duration::from_millis(gap)); 3]);
    }
    assert_eq!(crawl(&home(), plan()).asked[1].0.gap, None);
}

#[test]
fn a_host_below_without_rules_costs_the_site_nothing() {
    let site = Site::of(&[("https://site.test/", "<a href=https://shop.site.test/>")])
        .with("https://shop.site.test/robots.txt", Answer::Status(500));
    let scope = Scope { include_subdomains: true, include_broken: true, ..Scope::default() };
    let run = crawl(&site, Plan { scope, ..plan() });
    assert_eq!(run.item("https://shop.site.test/").error, Some(FetchFault::Robots));
    assert_eq!(run.end, Action::Finish(RunEnding::Complete));
}

#[test]
fn an_origin_that_could_not_say_is_not_asked_again() {
    let rules = "https://shop.site.test/robots.txt";
    for status in [500, 429] {
        let site = Site::of(&[
            ("https://site.test/", "<a href=https://shop.site.test/1></a><a href=/a>"),
            // Found when the verdict has long been known.
            ("https://site.test/b", "<a href=https://shop.site.test/2>"),
        ])
        .with("https://site.test/a", Answer::Wait(503, 50))
        .with("https://site.test/a", Answer::Html("<a href=/b>".to_owned()))
        .with(rules, Answer::Status(status));
        let scope = Scope { include_subdomains: true, include_broken: true, ..Scope::default() };
        let run = crawl(&site, Plan { scope, ..plan() });
        assert_eq!(run.times(rules).len(), 3, "the verdict is a fact of the run");
        assert_eq!(run.item("https://shop.site.test/2").error, Some(FetchFault::Robots));
        assert_eq!(run.items.len(), 5);
    }
}
