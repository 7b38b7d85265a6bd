//! The rules that hold after every step.

use std::collections::HashMap;
use std::time::Duration;

use contract::{Credits, Item, Millis};
use crawl::{Purpose, RunState, Task, Want};
use job::Job;

use crate::books::Books;
use crate::page::GHOST;
use crate::truth::Truth;
use crate::web::Web;

/// At most this many requests to a host at a time.
pub(crate) const AT_A_TIME: usize = 3;

/// At least this long between two starts.
pub(crate) const DELAY: Duration = Duration::from_millis(100);

/// The requests of a node to one host, counted apart from the code that paces them.
#[derive(Debug, Default)]
struct Traffic {
    under_way: usize,
    next_start: Millis,
}

/// The traffic of a node. It is forgotten with the node's process.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    hosts: HashMap<String, Traffic>,
}

impl Watch {
    /// A request starts.
    pub fn start(
        &mut self,
        task: &Task,
        web: &Web,
        truth: &Truth,
        known: &RunState,
        now: Millis,
    ) -> Result<(), String> {
        let url = &task.url;
        let traffic = self.hosts.entry(url.host().to_owned()).or_default();
        if now < traffic.next_start {
            return Err(format!("{url} is asked for before {}", traffic.next_start.0));
        }
        traffic.under_way += 1;
        if traffic.under_way > AT_A_TIME {
            return Err(format!("{} requests to {} at a time", traffic.under_way, url.host()));
        }
        traffic.next_start = now.plus(DELAY.max(task.gap.unwrap_or_default()));
        let Purpose::Url { ordinal, want } = task.purpose else { return Ok(()) };
        let is_read = matches!(want, Want::Page { .. } | Want::Sitemap);
        if is_read && !truth.may_read(web, url) {
            return Err(format!("{url} is read, which belongs to somebody else"));
        }
        if !web.permits(url) {
            return Err(format!("{url} is asked for, which robots.txt forbids"));
        }
        if url.path().starts_with(GHOST) {
            return Err(format!("{url} is asked for, which no page links to"));
        }
        if known.frontier().is_finished(ordinal) {
            return Err(format!("{url} is asked for after it was finished"));
        }
        Ok(())
    }

    /// A request has ended.
    pub fn end(&mut self, host: &str) {
        if let Some(traffic) = self.hosts.get_mut(host) {
            traffic.under_way = traffic.under_way.saturating_sub(1);
        }
    }
}

/// The rules of money and results.
pub(crate) fn audit(books: &Books) -> Result<(), String> {
    let job: &Job = &books.job;
    let debits: i64 = books.ledger.iter().map(|line| line.cost.0).sum();
    let debited_units: u64 = books.ledger.iter().map(|line| line.units).sum();
    let mut seqs: Vec<u64> = books.ledger.iter().map(|line| line.seq).collect();
    seqs.dedup();
    let results = books.items.len() as u64;
    // What answers well is a unit, unless it is somebody else's.
    let links = books.items.iter().filter_map(Item::link);
    let good = links.filter(|link| matches!(link.status_code, Some(200..300)) && !link.external);
    let good = good.count() as u64;
    let frontier = books.state.frontier();
    let of_site = (0..frontier.next_ordinal()).filter(|url| frontier.role(*url).is_of_site());
    let rules = [
        (books.stale_write.is_none(), "a stale epoch appended"),
        (books.finished_twice.is_none(), "a URL was finished twice"),
        (books.state.finished_twice() == 0, "a URL was finished twice, says the state"),
        (books.balance >= Credits::ZERO, "the purse is below zero"),
        (job.reserved >= Credits::ZERO, "less than nothing is reserved"),
        (books.available() >= Credits::ZERO, "more is reserved than there is"),
        (books.granted.0 - books.balance.0 == debits, "the ledger and the purse differ"),
        (job.credits_used.0 == debits, "the ledger and credits_used differ"),
        (debits == books.owed.0, "the charge is not the units times the rate"),
        (debited_units == job.units.0, "units were delivered that no line of the ledger has"),
        (seqs.len() == books.ledger.len(), "one append was debited twice"),
        (job.units.0 == books.state.units(), "the job and the log count other units"),
        (job.units.0 == good, "the units are not the good results of the site"),
        (
            books.skips_told == books.skipped.len() as u64,
            "the log left out other URLs than there are lines",
        ),
        (job.counts.results == results, "counts.results is not the number of items"),
        (books.state.results() == results, "the log delivered other items than there are"),
        (
            job.counts.pages == of_site.count() as u64,
            "counts.pages is not the number of URLs of the site",
        ),
        (
            job.batch_ends_at().is_none_or(|end| job.units <= end),
            "more was delivered than the batch holds",
        ),
        (
            books.max_pages.is_none_or(|pages| books.pages_asked <= pages),
            "more pages were asked for than the run may have",
        ),
        (
            job.options.sample_size.is_none_or(|size| results <= size),
            "more was delivered than the sample holds",
        ),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, broken)) => Err(broken.to_owned()),
        None => match &books.told_twice {
            Some(told) => Err(format!("told twice: {told}")),
            None => Ok(()),
        },
    }
}
