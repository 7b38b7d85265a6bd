//! Which entry URL of a domain is its home page.

use std::time::Duration;

use crawl::{VisitPlan, VisitTarget};
use journal::Cause;
use privacy::{BlockedDomains, Denylist};
use urls::CanonicalUrl;

use super::visit_harness::{Web, plan, run_visits};
use crate::harness::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

#[test]
fn https_is_tried_before_http_and_the_bare_name_before_www() {
    let web = Web::of(&[("http://www.firm.test/", HOME)]);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(
        run.urls()[..5],
        [
            "https://firm.test/robots.txt",
            "https://www.firm.test/robots.txt",
            "http://firm.test/robots.txt",
            "http://www.firm.test/robots.txt",
            "http://www.firm.test/",
        ]
    );
    assert!(
        run.time_of("http://www.firm.test/") < 100,
        "a refused connection does not delay the next entry"
    );
    assert_eq!(run.record("firm.test").redirected_to, None, "www. is the same domain");
    assert_eq!(run.record("firm.test").pages_checked, 1);
}

#[test]
fn silent_entry_url_does_not_block_the_next() {
    let web = Web::of(&[("http://firm.test/", HOME)])
        .silent("https://firm.test", 30)
        .silent("https://www.firm.test", 30);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.time_of("https://www.firm.test/robots.txt"), 3_000);
    assert_eq!(run.time_of("http://firm.test/robots.txt"), 6_000);
    assert_eq!(run.status("firm.test"), "none");
    assert!(run.ended_at.0 < 7_000, "silent entries are abandoned: {}", run.ended_at.0);
}

#[test]
fn unknown_host_is_requested_once() {
    let mut web = Web::default();
    for host in ["firm.test", "www.firm.test"] {
        for scheme in ["https", "http"] {
            let robots = format!("{scheme}://{host}/robots.txt");
            web.site = web.site.with(&robots, Answer::Failure(Cause::NameNotFound));
        }
    }
    let run = run_visits(&web, plan(&["firm.test"]));
    let requests = ["https://firm.test/robots.txt", "https://www.firm.test/robots.txt"];
    assert_eq!(run.urls(), requests, "http has the same host");
    assert_eq!(run.status("firm.test"), "unreachable");
}

#[test]
fn redirect_to_another_domain_is_followed_and_reported() {
    let mut web = Web::of(&[("https://www.other.test/start", HOME)]);
    web.site = web.site.moved("https://firm.test/", "https://other.test/");
    web.site = web.site.moved("https://other.test/", "https://www.other.test/start");
    let run = run_visits(&web, plan(&["firm.test"]));
    let record = run.record("firm.test");
    assert_eq!(record.redirected_to.as_deref(), Some("other.test"));
    assert!(run.urls().contains(&"https://other.test/robots.txt"), "its rules are requested");
}

#[test]
fn meta_refresh_page_is_a_redirect() {
    let refresh = "<meta http-equiv=refresh content=\"0; url=/de/start.html\">";
    let web =
        Web::of(&[("https://firm.test/", refresh), ("https://firm.test/de/start.html", HOME)]);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.record("firm.test").pages_checked, 1);
    assert!(run.urls().contains(&"https://firm.test/de/start.html"));
}

#[test]
fn redirect_loop_ends_the_visit() {
    let mut web = Web::default();
    web.site = web.site.moved("https://firm.test/", "https://firm.test/a");
    web.site = web.site.moved("https://firm.test/a", "https://firm.test/");
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.status("firm.test"), "unreachable");
    assert!(run.requests.len() < 30, "{}", run.requests.len());
}

#[test]
fn denylisted_domain_is_not_visited_by_redirect_either() {
    let mut web = Web::of(&[("https://banned.test/", HOME)]);
    web.site = web.site.moved("https://firm.test/", "https://banned.test/");
    let blocked_domains = BlockedDomains::new(["banned.test"]);
    let denylist = Denylist { blocked_domains, ..Denylist::default() };
    let plan = VisitPlan { denylist, ..plan(&["firm.test", "banned.test"]) };
    let run = run_visits(&web, plan);
    assert_eq!([run.status("firm.test"), run.status("banned.test")], ["blocked"; 2]);
    assert!(!run.urls().iter().any(|url| url.contains("banned")), "{:?}", run.urls());
}

#[test]
fn url_target_is_the_only_entry_and_is_retried() {
    let url = CanonicalUrl::parse("http://www.firm.test:8080/about/us").expect("a URL");
    let mut web = Web::default();
    let timeout = Answer::Failure(Cause::Timeout);
    web.site = web.site.with(url.as_str(), timeout).with(url.as_str(), Answer::Html(HOME.into()));
    let run = run_visits(&web, VisitPlan::new(vec![VisitTarget::Url(url)]));
    assert_eq!(run.pages()[..2], ["http://www.firm.test:8080/about/us"; 2]);
    assert!(run.pages().iter().all(|url| url.starts_with("http://www.firm.test:8080/")));
    assert_eq!(run.record("firm.test").pages_checked, 1);
}

#[test]
fn visit_ends_when_its_time_budget_is_used() {
    let mut web = Web::default();
    for host in ["firm.test", "www.firm.test"] {
        web = web.silent(&format!("https://{host}"), 90).silent(&format!("http://{host}"), 90);
    }
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!((run.status("firm.test"), run.ended_at.0), ("unreachable", 60_000));
    let budget = Duration::from_secs(5);
    let short =
        super::visit_harness::run_visits(&web, VisitPlan { budget, ..plan(&["firm.test"]) });
    assert_eq!(short.ended_at.0, 5_000);
}

#[test]
fn sixth_robots_redirect_to_a_denylisted_domain_blocks_the_visit() {
    let name = |hop: usize| match hop {
        0 => "https://firm.test/robots.txt".to_owned(),
        6 => "https://banned.test/robots.txt".to_owned(),
        _ => format!("https://firm.test/{hop}/robots.txt"),
    };
    let mut web = Web::of(&[("https://firm.test/", HOME)]);
    for hop in 0..6 {
        web.site = web.site.moved(&name(hop), &name(hop + 1));
    }
    let blocked_domains = BlockedDomains::new(["banned.test"]);
    let denylist = Denylist { blocked_domains, ..Denylist::default() };
    let run = run_visits(&web, VisitPlan { denylist, ..plan(&["firm.test"]) });
    assert_eq!(run.status("firm.test"), "blocked");
    assert!(run.pages().is_empty(), "{:?}", run.pages());
}
