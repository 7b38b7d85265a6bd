//! A driver of visits: many requests at a time, each answered after its own while.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use contract::{ContactItem, Item, Millis};
use crawl::{Action, Asked, Engine, Input, Task, VisitPlan, Visits};
use journal::{Cause, Commit};

use crate::script::{ANSWER, Site, told};

/// The web that is visited: what no origin answers for has nobody there.
#[derive(Debug, Clone, Default)]
pub struct Web {
    pub site: Site,
    /// Origins that say nothing for this long, and then nothing.
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

    fn ask(&mut self, task: Task) -> (Duration, Input) {
        let origin = task.url.origin();
        if let Some(silence) = self.silent.get(origin) {
            return (*silence, Input::Failed(task, Cause::Timeout));
        }
        if !self.site.has_origin(origin) {
            return (Duration::from_millis(1), Input::Failed(task, Cause::Connect));
        }
        (ANSWER, told(&mut self.site, task))
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Tour {
    pub records: Vec<ContactItem>,
    /// What was asked for, and when.
    pub asked: Vec<(Task, Millis)>,
    pub commits: Vec<Commit>,
    pub end: Action,
    pub ended_at: Millis,
    /// The most visits that were under way at a time.
    pub peak: usize,
}

impl Tour {
    pub fn record(&self, domain: &str) -> &ContactItem {
        let mut of = self.records.iter().filter(|record| record.domain == domain);
        let record = of.next().unwrap_or_else(|| panic!("no record of {domain}"));
        assert!(of.next().is_none(), "two records of {domain}");
        record
    }

    pub fn status(&self, domain: &str) -> &'static str {
        self.record(domain).status.as_str()
    }

    /// The URLs asked for, in their order.
    pub fn urls(&self) -> Vec<&str> {
        self.asked.iter().map(|(task, _)| task.url.as_str()).collect()
    }

    /// The same without robots.txt.
    pub fn pages(&self) -> Vec<&str> {
        self.urls().into_iter().filter(|url| !url.ends_with("/robots.txt")).collect()
    }

    pub fn time_of(&self, url: &str) -> i64 {
        let asked = self.asked.iter().find(|(task, _)| task.url.as_str() == url);
        asked.unwrap_or_else(|| panic!("{url} was not asked for")).1.0
    }

    pub fn units(&self) -> u64 {
        self.commits.iter().map(|commit| commit.totals().units).sum()
    }
}

pub fn plan(domains: &[&str]) -> VisitPlan {
    VisitPlan::new(domains.iter().map(|domain| Asked::Domain((*domain).to_owned())).collect())
}

/// Visits from the beginning.
pub fn tour(web: &Web, plan: VisitPlan) -> Tour {
    let (tour, visits) = drive(web, Visits::new(plan));
    let replayed = Visits::replay(visits.plan().clone(), None, &tour.commits).expect("it replays");
    assert_eq!(replayed.state(), visits.state(), "the log tells another story");
    let snapshot = visits.snapshot().expect("a snapshot");
    let restored = Visits::replay(visits.plan().clone(), Some(&snapshot), &[]).expect("it is read");
    assert_eq!(restored.state(), visits.state());
    tour
}

/// Carries visits to their end. Commits after every answer.
pub fn drive(web: &Web, mut visits: Visits) -> (Tour, Visits) {
    let mut web = web.clone();
    let (mut now, mut number) = (Millis(0), 0_u64);
    let mut coming: BTreeMap<(Millis, u64), Input> = BTreeMap::new();
    let mut of_visits: HashMap<u64, u32> = HashMap::new();
    let (mut records, mut asked, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    let mut peak = 0;
    let mut input = Input::Begin;
    let end = loop {
        let (mut wake, mut end) = (None, None);
        for action in visits.handle(input, now) {
            match action {
                Action::Fetch(task) => {
                    asked.push((task.clone(), now));
                    of_visits.insert(number, task.visit.expect("it belongs to a visit"));
                    let (after, answer) = web.ask(task);
                    coming.insert((now.plus(after), number), answer);
                    number += 1;
                }
                Action::Abandon(visit) => {
                    coming.retain(|(_, number), _| of_visits.get(number) != Some(&visit));
                }
                Action::WakeAt(at) => wake = Some(at),
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
    (Tour { records, asked, commits, end, ended_at: now, peak }, visits)
}
