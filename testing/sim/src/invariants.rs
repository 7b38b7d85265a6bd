//! The invariants that are checked after every step.

use std::collections::HashMap;
use std::time::Duration;

use contract::{Credits, Item, Millis};
use crawl::{BodyNeed, FetchTask, Purpose, RunState};
use job::Job;
use journal::UrlId;

use crate::fake_web::FakeWeb;
use crate::sim_page::HIDDEN_LINK;
use crate::sim_store::SimStore;
use crate::truth::{Truth, is_filtered_out};
use urls::CanonicalUrl;

/// Maximum number of requests to one host in flight.
pub(crate) const MAX_CONCURRENT: usize = 3;

/// Minimum time between two starts.
pub(crate) const DELAY: Duration = Duration::from_millis(100);

/// The requests of a node to one host, counted independently of the code that paces them.
#[derive(Debug, Default)]
struct Traffic {
    under_way: usize,
    next_start: Millis,
}

/// The traffic of a node. It is lost with the node's process.
#[derive(Debug, Default)]
pub(crate) struct TrafficMonitor {
    hosts: HashMap<String, Traffic>,
}

impl TrafficMonitor {
    /// Checks a request that starts.
    pub fn start(
        &mut self,
        task: &FetchTask,
        web: &FakeWeb,
        truth: &Truth,
        known: &RunState,
        now: Millis,
    ) -> Result<(), String> {
        let url = &task.url;
        let traffic = self.hosts.entry(url.host().to_owned()).or_default();
        if now < traffic.next_start {
            return Err(format!("{url} is requested before {}", traffic.next_start.0));
        }
        traffic.under_way += 1;
        if traffic.under_way > MAX_CONCURRENT {
            return Err(format!("{} concurrent requests to {}", traffic.under_way, url.host()));
        }
        traffic.next_start = now.plus(DELAY.max(task.gap.unwrap_or_default()));
        let Purpose::Url { id, need } = task.purpose else { return Ok(()) };
        let is_read = matches!(need, BodyNeed::Page { .. } | BodyNeed::Sitemap);
        if is_read && !truth.may_read(web, url) {
            return Err(format!("{url} is read although it is external"));
        }
        if !web.allows(url) {
            return Err(format!("{url} is requested although robots.txt forbids it"));
        }
        if url.path().starts_with(HIDDEN_LINK) {
            return Err(format!("{url} is requested although no page links to it"));
        }
        if known.frontier().is_finished(id) {
            return Err(format!("{url} is requested after it was finished"));
        }
        Ok(())
    }

    pub fn end(&mut self, host: &str) {
        if let Some(traffic) = self.hosts.get_mut(host) {
            traffic.under_way = traffic.under_way.saturating_sub(1);
        }
    }
}

/// The URLs of the results of the site. Sitemaps are not filtered.
fn links_of_site(store: &SimStore) -> impl Iterator<Item = CanonicalUrl> {
    let frontier = store.state.frontier();
    let links = store.items.iter().filter_map(Item::link);
    let urls = links.filter_map(|link| CanonicalUrl::parse(&link.url).ok());
    urls.filter(|url| frontier.find(url).is_some_and(|id| frontier.role(id).is_internal()))
}

/// Checks the invariants of credits and results.
pub(crate) fn audit(store: &SimStore) -> Result<(), String> {
    let job: &Job = &store.job;
    let debits: i64 = store.ledger.iter().map(|line| line.cost.0).sum();
    let debited_units: u64 = store.ledger.iter().map(|line| line.units).sum();
    let mut seqs: Vec<u64> = store.ledger.iter().map(|line| line.seq).collect();
    seqs.dedup();
    let results = store.items.len() as u64;
    // Every good response is a unit, unless it is external.
    let links = store.items.iter().filter_map(Item::link);
    let good = links.filter(|link| matches!(link.status_code, Some(200..300)) && !link.external);
    let good = good.count() as u64;
    let frontier = store.state.frontier();
    let of_site =
        UrlId::START.until(frontier.next_id()).filter(|url| frontier.role(*url).is_internal());
    let rules = [
        (store.stale_write.is_none(), "a stale epoch appended"),
        (store.finished_twice.is_none(), "a URL was finished twice"),
        (store.state.finished_twice() == 0, "the state counts a URL as finished twice"),
        (store.balance >= Credits::ZERO, "the balance is negative"),
        (job.reserved >= Credits::ZERO, "the reservation is negative"),
        (store.available() >= Credits::ZERO, "the reservation exceeds the balance"),
        (store.granted.0 - store.balance.0 == debits, "the ledger and the balance differ"),
        (job.credits_used.0 == debits, "the ledger and credits_used differ"),
        (debits == store.owed.0, "the charge is not the units times the rate"),
        (debited_units == job.units.0, "delivered units are missing in the ledger"),
        (seqs.len() == store.ledger.len(), "one append was charged twice"),
        (job.units.0 == store.state.units(), "the units of the job and of the log differ"),
        (job.units.0 == good, "the units are not the number of good results of the site"),
        (
            store.skips_logged == store.skipped.len() as u64,
            "the skipped URLs of the log and of the store differ",
        ),
        (job.counts.results == results, "counts.results is not the number of items"),
        (store.state.results() == results, "the items of the log and of the store differ"),
        (
            job.counts.pages == of_site.count() as u64,
            "counts.pages is not the number of URLs of the site",
        ),
        (
            job.batch_ends_at().is_none_or(|end| job.units <= end),
            "more units were delivered than the batch allows",
        ),
        (
            store.max_pages.is_none_or(|pages| store.pages_asked <= pages),
            "more pages were requested than max_pages allows",
        ),
        (
            job.options.sample_size.is_none_or(|size| results <= size),
            "more items were delivered than sample_size allows",
        ),
        (
            store.max_credits().is_none_or(|max| job.credits_used <= max),
            "more credits were charged than max_credits allows",
        ),
        (
            links_of_site(store).all(|url| !is_filtered_out(&job.scope, &url)),
            "a result does not pass the filter by path",
        ),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, broken)) => Err(broken.to_owned()),
        None => match &store.reported_twice {
            Some(reported) => Err(format!("reported twice: {reported}")),
            None => Ok(()),
        },
    }
}
