//! `trawl demo`: the test web is served on loopback, crawled, and shown as tables.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Item, Mode, Scope, SystemClock};
use crawl::{Crawl, Pending, Plan};
use indicatif::{ProgressBar, ProgressStyle};
use journal::Snapshot;
use lab::{Catalogue, Lab};
use net::{HttpFetch, HttpSettings, NameTable, ResolverSettings};
use site::CanonicalUrl;
use tokio::sync::watch;
use worker::{CommitLimits, Committed, Drove, Fetcher, GateSettings, HostGate, Sink, Stop, drive};

use super::Exit;
use crate::cli::Demo;

const SITE: &str = "http://shop.lab.test/";

/// Rows of a table that fit on a screen.
const ROWS: usize = 12;

pub async fn run(args: &Demo) -> anyhow::Result<Exit> {
    let lab = Lab::start().await?;
    let pages = usize::try_from(args.pages)?;
    lab.serve("shop.lab.test", Catalogue::mixed(pages));
    lab.with_latency("shop.lab.test", Duration::from_millis(5));
    println!("A site of {pages} pages is served on {}.\n", lab.address());
    println!("Mode links: the URL inventory, with what is broken.");
    let items = crawl(&lab).await?;
    show(&items);
    println!(
        "\nThe same on a site of yours:\n\n  trawl crawl https://example.com/ --mode links \
         --max-pages 50\n\nAnd as a service with an HTTP API:\n\n  trawl serve"
    );
    Ok(if items.is_empty() { Exit::Nothing } else { Exit::Done })
}

async fn crawl(lab: &Lab) -> anyhow::Result<Vec<Item>> {
    let clock = Arc::new(SystemClock);
    let names = NameTable::parse(&lab.name_table())?;
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let fetch = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() })?;
    let gate = GateSettings { at_a_time: 8, delay: Duration::ZERO };
    let fetcher = Fetcher::new(Arc::new(fetch), HostGate::new(gate, clock.clone()), clock);
    let plan = Plan {
        scope: Scope { include_broken: true, ..Scope::default() },
        concurrency: 8,
        ..Plan::new(CanonicalUrl::parse(SITE)?, Mode::Links)
    };
    let bar = ProgressBar::new(1);
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} URLs  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (_running, stop) = watch::channel(Stop::Run);
    let limits = CommitLimits { every: Duration::from_millis(100), ..CommitLimits::default() };
    let shown = Shown { items: Vec::new(), bar };
    let (crawl, mut shown, drove) = drive(Crawl::new(plan), &fetcher, shown, limits, stop).await;
    shown.bar.finish_and_clear();
    // What is known only at the end: who links to whom.
    for (item, revision) in shown.items.iter_mut().zip(crawl.state().overlay().revisions) {
        if let Item::Link(link) = item {
            link.inlinks = revision.inlinks.into();
        }
    }
    if let Drove::Finished(ending) = drove
        && let Some(error) = ending.error()
    {
        println!("{}: {}", error.code, error.message);
    }
    Ok(shown.items)
}

/// Keeps the items for the tables.
struct Shown {
    items: Vec<Item>,
    bar: ProgressBar,
}

#[async_trait]
impl Sink for Shown {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> Committed {
        self.items.extend(pending.items);
        Committed::Stored
    }

    fn observe(&mut self, crawl: &Crawl) {
        let frontier = crawl.state().frontier();
        let known = frontier.len() as u64;
        self.bar.set_length(known);
        self.bar.set_position(known - frontier.pending_count() as u64);
    }
}

fn show(items: &[Item]) {
    println!("\n{:>6}  {:>5}  {:>7}  {:40}  title", "status", "depth", "links", "url");
    for item in items.iter().take(ROWS) {
        let link = item.link();
        let status = link.status_code.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let path: String = link.url.chars().skip(SITE.len() - 1).take(40).collect();
        let title = link.title.as_deref().unwrap_or("-");
        let depth = link.depth.unwrap_or_default();
        println!("{status:>6}  {depth:>5}  {:>7}  {path:40}  {title}", link.inlinks);
    }
    if items.len() > ROWS {
        println!("        … and {} more", items.len() - ROWS);
    }
    let broken = items.iter().filter(|item| {
        let link = item.link();
        link.broken
    });
    println!("\n{} URLs delivered, {} of them broken.", items.len(), broken.count());
}
