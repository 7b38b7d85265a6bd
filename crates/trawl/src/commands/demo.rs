//! `trawl demo`: crawls the built-in sample sites in every mode and prints the results as tables.
//! It uses no network.

mod scene;
mod table;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Item, SkippedUrl};
use crawl::{CrawlPlan, Engine, Pending, VisitPlan, VisitTarget};
use indicatif::{ProgressBar, ProgressStyle};
use journal::Snapshot;
use runner::{
    CommitLimits, CommitOutcome, Fetcher, HostGate, HostGateSettings, RunOutcome, RunSignal, Sink,
    drive,
};
use runtime::SystemClock;
use samples::SampleFetch;
use tokio::sync::watch;
use urls::CanonicalUrl;

use super::Exit;
use crate::cli::DemoArgs;
use crate::printing::{outln, print};
use scene::{DOCS, SHOP, scene};

/// A company with an imprint, a site without contact data, one behind bot protection, and a name
/// that does not resolve.
const DOMAINS: [&str; 4] = ["shop.lab.test", "docs.lab.test", "wall.lab.test", "missing.lab.test"];

pub async fn run(args: &DemoArgs) -> anyhow::Result<Exit> {
    outln!(
        "The built-in sample sites are a shop ({SHOP}), a documentation in three languages \
         ({DOCS}) and a site behind bot protection. Nothing is requested from the network."
    );
    let fetcher = fetcher();
    let mut delivered = 0;
    for &mode in registry::MODES {
        let scene = scene(mode);
        outln!("\nMode {mode}: {}.", scene.title);
        let shown = if mode.visits_domains() {
            let asked = DOMAINS.iter().map(|domain| VisitTarget::Domain((*domain).to_owned()));
            crawl(&fetcher, registry::domain_crawl(VisitPlan::new(asked.collect()))).await
        } else {
            let start = CanonicalUrl::parse(scene.start)?;
            let (scope, max_pages) = (scene.scope, Some(args.pages));
            let plan = CrawlPlan { scope, max_pages, host_concurrency: 8, ..CrawlPlan::new(start) };
            crawl(&fetcher, registry::site_crawl(mode, plan)?).await
        };
        print(format_args!("\n{}", table::items(&scene.table, &shown.items)));
        print(format_args!("{}", table::skipped(&shown.skipped)));
        delivered += shown.items.len();
    }
    outln!(
        "\nCrawl your own site:\n\n  trawl crawl https://example.com/ --mode links \
         --max-pages 50\n\nStart the service with its HTTP API:\n\n  trawl serve"
    );
    Ok(if delivered == 0 { Exit::Nothing } else { Exit::Done })
}

fn fetcher() -> Fetcher {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: 8, delay: Duration::ZERO };
    let gate = HostGate::new(gate, clock.clone());
    Fetcher::new(Arc::new(SampleFetch::offline()), gate, clock)
}

async fn crawl(fetcher: &Fetcher, run: impl Engine) -> DemoResult {
    let bar = ProgressBar::new(1);
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (_running, stop) = watch::channel(RunSignal::Continue);
    let limits = CommitLimits { every: Duration::from_millis(100), ..CommitLimits::default() };
    let shown = DemoResult { items: Vec::new(), skipped: Vec::new(), bar };
    let (run, mut shown, drove) = drive(run, fetcher, shown, limits, stop).await;
    shown.bar.finish_and_clear();
    // Inlinks and orphans are known only after the last page.
    let overlay = run.overlay().unwrap_or_default();
    for (item, revision) in shown.items.iter_mut().zip(overlay.revisions) {
        if let Some(link) = item.link_mut() {
            link.inlinks = revision.inlinks.into();
            link.orphan = revision.orphan;
        }
    }
    // Items arrive in the order of the responses, which varies from run to run.
    shown.items.sort_by(|one, other| one.url().cmp(other.url()));
    if let RunOutcome::Finished(ending) = drove
        && let Some(error) = ending.error()
    {
        outln!("{}: {}", error.code, error.message);
    }
    shown
}

/// A [`Sink`] that keeps the results of a run in memory.
struct DemoResult {
    items: Vec<Item>,
    skipped: Vec<SkippedUrl>,
    bar: ProgressBar,
}

#[async_trait]
impl Sink for DemoResult {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> CommitOutcome {
        self.items.extend(pending.items);
        self.skipped.extend(pending.skipped);
        CommitOutcome::Stored
    }

    fn observe(&mut self, run: &dyn Engine) {
        let progress = run.progress();
        self.bar.set_length(progress.known);
        self.bar.set_position(progress.done);
        self.bar.set_message(progress.of);
    }
}
