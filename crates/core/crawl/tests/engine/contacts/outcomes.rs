//! The record status of a domain, and its units.

use crawl::{Action, Capabilities, FetchVia, VisitPlan};
use job::RunEnding;
use journal::Cause;

use super::visit_harness::{Web, drive, plan, run_visits};
use crate::harness::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

fn answering(answer: &Answer) -> Web {
    let mut web = Web::default();
    for entry in ["https://firm.test/", "https://www.firm.test/", "http://firm.test/"] {
        web.site = web.site.with(entry, answer.clone());
    }
    web
}

#[test]
fn record_status_follows_from_entry_responses() {
    for (answer, status) in [
        (Answer::Html(HOME.to_owned()), "none"),
        (Answer::Status(404), "none"),
        (Answer::File, "none"),
        (Answer::Status(401), "blocked"),
        (Answer::Status(403), "blocked"),
        (Answer::Status(451), "blocked"),
        (Answer::Status(503), "unreachable"),
        (Answer::Status(500), "unreachable"),
        (Answer::Challenge, "blocked"),
        (Answer::Wait(429, 600), "blocked"),
        (Answer::Failure(Cause::Timeout), "unreachable"),
        (Answer::Failure(Cause::AddressRefused), "unreachable"),
        (Answer::Failure(Cause::Tls), "unreachable"),
    ] {
        let run = run_visits(&answering(&answer), plan(&["firm.test"]));
        assert_eq!(run.status("firm.test"), status, "{answer:?}");
        assert_eq!(run.records.len(), 1, "{answer:?}");
        assert_eq!(run.units(), 0, "only what was found is charged: {answer:?}");
        assert_eq!(run.end, Action::Finish(RunEnding::Complete), "{answer:?}");
        assert!(run.ended_at.0 <= 60_000, "{answer:?}");
    }
}

#[test]
fn robots_txt_is_obeyed() {
    let mut web = Web::of(&[("https://firm.test/", HOME), ("http://firm.test/", HOME)]);
    let forbids = Answer::Text("User-agent: *\nDisallow: /".to_owned());
    web.site = web.site.with("https://firm.test/robots.txt", forbids);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.status("firm.test"), "blocked");
    assert_eq!(run.urls(), ["https://firm.test/robots.txt"], "one forbidden entry URL is enough");
}

#[test]
fn unreadable_robots_txt_blocks_the_domain() {
    let mut web = Web::of(&[("https://firm.test/", HOME)]);
    web.site = web.site.with("https://firm.test/robots.txt", Answer::Status(503));
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.status("firm.test"), "unreachable");
    assert!(run.pages().is_empty(), "{:?}", run.pages());
    let requests = run.urls().iter().filter(|url| **url == "https://firm.test/robots.txt").count();
    assert_eq!(requests, 2, "once more, and no oftener");
}

#[test]
fn server_error_is_retried_once() {
    let mut web = Web::default();
    let home = Answer::Html(HOME.to_owned());
    web.site = web.site.with("https://firm.test/", Answer::Status(502));
    web.site = web.site.with("https://firm.test/", home);
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.pages()[..2], ["https://firm.test/"; 2]);
    assert_eq!(run.status("firm.test"), "none");
}

#[test]
fn rate_limit_is_retried_within_the_visit_budget() {
    let mut web = Web::default();
    web.site = web.site.with("https://firm.test/", Answer::Wait(429, 20));
    web.site = web.site.with("https://firm.test/", Answer::Html(HOME.to_owned()));
    let run = run_visits(&web, plan(&["firm.test"]));
    assert_eq!(run.status("firm.test"), "none");
    let times: Vec<_> = run.requests.iter().filter(|(task, _)| task.url.path() == "/").collect();
    assert!(times[1].1.0 - times[0].1.0 >= 20_000, "{times:?}");
}

