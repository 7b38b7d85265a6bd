//! Where the home page of a domain is found.

use std::time::Duration;

use crawl::{Asked, VisitPlan};
use journal::Cause;
use privacy::BlockedDomains;
use privacy::Denylist;
use urls::CanonicalUrl;

use super::tour::{Web, plan, tour};
use crate::script::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

#[test]
fn https_is_tried_before_http_and_the_bare_name_before_www() {
    let web = Web::of(&[("http://www.firm.test/", HOME)]);
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(
        tour.urls()[..5],
        [
            "https://firm.test/robots.txt",
            "https://www.firm.test/robots.txt",
            "http://firm.test/robots.txt",
            "http://www.firm.test/robots.txt",
            "http://www.firm.test/",
        ]
    );
    assert!(tour.time_of("http://www.firm.test/") < 100, "nobody waits for a closed door");
    assert_eq!(tour.record("firm.test").redirected_to, None, "www. is the same domain");
    assert_eq!(tour.record("firm.test").pages_checked, 1);
}

#[test]
fn a_door_that_is_silent_is_not_waited_for() {
    let web = Web::of(&[("http://firm.test/", HOME)])
        .silent("https://firm.test", 30)
        .silent("https://www.firm.test", 30);
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.time_of("https://www.firm.test/robots.txt"), 3_000);
    assert_eq!(tour.time_of("http://firm.test/robots.txt"), 6_000);
    assert_eq!(tour.status("firm.test"), "none");
    assert!(tour.ended_at.0 < 7_000, "what is silent is abandoned: {}", tour.ended_at.0);
}

#[test]
fn a_name_that_does_not_exist_is_asked_for_once() {
    let mut web = Web::default();
    for host in ["firm.test", "www.firm.test"] {
        for scheme in ["https", "http"] {
            let robots = format!("{scheme}://{host}/robots.txt");
            web.site = web.site.with(&robots, Answer::Fails(Cause::NameNotFound));
        }
    }
    let tour = tour(&web, plan(&["firm.test"]));
    let asked = ["https://firm.test/robots.txt", "https://www.firm.test/robots.txt"];
    assert_eq!(tour.urls(), asked, "http would find nobody either");
    assert_eq!(tour.status("firm.test"), "unreachable");
}

#[test]
fn a_redirect_to_another_domain_is_followed_and_told() {
    let mut web = Web::of(&[("https://www.other.test/start", HOME)]);
    web.site = web.site.moved("https://firm.test/", "https://other.test/");
    web.site = web.site.moved("https://other.test/", "https://www.other.test/start");
    let tour = tour(&web, plan(&["firm.test"]));
    let record = tour.record("firm.test");
    assert_eq!(record.redirected_to.as_deref(), Some("other.test"));
    assert!(tour.urls().contains(&"https://other.test/robots.txt"), "its rules are asked for");
}

#[test]
fn a_page_that_only_sends_on_is_a_redirect() {
    let refresh = "<meta http-equiv=refresh content=\"0; url=/de/start.html\">";
    let web =
        Web::of(&[("https://firm.test/", refresh), ("https://firm.test/de/start.html", HOME)]);
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.record("firm.test").pages_checked, 1);
    assert!(tour.urls().contains(&"https://firm.test/de/start.html"));
}

#[test]
fn redirects_that_lead_nowhere_end() {
    let mut web = Web::default();
    web.site = web.site.moved("https://firm.test/", "https://firm.test/a");
    web.site = web.site.moved("https://firm.test/a", "https://firm.test/");
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.status("firm.test"), "unreachable");
    assert!(tour.asked.len() < 30, "{}", tour.asked.len());
}

#[test]
fn a_blocked_domain_is_not_visited_however_it_is_come_to() {
    let mut web = Web::of(&[("https://banned.test/", HOME)]);
    web.site = web.site.moved("https://firm.test/", "https://banned.test/");
    let blocked_domains = BlockedDomains::new(["banned.test"]);
    let denylist = Denylist { blocked_domains, ..Denylist::default() };
    let plan = VisitPlan { denylist, ..plan(&["firm.test", "banned.test"]) };
    let tour = tour(&web, plan);
    assert_eq!([tour.status("firm.test"), tour.status("banned.test")], ["blocked"; 2]);
    assert!(!tour.urls().iter().any(|url| url.contains("banned")), "{:?}", tour.urls());
}

#[test]
fn a_url_is_the_only_door_and_is_tried_twice() {
    let url = CanonicalUrl::parse("http://www.firm.test:8080/about/us").expect("a URL");
    let mut web = Web::default();
    let timeout = Answer::Fails(Cause::Timeout);
    web.site = web.site.with(url.as_str(), timeout).with(url.as_str(), Answer::Html(HOME.into()));
    let tour = tour(&web, VisitPlan::new(vec![Asked::Url(url)]));
    assert_eq!(tour.pages()[..2], ["http://www.firm.test:8080/about/us"; 2]);
    assert!(tour.pages().iter().all(|url| url.starts_with("http://www.firm.test:8080/")));
    assert_eq!(tour.record("firm.test").pages_checked, 1);
}

#[test]
fn a_visit_has_a_budget_from_its_first_request_on() {
    let mut web = Web::default();
    for host in ["firm.test", "www.firm.test"] {
        web = web.silent(&format!("https://{host}"), 90).silent(&format!("http://{host}"), 90);
    }
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!((tour.status("firm.test"), tour.ended_at.0), ("unreachable", 60_000));
    let budget = Duration::from_secs(5);
    let short = super::tour::tour(&web, VisitPlan { budget, ..plan(&["firm.test"]) });
    assert_eq!(short.ended_at.0, 5_000);
}
