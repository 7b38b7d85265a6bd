//! Many domains at a time: none holds another up, and each has one record whatever happens.

use std::collections::BTreeMap;

use contract::ContactItem;
use crawl::{Action, VisitPlan, Visits};
use job::RunEnding;

use super::tour::{Web, drive, plan, tour};
use crate::script::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

/// Ten domains: one silent, one failing, one that refuses, the others healthy.
fn web(domains: &[String]) -> Web {
    let mut web = Web::default();
    for (at, domain) in domains.iter().enumerate() {
        match at % 10 {
            3 => {
                for door in ["https://", "https://www.", "http://", "http://www."] {
                    web = web.silent(&format!("{door}{domain}"), 90);
                }
            }
            5 => web.site = web.site.with(&format!("http://{domain}/"), Answer::Status(503)),
            7 => web.site = web.site.with(&format!("https://{domain}/"), Answer::Status(403)),
            _ => web.site = web.site.with(&format!("https://{domain}/"), Answer::Html(HOME.into())),
        }
    }
    web
}

fn domains(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("d{n}.test")).collect()
}

fn plan_of(domains: &[String]) -> VisitPlan {
    plan(&domains.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn slow_domains_hold_nobody_up() {
    let names = domains(100);
    let tour = tour(&web(&names), VisitPlan { at_a_time: 10, ..plan_of(&names) });
    assert_eq!(tour.records.len(), 100);
    let healthy = tour.records.iter().filter(|record| record.status.as_str() == "none");
    let last = healthy.map(|record| record.fetched_at.0).max();
    assert!(last.is_some_and(|at| at < 15_000), "the last healthy one is done at {last:?}");
    assert!(tour.peak <= 20, "{} at a time", tour.peak);
    let last = tour.records.last().expect("a record");
    assert_eq!(last.status.as_str(), "unreachable", "what is silent comes last");
}

#[test]
fn after_a_crash_at_any_commit_every_domain_has_one_record() {
    let names = domains(20);
    let (web, plan) = (web(&names), VisitPlan { at_a_time: 4, ..plan_of(&names) });
    let whole = tour(&web, plan.clone());
    let told = |records: &[ContactItem]| -> BTreeMap<String, String> {
        let one = |record: &ContactItem| (record.domain.clone(), record.status.to_string());
        records.iter().map(one).collect()
    };
    for cut in (0..whole.commits.len()).step_by(3) {
        let log = &whole.commits[..cut];
        let delivered: u64 = log.iter().map(|commit| commit.totals().delivered).sum();
        let before = &whole.records[..usize::try_from(delivered).expect("few")];
        let visits = Visits::replay(plan.clone(), None, log).expect("it replays");
        let (after, visits) = drive(&web, visits);
        assert_eq!(before.len() + after.records.len(), 20, "cut at {cut}");
        let mut all = told(before);
        all.extend(told(&after.records));
        assert_eq!(all, told(&whole.records), "cut at {cut}");
        assert_eq!(visits.state().visited_twice(), 0);
    }
}

#[test]
fn a_sample_says_that_it_is_one() {
    let names = domains(3);
    let tour = tour(&web(&names), VisitPlan { sampled: true, ..plan_of(&names) });
    assert_eq!(tour.end, Action::Finish(RunEnding::Sampled));
}
