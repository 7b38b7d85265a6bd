//! What becomes of a domain, and what it costs.

use crawl::{Action, Equipment, Means, VisitPlan, Visits};
use job::RunEnding;
use journal::Cause;

use super::tour::{Web, drive, plan, tour};
use crate::script::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

fn answering(answer: &Answer) -> Web {
    let mut web = Web::default();
    for door in ["https://firm.test/", "https://www.firm.test/", "http://firm.test/"] {
        web.site = web.site.with(door, answer.clone());
    }
    web
}

#[test]
fn statuses_tell_what_the_doors_said() {
    for (answer, status) in [
        (Answer::Html(HOME.to_owned()), "none"),
        (Answer::Status(404), "none"),
        (Answer::File, "none"),
        (Answer::Status(401), "blocked"),
        (Answer::Status(403), "blocked"),
        (Answer::Status(451), "blocked"),
        (Answer::Status(503), "unreachable"),
        (Answer::Status(500), "unreachable"),
        (Answer::Wall, "blocked"),
        (Answer::Wait(429, 600), "blocked"),
        (Answer::Fails(Cause::Timeout), "unreachable"),
        (Answer::Fails(Cause::AddressRefused), "unreachable"),
        (Answer::Fails(Cause::Tls), "unreachable"),
    ] {
        let tour = tour(&answering(&answer), plan(&["firm.test"]));
        assert_eq!(tour.status("firm.test"), status, "{answer:?}");
        assert_eq!(tour.records.len(), 1, "{answer:?}");
        assert_eq!(tour.units(), 0, "only what was found is charged: {answer:?}");
        assert_eq!(tour.end, Action::Finish(RunEnding::Complete), "{answer:?}");
        assert!(tour.ended_at.0 <= 60_000, "{answer:?}");
    }
}

#[test]
fn robots_txt_is_obeyed() {
    let mut web = Web::of(&[("https://firm.test/", HOME), ("http://firm.test/", HOME)]);
    let forbids = Answer::Text("User-agent: *\nDisallow: /".to_owned());
    web.site = web.site.with("https://firm.test/robots.txt", forbids);
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.status("firm.test"), "blocked");
    assert_eq!(tour.urls(), ["https://firm.test/robots.txt"], "a no at one door is enough");
}

#[test]
fn rules_that_cannot_be_read_are_no_permission() {
    let mut web = Web::of(&[("https://firm.test/", HOME)]);
    web.site = web.site.with("https://firm.test/robots.txt", Answer::Status(503));
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.status("firm.test"), "unreachable");
    assert!(tour.pages().is_empty(), "{:?}", tour.pages());
    let asked = tour.urls().iter().filter(|url| **url == "https://firm.test/robots.txt").count();
    assert_eq!(asked, 2, "once more, and no oftener");
}

#[test]
fn a_server_that_fails_once_is_asked_once_more() {
    let mut web = Web::default();
    let home = Answer::Html(HOME.to_owned());
    web.site = web.site.with("https://firm.test/", Answer::Status(502));
    web.site = web.site.with("https://firm.test/", home);
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.pages()[..2], ["https://firm.test/"; 2]);
    assert_eq!(tour.status("firm.test"), "none");
}

#[test]
fn too_many_requests_is_waited_out_within_the_budget() {
    let mut web = Web::default();
    web.site = web.site.with("https://firm.test/", Answer::Wait(429, 20));
    web.site = web.site.with("https://firm.test/", Answer::Html(HOME.to_owned()));
    let tour = tour(&web, plan(&["firm.test"]));
    assert_eq!(tour.status("firm.test"), "none");
    let times: Vec<_> = tour.asked.iter().filter(|(task, _)| task.url.path() == "/").collect();
    assert!(times[1].1.0 - times[0].1.0 >= 20_000, "{times:?}");
}

