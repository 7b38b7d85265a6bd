//! Many domains at a time: none blocks another, and each has one record.

use std::collections::BTreeMap;

use contract::ContactItem;
use crawl::{Action, VisitPlan};
use job::RunEnding;

use super::visit_harness::{Web, drive, plan, run_visits};
use crate::harness::Answer;

const HOME: &str = "<title>Firm</title><h1>Firm</h1><p>We make things.</p>";

/// Of ten domains one is silent, one fails, one refuses, and the others answer.
fn web(domains: &[String]) -> Web {
    let mut web = Web::default();
    for (at, domain) in domains.iter().enumerate() {
        match at % 10 {
            3 => {
                for entry in ["https://", "https://www.", "http://", "http://www."] {
                    web = web.silent(&format!("{entry}{domain}"), 90);
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
fn slow_domains_do_not_block_others() {
    let names = domains(100);
    let run = run_visits(&web(&names), VisitPlan { concurrency: 10, ..plan_of(&names) });
    assert_eq!(run.records.len(), 100);
    let healthy = run.records.iter().filter(|record| record.status.as_str() == "none");
    let last = healthy.map(|record| record.fetched_at.0).max();
    assert!(last.is_some_and(|at| at < 15_000), "the last healthy one is done at {last:?}");
    assert!(run.peak <= 20, "{} at a time", run.peak);
    let last = run.records.last().expect("a record");
    assert_eq!(last.status.as_str(), "unreachable", "silent domains come last");
}

#[test]
fn after_a_crash_at_any_commit_every_domain_has_one_record() {
    let names = domains(20);
    let (web, plan) = (web(&names), VisitPlan { concurrency: 4, ..plan_of(&names) });
    let whole = run_visits(&web, plan.clone());
    let respond = |records: &[ContactItem]| -> BTreeMap<String, String> {
        let one = |record: &ContactItem| (record.domain.clone(), record.status.to_string());
        records.iter().map(one).collect()
    };
    for cut in (0..whole.commits.len()).step_by(3) {
        let log = &whole.commits[..cut];
        let delivered: u64 = log.iter().map(|commit| commit.totals().delivered).sum();
        let before = &whole.records[..usize::try_from(delivered).expect("few")];
        let visits = registry::replay_domain_crawl(plan.clone(), None, log).expect("it replays");
        let (after, visits) = drive(&web, visits);
        assert_eq!(before.len() + after.records.len(), 20, "cut at {cut}");
        let mut all = respond(before);
        all.extend(respond(&after.records));
        assert_eq!(all, respond(&whole.records), "cut at {cut}");
        assert_eq!(visits.state().visited_twice(), 0);
    }
}

#[test]
fn sample_ends_as_sampled() {
    let names = domains(3);
    let run = run_visits(&web(&names), VisitPlan { sampled: true, ..plan_of(&names) });
    assert_eq!(run.end, Action::Finish(RunEnding::Sampled));
}
