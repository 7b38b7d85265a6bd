//! The rules that hold after every step.

use std::collections::HashMap;
use std::time::Duration;

use contract::{Credits, Millis};
use crawl::{Purpose, RunState, Task};
use job::Job;

use crate::books::Books;
use crate::place::GHOST;
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
        let Purpose::Url { ordinal, .. } = task.purpose else { return Ok(()) };
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
    let rate = job.rate.unwrap_or(Credits(1));
    let units = i64::try_from(job.units.0).unwrap_or(i64::MAX);
    let debits: i64 = books.ledger.iter().map(|line| line.cost.0).sum();
    let debited_units: u64 = books.ledger.iter().map(|line| line.units).sum();
    let mut seqs: Vec<u64> = books.ledger.iter().map(|line| line.seq).collect();
    seqs.dedup();
    let results = books.items.len() as u64;
    let rules = [
        (books.stale_write.is_none(), "a stale epoch appended"),
        (books.finished_twice.is_none(), "a URL was finished twice"),
        (books.state.finished_twice() == 0, "a URL was finished twice, says the state"),
        (books.balance >= Credits::ZERO, "the purse is below zero"),
        (job.reserved >= Credits::ZERO, "less than nothing is reserved"),
        (books.available() >= Credits::ZERO, "more is reserved than there is"),
        (books.granted.0 - books.balance.0 == debits, "the ledger and the purse differ"),
        (job.credits_used.0 == debits, "the ledger and credits_used differ"),
        (debits == units * rate.0, "the charge is not the units times the rate"),
        (debited_units == job.units.0, "units were delivered that no line of the ledger has"),
        (seqs.len() == books.ledger.len(), "one append was debited twice"),
        (job.units.0 == books.state.units(), "the job and the log count other units"),
        (job.counts.results == results, "counts.results is not the number of items"),
        (books.state.results() == results, "the log delivered other items than there are"),
        (
            job.counts.pages == books.state.frontier().len() as u64,
            "counts.pages is not the number of URLs known",
        ),
        (
            job.batch_ends_at().is_none_or(|end| job.units <= end),
            "more was delivered than the batch holds",
        ),
        (
            job.options.sample_size.is_none_or(|size| results <= size),
            "more was delivered than the sample holds",
        ),
    ];
    match rules.into_iter().find(|(holds, _)| !holds) {
        Some((_, broken)) => Err(broken.to_owned()),
        None => Ok(()),
    }
}
