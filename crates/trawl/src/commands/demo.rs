//! `trawl demo`: the test web is served on loopback, crawled in every mode that there is, and
//! shown as tables.

mod table;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Item, Mode, Scope, SkippedUrl};
use crawl::{CrawlPlan, DomainCrawl, Engine, Pending, SiteCrawl, VisitPlan, VisitTarget};
use indicatif::{ProgressBar, ProgressStyle};
use journal::Snapshot;
use lab::{Catalogue, Company, Handbook, Lab, Mapped, Shop};
use net::{HttpFetch, HttpSettings, NameTable, ResolverSettings};
use runner::CommitLimits;
use runner::Committed;
use runner::Drove;
use runner::Fetcher;
use runner::GateSettings;
use runner::HostGate;
use runner::Sink;
use runner::Stop;
use runner::drive;
use runtime::SystemClock;
use tokio::sync::watch;
use urls::CanonicalUrl;

use super::Exit;
use crate::cli::Demo;
use crate::printing::{outln, print};

const SHOP: &str = "shop.lab.test";
const MAGAZINE: &str = "magazine.lab.test";
const HANDBOOK: &str = "handbook.lab.test";
/// A toy shop in three markets, which sells the same in German and in English.
const TOYS: &str = "holzwurm.lab.test";
/// Domains of every outcome that takes no time: companies, one that moved, one for sale, one
/// that does not answer, one that lets nobody in.
const DOMAINS: [&str; 7] = [
    "hohenrode-lab.de",
    "altename-hohenrode.test",
    "mistralwerk-zuverkaufen.test",
    "refused-kestrelmoor.test",
    "forbidden-minster.test",
    "mute-pictures.test",
    "vergangen-lab.de",
];

pub async fn run(args: &Demo) -> anyhow::Result<Exit> {
    let lab = Lab::start().await?;
    let pages = usize::try_from(args.pages)?;
    let magazine = format!("http://{MAGAZINE}");
    lab.serve(SHOP, Catalogue::mixed(pages))
        .serve(MAGAZINE, Mapped::new(magazine))
        .serve(HANDBOOK, Handbook::default());
    if let Some(toys) = Shop::named(TOYS) {
        lab.serve(TOYS, toys);
    }
    for host in [SHOP, MAGAZINE, HANDBOOK, TOYS] {
        lab.with_latency(host, Duration::from_millis(5));
    }
    let companies: Vec<_> = DOMAINS.iter().filter_map(|host| Company::named(host)).collect();
    let domains = Company::serve_all(&companies, &lab);
    outln!(
        "Four sites are served on {}: a shop of {pages} pages, a magazine with sitemaps, a \
         handbook, and a toy shop; and some companies.",
        lab.address()
    );
    let fetcher = fetcher(&lab, &domains)?;
    let mut empty = false;
    for &mode in crawl::MODES {
        let Some((host, what, scope)) = scene(mode) else { continue };
        outln!("\nMode {mode}: {what}.");
        let shown = if mode == Mode::Contacts {
            let asked = DOMAINS.iter().map(|domain| VisitTarget::Domain((*domain).to_owned()));
            crawl(&fetcher, DomainCrawl::new(VisitPlan::new(asked.collect()))).await
        } else {
            let start = CanonicalUrl::parse(&format!("http://{host}/"))?;
            let plan = CrawlPlan { scope, host_concurrency: 8, ..CrawlPlan::new(start, mode) };
            crawl(&fetcher, SiteCrawl::new(plan)).await
        };
        print(format_args!("\n{}", table::items(mode, &shown.items)));
        print(format_args!("{}", table::left_out(&shown.skipped)));
        empty |= shown.items.is_empty();
    }
    outln!(
        "\nThe same on a site of yours:\n\n  trawl crawl https://example.com/ --mode links \
         --max-pages 50\n\nAnd as a service with an HTTP API:\n\n  trawl serve"
    );
    Ok(if empty { Exit::Nothing } else { Exit::Done })
}

/// Where a mode is shown, and what there is to see.
fn scene(mode: Mode) -> Option<(&'static str, &'static str, Scope)> {
    match mode {
        Mode::Links => {
            let scope = Scope { include_broken: true, ..Scope::default() };
            Some((SHOP, "the URL inventory of the shop, with what is broken", scope))
        }
        Mode::Sitemap => Some((
            MAGAZINE,
            "the pages of the magazine that can be indexed, with what its sitemaps say",
            Scope::default(),
        )),
        Mode::Markdown => Some((
            HANDBOOK,
            "the text of each page of the handbook, without what stands on all of them",
            Scope::default(),
        )),
        Mode::Products => Some((
            TOYS,
            "the products of the toy shop, each once although it sells in three markets",
            Scope::default(),
        )),
        Mode::Contacts => Some((
            DOMAINS[0],
            "a record for each of seven domains, whatever becomes of it",
            Scope::default(),
        )),
    }
}

fn fetcher(lab: &Lab, domains: &str) -> anyhow::Result<Fetcher> {
    let clock = Arc::new(SystemClock);
    let names = NameTable::parse(&format!("{},{domains}", lab.name_table()))?;
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let fetch = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() })?;
    let gate = GateSettings { at_a_time: 8, delay: Duration::ZERO };
    Ok(Fetcher::new(Arc::new(fetch), HostGate::new(gate, clock.clone()), clock))
}

async fn crawl(fetcher: &Fetcher, run: impl Engine) -> Shown {
    let bar = ProgressBar::new(1);
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let (_running, stop) = watch::channel(Stop::Run);
    let limits = CommitLimits { every: Duration::from_millis(100), ..CommitLimits::default() };
    let shown = Shown { items: Vec::new(), skipped: Vec::new(), bar };
    let (run, mut shown, drove) = drive(run, fetcher, shown, limits, stop).await;
    shown.bar.finish_and_clear();
    // What is known only at the end: who links to whom.
    let overlay = run.overlay().unwrap_or_default();
    for (item, revision) in shown.items.iter_mut().zip(overlay.revisions) {
        if let Some(link) = item.link_mut() {
            link.inlinks = revision.inlinks.into();
            link.orphan = revision.orphan;
        }
    }
    // They came in the order in which the answers did, which is another each time.
    shown.items.sort_by(|one, other| one.url().cmp(other.url()));
    if let Drove::Finished(ending) = drove
        && let Some(error) = ending.error()
    {
        outln!("{}: {}", error.code, error.message);
    }
    shown
}

/// Keeps what is shown.
struct Shown {
    items: Vec<Item>,
    skipped: Vec<SkippedUrl>,
    bar: ProgressBar,
}

#[async_trait]
impl Sink for Shown {
    async fn commit(&mut self, pending: Pending, _snapshot: Option<Snapshot>) -> Committed {
        self.items.extend(pending.items);
        self.skipped.extend(pending.skipped);
        Committed::Stored
    }

    fn observe(&mut self, run: &dyn Engine) {
        let progress = run.progress();
        self.bar.set_length(progress.known);
        self.bar.set_position(progress.done);
        self.bar.set_message(progress.of);
    }
}