#[test]
fn empty_shell_is_rendered_by_a_browser() {
    let shell = Answer::Shell("<title>Firm</title><p>We make things of wood.</p>".to_owned());
    let capabilities = Capabilities { browser: true, tier: false };
    let with_browser = VisitPlan { capabilities, ..plan(&["firm.test"]) };
    let run = run_visits(&answering(&shell), with_browser);
    let fetch_via: Vec<_> = run.requests.iter().map(|(task, _)| task.fetch_via).collect();
    assert_eq!(fetch_via[..3], [FetchVia::Plain, FetchVia::Plain, FetchVia::Browser]);
    let plain = super::visit_harness::run_visits(&answering(&shell), plan(&["firm.test"]));
    assert!(plain.requests.iter().all(|(task, _)| task.fetch_via == FetchVia::Plain));
    assert_eq!(plain.status("firm.test"), "none");
}

/// Two protected domains, and one without protection.
fn walled() -> Web {
    let mut web = Web::of(&[("https://open.test/", HOME)]);
    for domain in ["first.test", "second.test"] {
        let entry = format!("https://{domain}/");
        web.site = web.site.with(&entry, Answer::ProtectedPage(HOME.to_owned()));
    }
    web
}

#[test]
fn protected_domains_wait_until_the_others_are_finished() {
    let capabilities = Capabilities { browser: false, tier: true };
    let plan = VisitPlan {
        escalates: true,
        capabilities,
        ..plan(&["first.test", "open.test", "second.test"])
    };
    let (before, visits) = drive(&walled(), registry::domain_crawl(plan.clone()));
    assert!(matches!(before.end, Action::Escalate(_)), "{:?}", before.end);
    assert_eq!(before.records.len(), 1, "the others are done");
    assert!(before.requests.iter().all(|(task, _)| task.fetch_via == FetchVia::Plain));
    // A worker that takes over requests nothing twice.
    let again =
        registry::replay_domain_crawl(plan.clone(), None, &before.commits).expect("it replays");
    let (idle, _) = drive(&walled(), again);
    assert!(
        idle.requests.is_empty() && matches!(idle.end, Action::Escalate(_)),
        "{:?}",
        idle.requests
    );
    let (after, _) = drive(&walled(), visits.resume_with(VisitPlan { protected: true, ..plan }));
    assert_eq!(after.records.len(), 2);
    assert_eq!(after.end, Action::Finish(RunEnding::Complete));
    let by_tier = after.requests.iter().filter(|(task, _)| task.url.path() == "/");
    assert!(
        by_tier.clone().count() == 2 && by_tier.clone().all(|(t, _)| t.fetch_via == FetchVia::Tier)
    );
}

#[test]
fn protected_domains_are_blocked_if_the_tier_is_declined() {
    let (before, visits) = {
        let plan = VisitPlan { escalates: true, ..plan(&["first.test", "second.test"]) };
        drive(&walled(), registry::domain_crawl(plan))
    };
    assert!(before.records.is_empty());
    let refused = VisitPlan { escalates: false, ..visits.plan().clone() };
    let (after, _) = drive(&walled(), visits.resume_with(refused));
    assert_eq!([after.status("first.test"), after.status("second.test")], ["blocked"; 2]);
    assert!(after.requests.is_empty(), "nothing is requested again: {:?}", after.requests);
    let at_once = run_visits(&walled(), plan(&["first.test", "open.test"]));
    assert_eq!([at_once.status("first.test"), at_once.status("open.test")], ["blocked", "none"]);
}

#[test]
fn challenge_within_the_tier_blocks_the_domain() {
    let mut web = Web::default();
    web.site = web.site.with("https://firm.test/", Answer::Challenge);
    let (_, visits) = {
        let plan = VisitPlan { escalates: true, ..plan(&["firm.test"]) };
        drive(&web, registry::domain_crawl(plan))
    };
    let plan = VisitPlan { protected: true, ..visits.plan().clone() };
    let (after, _) = drive(&web, visits.resume_with(plan));
    assert_eq!(after.status("firm.test"), "blocked");
    assert_eq!(after.pages(), ["https://firm.test/"; 2], "the next visitor might have passed");
}
