//! Crawls a site without server and database, and prints its URLs.
//!
//!     cargo run --example runner                            # a built-in sample site
//!     cargo run --example runner -- https://example.com/

use std::sync::Arc;

use anyhow::Context;
use async_trait::async_trait;
use contract::Mode;
use crawl::{CrawlPlan, Pending};
use journal::Snapshot;
use net::{HttpFetch, HttpSettings};
use runner::{CommitLimits, CommitOutcome, Fetcher, HostGate, HostGateSettings, RunSignal, Sink};
use runtime::SystemClock;
use samples::SampleFetch;
use urls::CanonicalUrl;

/// Gets the results of the run, commit by commit. The server has one that writes to its database.
struct PrintUrls;

#[async_trait]
impl Sink for PrintUrls {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> CommitOutcome {
        for item in pending.items {
            println!("{}", item.url());
        }
        for url in pending.skipped {
            println!("skipped {}: {}", url.url, url.reason);
        }
        CommitOutcome::Stored
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let start = std::env::args().nth(1).unwrap_or_else(|| "https://docs.lab.test/".to_owned());
    let start = CanonicalUrl::parse(&start).with_context(|| format!("invalid URL {start}"))?;
    // Sample sites respond without a network; other hosts only on public addresses.
    let fetch = SampleFetch::new(Arc::new(HttpFetch::new(HttpSettings::default())?));
    // The gate limits the requests to each host: 4 at a time, 100 ms apart.
    let clock = Arc::new(SystemClock);
    let gate = HostGate::new(HostGateSettings::default(), clock.clone());
    let fetcher = Fetcher::new(Arc::new(fetch), gate, clock);
    // The engine decides what to fetch; it obeys robots.txt and stays on the host of `start`.
    let plan = CrawlPlan { max_pages: Some(50), ..CrawlPlan::new(start) };
    // Sending another signal, for example on Ctrl-C, stops the run after a last commit.
    let (_signals, stop) = tokio::sync::watch::channel(RunSignal::Continue);
    let limits = CommitLimits::default();
    let crawl = registry::site_crawl(Mode::Links, plan)?;
    let (_run, _sink, outcome) = runner::drive(crawl, &fetcher, PrintUrls, limits, stop).await;
    eprintln!("{outcome:?}");
    Ok(())
}
