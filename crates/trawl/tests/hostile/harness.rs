//! The real fetcher, host gate, engine and drive loop, on sites of the lab.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{LinkItem, Mode, Scope};
use crawl::{CrawlPlan, Pending, Retries};
use job::RunEnding;
use journal::Snapshot;
use lab::Lab;
use net::{HttpFetch, HttpSettings, NameTable, ResolverSettings};
use runner::{
    CommitLimits, CommitOutcome, Fetcher, HostGate, HostGateSettings, RunOutcome, RunSignal, Sink,
    drive,
};
use runtime::SystemClock;
use tokio::sync::watch;
use urls::CanonicalUrl;

/// Timeout of a run, far more than any test needs.
const PATIENCE: Duration = Duration::from_secs(240);

/// Items and counters of a finished run.
#[derive(Debug)]
pub struct Run {
    /// Items by URL; a URL has one item.
    pub items: BTreeMap<String, LinkItem>,
    pub ending: RunEnding,
    /// Number of URLs in the frontier.
    pub known: usize,
}

/// Settings with the host names of the lab and long timeouts.
pub fn settings(lab: &Lab) -> HttpSettings {
    let names = NameTable::parse(&lab.name_table()).expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    // A busy machine must not look like a slow site.
    let long = Duration::from_secs(120);
    HttpSettings {
        resolver,
        first_byte: long,
        drip_window: long,
        whole: long,
        ..HttpSettings::default()
    }
}

/// A fetcher with its host gate: runs that share it behave like runs of one node.
pub fn fetcher(settings: HttpSettings) -> Fetcher {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: 16, delay: Duration::ZERO };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    Fetcher::new(Arc::new(fetch), HostGate::new(gate, clock.clone()), clock)
}

/// A plan that reports everything and does not retry. `start` has no scheme.
pub fn plan(start: &str) -> CrawlPlan {
    let start = CanonicalUrl::parse(&format!("http://{start}")).expect("a URL");
    let retries = Retries {
        pages: 0,
        back_off: Duration::from_millis(1),
        robots: 2,
        robots_every: Duration::from_millis(1),
        ..Retries::default()
    };
    CrawlPlan {
        scope: Scope { include_broken: true, ..Scope::default() },
        concurrency: 16,
        retries,
        ..CrawlPlan::new(start)
    }
}

/// Peak memory of this process, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Drives a run until it ends.
pub async fn run(fetcher: &Fetcher, plan: CrawlPlan) -> Run {
    let (_running, stop) = watch::channel(RunSignal::Continue);
    let limits = CommitLimits::default();
    let crawl = registry::site_crawl(Mode::Links, plan).expect("a mode of sites");
    let driving = drive(crawl, fetcher, Items::default(), limits, stop);
    let driven = tokio::time::timeout(PATIENCE, driving).await.expect("a run ends");
    let (crawl, items, RunOutcome::Finished(ending)) = driven else { panic!("a run finishes") };
    assert_eq!(crawl.state().frontier().pending_count(), 0, "every URL has an outcome");
    Run { items: items.0, ending, known: crawl.state().frontier().len() }
}

#[derive(Debug, Default)]
struct Items(BTreeMap<String, LinkItem>);

#[async_trait]
impl Sink for Items {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> CommitOutcome {
        for item in pending.items {
            let link = item.link().expect("an item of links").clone();
            let before = self.0.insert(link.url.clone(), link);
            assert_eq!(before.map(|item| item.url), None, "a URL is delivered once");
        }
        CommitOutcome::Stored
    }
}
