//! A driver of visits: many requests at a time, each with its own response time.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use contract::{ContactItem, Item, Millis};
use crawl::{Action, DomainCrawl, Engine, FetchTask, Input, VisitPlan, VisitTarget};
use journal::{Cause, Commit};

use crate::harness::{ANSWER, Site, respond};

/// The web that is visited; origins without pages refuse connections.
#[derive(Debug, Clone, Default)]
pub struct Web {
    pub site: Site,
    /// Origins that time out after this time.
    pub silent: HashMap<String, Duration>,
}

impl Web {
    pub fn of(pages: &[(&str, &str)]) -> Self {
        Self { site: Site::of(pages), ..Self::default() }
    }

    pub fn silent(mut self, origin: &str, seconds: u64) -> Self {
        self.silent.insert(origin.to_owned(), Duration::from_secs(seconds));
        self
    }

    /// The response to a request, and the time until it arrives.
    fn response(&mut self, task: FetchTask) -> (Duration, Input) {
        let origin = task.url.origin();
        if let Some(silence) = self.silent.get(origin) {
            return (*silence, Input::Failed(task, Cause::Timeout));
        }
        if !self.site.has_origin(origin) {
            return (Duration::from_millis(1), Input::Failed(task, Cause::Connect));
        }
        (ANSWER, respond(&mut self.site, task))
    }
}

#[derive(Debug)]
pub struct VisitRun {
    pub records: Vec<ContactItem>,
    /// The requests, with their times.
    pub requests: Vec<(FetchTask, Millis)>,
    pub commits: Vec<Commit>,
    pub end: Action,
    pub ended_at: Millis,
    /// Maximum number of visits in flight.
    pub peak: usize,
}

impl VisitRun {
    pub fn record(&self, domain: &str) -> &ContactItem {
        let mut of = self.records.iter().filter(|record| record.domain == domain);
        let record = of.next().unwrap_or_else(|| panic!("no record of {domain}"));
        assert!(of.next().is_none(), "two records of {domain}");
        record
    }

    pub fn status(&self, domain: &str) -> &'static str {
        self.record(domain).status.as_str()
    }

    /// The requested URLs, in order.
    pub fn urls(&self) -> Vec<&str> {
        self.requests.iter().map(|(task, _)| task.url.as_str()).collect()
    }

    /// The same without robots.txt.
    pub fn pages(&self) -> Vec<&str> {
        self.urls().into_iter().filter(|url| !url.ends_with("/robots.txt")).collect()
    }

    pub fn time_of(&self, url: &str) -> i64 {
        let requests = self.requests.iter().find(|(task, _)| task.url.as_str() == url);
        requests.unwrap_or_else(|| panic!("{url} was not requested")).1.0
    }

    pub fn units(&self) -> u64 {
        self.commits.iter().map(|commit| commit.totals().units).sum()
    }
}

pub fn plan(domains: &[&str]) -> VisitPlan {
    VisitPlan::new(domains.iter().map(|domain| VisitTarget::Domain((*domain).to_owned())).collect())
}

/// Runs visits from the start.
pub fn run_visits(web: &Web, plan: VisitPlan) -> VisitRun {
    let (run, visits) = drive(web, registry::domain_crawl(plan));
    let replayed = registry::replay_domain_crawl(visits.plan().clone(), None, &run.commits)
        .expect("it replays");
    assert_eq!(replayed.state(), visits.state(), "the log restores another state");
    let snapshot = visits.snapshot().expect("a snapshot");
    let restored = registry::replay_domain_crawl(visits.plan().clone(), Some(&snapshot), &[])
        .expect("it is read");
    assert_eq!(restored.state(), visits.state());
    run
}

/// Runs visits to their end. Commits after every response.
pub fn drive(web: &Web, mut visits: DomainCrawl) -> (VisitRun, DomainCrawl) {
    let mut web = web.clone();
    let (mut now, mut number) = (Millis(0), 0_u64);
    let mut coming: BTreeMap<(Millis, u64), Input> = BTreeMap::new();
    let mut of_visits: HashMap<u64, u32> = HashMap::new();
    let (mut records, mut requests, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    let mut peak = 0;
    let mut input = Input::Begin;
    let end = loop {
        let (mut wake, mut end) = (None, None);
        for action in visits.handle(input, now) {
            match action {
                Action::Fetch(task) => {
                    requests.push((task.clone(), now));
                    of_visits.insert(number, task.visit.expect("it belongs to a visit"));
                    let (after, answer) = web.response(task);
                    coming.insert((now.plus(after), number), answer);
                    number += 1;
                }
                Action::Abandon(visit) => {
                    coming.retain(|(_, number), _| of_visits.get(number) != Some(&visit));
                }
                Action::WakeAt(at) => wake = Some(at),
                Action::Fail(error) => panic!("{error}"),
                over @ (Action::ReachBoundary | Action::Escalate(_) | Action::Finish(_)) => {
                    end = Some(over);
                }
            }
        }
        let mut open: Vec<_> = coming.keys().filter_map(|(_, n)| of_visits.get(n)).collect();
        open.sort_unstable();
        open.dedup();
        peak = peak.max(open.len());
        let pending = visits.take_pending();
        commits.push(pending.commit);
        records.extend(pending.items.into_iter().map(|item| match item {
            Item::Contact(record) => *record,
            other => panic!("no record: {other:?}"),
        }));
        if let Some(end) = end {
            break end;
        }
        let next = coming.first_key_value().map(|(key, _)| *key);
        input = match (next, wake) {
            (Some((at, _)), Some(wake)) if wake < at => {
                assert!(wake > now, "a wake-up in the past");
                now = wake;
                Input::Tick
            }
            (Some(key), _) => {
                now = key.0;
                coming.remove(&key).expect("it is there")
            }
            (None, Some(at)) => {
                assert!(at > now, "a wake-up in the past");
                now = at;
                Input::Tick
            }
            (None, None) => panic!("the engine waits for nothing"),
        };
    };
    (VisitRun { records, requests, commits, end, ended_at: now, peak }, visits)
}