#[test]
fn an_empty_shell_is_shown_to_a_browser() {
    let shell = Answer::Shell("<title>Firm</title><p>We make things of wood.</p>".to_owned());
    let equipment = Equipment { browser: true, tier: false };
    let with_browser = VisitPlan { equipment, ..plan(&["firm.test"]) };
    let tour = tour(&answering(&shell), with_browser);
    let means: Vec<_> = tour.asked.iter().map(|(task, _)| task.means).collect();
    assert_eq!(means[..3], [Means::Plain, Means::Plain, Means::Browser]);
    let plain = super::tour::tour(&answering(&shell), plan(&["firm.test"]));
    assert!(plain.asked.iter().all(|(task, _)| task.means == Means::Plain));
    assert_eq!(plain.status("firm.test"), "none");
}

/// Two domains behind walls, and one without.
fn walled() -> Web {
    let mut web = Web::of(&[("https://open.test/", HOME)]);
    for domain in ["first.test", "second.test"] {
        let door = format!("https://{domain}/");
        web.site = web.site.with(&door, Answer::Walled(HOME.to_owned()));
    }
    web
}

#[test]
fn protected_domains_wait_until_the_others_are_done() {
    let equipment = Equipment { browser: false, tier: true };
    let plan = VisitPlan {
        escalates: true,
        equipment,
        ..plan(&["first.test", "open.test", "second.test"])
    };
    let (before, visits) = drive(&walled(), Visits::new(plan.clone()));
    assert!(matches!(before.end, Action::Escalate(_)), "{:?}", before.end);
    assert_eq!(before.records.len(), 1, "the others are done");
    assert!(before.asked.iter().all(|(task, _)| task.means == Means::Plain));
    // A worker that takes it up again asks nobody twice.
    let again = Visits::replay(plan.clone(), None, &before.commits).expect("it replays");
    let (idle, _) = drive(&walled(), again);
    assert!(idle.asked.is_empty() && matches!(idle.end, Action::Escalate(_)), "{:?}", idle.asked);
    let (after, _) = drive(&walled(), visits.go_on(VisitPlan { protected: true, ..plan }));
    assert_eq!(after.records.len(), 2);
    assert_eq!(after.end, Action::Finish(RunEnding::Complete));
    let by_tier = after.asked.iter().filter(|(task, _)| task.url.path() == "/");
    assert!(by_tier.clone().count() == 2 && by_tier.clone().all(|(t, _)| t.means == Means::Tier));
}

#[test]
fn protected_domains_are_blocked_where_nobody_wants_to_pay() {
    let (before, visits) = {
        let plan = VisitPlan { escalates: true, ..plan(&["first.test", "second.test"]) };
        drive(&walled(), Visits::new(plan))
    };
    assert!(before.records.is_empty());
    let refused = VisitPlan { escalates: false, ..visits.plan().clone() };
    let (after, _) = drive(&walled(), visits.go_on(refused));
    assert_eq!([after.status("first.test"), after.status("second.test")], ["blocked"; 2]);
    assert!(after.asked.is_empty(), "nobody is asked again: {:?}", after.asked);
    let at_once = tour(&walled(), plan(&["first.test", "open.test"]));
    assert_eq!([at_once.status("first.test"), at_once.status("open.test")], ["blocked", "none"]);
}

#[test]
fn a_wall_that_stays_shut_to_the_tier_blocks() {
    let mut web = Web::default();
    web.site = web.site.with("https://firm.test/", Answer::Wall);
    let (_, visits) = {
        let plan = VisitPlan { escalates: true, ..plan(&["firm.test"]) };
        drive(&web, Visits::new(plan))
    };
    let plan = VisitPlan { protected: true, ..visits.plan().clone() };
    let (after, _) = drive(&web, visits.go_on(plan));
    assert_eq!(after.status("firm.test"), "blocked");
    assert_eq!(after.pages(), ["https://firm.test/"; 2], "the next visitor might have passed");
}
