//! The books: what the database would hold of one job. Log, results, purse and lease,
//! changed together or not at all, as one transaction changes them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use contract::{
    AccountId, Credits, FetchFault, Item, JobId, Millis, SkipReason, SkippedUrl, Status, Units,
};
use crawl::{Pending, RunState};
use job::{Decision, Job, JobCommand, JobDraft, JobEffect, RateCard, Refusal, decide};
use journal::{Cause, Commit, Outcome, Role, Segment, Snapshot, Step};

use crate::profile::Flaw;
use crate::wall::Precaution;
use crate::wish::{Wish, traps};

/// How long a claim lasts without a sign of life.
const LEASE: Duration = Duration::from_secs(60);

/// Who may have the shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shard {
    Open,
    Parked,
    Closed,
}

/// A shard in the hands of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lease {
    pub epoch: u64,
    pub head: u64,
}

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appended {
    Stored,
    Short { covered: u64 },
    Lost,
}

/// A debit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub seq: u64,
    pub units: u64,
    pub cost: Credits,
}

/// The books of one job.
#[derive(Debug)]
pub(crate) struct Books {
    pub job: Job,
    pub granted: Credits,
    pub balance: Credits,
    pub ledger: Vec<Line>,
    /// What was delivered is worth, each unit at the rate in force at the time.
    pub owed: Credits,
    pub items: Vec<Item>,
    /// The URLs that were left out.
    pub skipped: Vec<SkippedUrl>,
    /// Those of them that the log tells of.
    pub skips_told: u64,
    /// A URL that was left out twice, or left out and delivered.
    pub told_twice: Option<String>,
    /// The state that the log gives, step by step.
    pub state: RunState,
    /// The newest epoch that ever appended.
    pub last_writer: u64,
    /// A writer that was not the newest holder.
    pub stale_write: Option<u64>,
    /// A URL that was finished twice over the whole log.
    pub finished_twice: Option<u32>,
    /// Pages that were asked for, whatever came of it.
    pub pages_asked: u64,
    /// Pages that stayed behind a wall.
    pub blocked: u64,
    /// Whether the run ever went by the protected tier.
    pub went_protected: bool,
    finished: HashSet<u32>,
    /// Every URL that was delivered or left out, by its key.
    told: HashMap<String, &'static str>,
    commits: Vec<Commit>,
    snapshot: Option<(usize, Snapshot)>,
    shard: Shard,
    epoch: u64,
    lease_until: Millis,
    rates: RateCard,
    /// The pages after which the run ends.
    pub max_pages: Option<u64>,
    flaw: Option<Flaw>,
}

impl Books {
    /// Opens the books with the creation of the job.
    pub fn open(
        url: &str,
        wish: &Wish,
        batch_size: u64,
        purse: Credits,
        precaution: &Precaution,
        flaw: Option<Flaw>,
    ) -> Result<Self, Refusal> {
        let draft = JobDraft {
            id: JobId::new(Millis(1), [1; 10]),
            account: AccountId::new(Millis(1), [2; 10]),
            source: "direct".to_owned(),
            creator: None,
            free: false,
            mode: wish.mode,
            url: Some(url.to_owned()),
            domains: Vec::new(),
            inputs: Vec::new(),
            site_key: None,
            scope: wish.scope,
            options: wish.options.clone(),
            on_protected: precaution.on_protected,
            ceiling: precaution.ceiling,
            external: None,
            batch_size,
        };
        let rates = RateCard::default();
        let create = JobCommand::Create { draft: Box::new(draft), available: purse };
        let Decision { job, .. } = decide(None, &create, &rates, Millis(0))?;
        Ok(Self {
            job,
            granted: purse,
            balance: purse,
            ledger: Vec::new(),
            owed: Credits::ZERO,
            items: Vec::new(),
            skipped: Vec::new(),
            skips_told: 0,
            told_twice: None,
            state: RunState::new(traps()),
            last_writer: 0,
            stale_write: None,
            finished_twice: None,
            pages_asked: 0,
            blocked: 0,
            went_protected: false,
            finished: HashSet::new(),
            told: HashMap::new(),
            commits: Vec::new(),
            snapshot: None,
            shard: Shard::Open,
            epoch: 0,
            lease_until: Millis(0),
            rates,
            max_pages: wish.max_pages,
            flaw,
        })
    }

    /// What is not set aside.
    pub fn available(&self) -> Credits {
        Credits(self.balance.0 - self.job.reserved.0)
    }

    /// The commits in the log.
    pub fn head(&self) -> u64 {
        self.commits.len() as u64
    }

    /// Whether the job is over.
    pub fn is_over(&self) -> bool {
        match self.job.status {
            Status::Completed | Status::Failed | Status::Aborted => true,
            Status::Queued | Status::Running | Status::AwaitingConfirmation | Status::Paused => {
                false
            }
        }
    }

    /// Gives the shard to whoever asks, if it is free.
    pub fn claim(&mut self, now: Millis) -> Option<Lease> {
        if self.shard != Shard::Open || now < self.lease_until {
            return None;
        }
        self.epoch += 1;
        self.lease_until = now.plus(LEASE);
        Some(Lease { epoch: self.epoch, head: self.head() })
    }

    /// A sign of life; false when the shard is in other hands.
    pub fn renew(&mut self, lease: &Lease, now: Millis) -> bool {
        let held = self.holds(lease);
        if held {
            self.lease_until = now.plus(LEASE);
        }
        held
    }

    /// Whether the lease is still the one in force.
    pub fn holds(&self, lease: &Lease) -> bool {
        self.shard == Shard::Open && self.epoch == lease.epoch
    }

    /// The lease has run out, whether or not its holder knows.
    pub fn expire(&mut self) {
        self.lease_until = Millis(0);
    }

    /// Appends a commit with its items and with what it leaves out, and charges for it. All
    /// of it or nothing.
    pub fn append(&mut self, lease: &mut Lease, pending: &Pending) -> Appended {
        let Pending { commit, items, skipped } = pending;
        let lenient = self.flaw == Some(Flaw::EpochForgotten);
        let held = (lenient || self.holds(lease)) && self.head() == lease.head;
        if self.job.status != Status::Running || !held {
            return Appended::Lost;
        }
        let totals = commit.totals();
        let rate = match self.flaw {
            Some(Flaw::OldRate) => self.rates.normal(self.job.mode),
            _ => self.job.rate.unwrap_or(Credits(1)),
        };
        let cost = Credits(rate.0 * i64::try_from(totals.units).unwrap_or(i64::MAX));
        let reach = Credits(self.available().0 + self.job.reserved.0);
        if cost > reach && self.flaw != Some(Flaw::DeliveredUnpaid) {
            return Appended::Short { covered: reach.covers(rate).0 };
        }
        let seq = self.head() + 1;
        self.owed = Credits(self.owed.0 + self.worth(totals.units));
        if totals.units > 0 && self.flaw != Some(Flaw::NothingCharged) {
            let from_reservation = cost.min(self.job.reserved);
            self.job.reserved = Credits(self.job.reserved.0 - from_reservation.0);
            self.balance = Credits(self.balance.0 - cost.0);
            self.job.credits_used = Credits(self.job.credits_used.0 + cost.0);
            self.ledger.push(Line { seq, units: totals.units, cost });
        }
        if lease.epoch != self.epoch || lease.epoch < self.last_writer {
            self.stale_write = Some(lease.epoch);
        }
        self.last_writer = self.last_writer.max(lease.epoch);
        self.job.units = Units(self.job.units.0 + totals.units);
        self.job.counts.pages += totals.found;
        self.job.counts.results += items.len() as u64;
        for step in &commit.steps {
            if let Step::Finished(finished) = step
                && !self.finished.insert(finished.ordinal)
            {
                self.finished_twice = Some(finished.ordinal);
            }
        }
        self.state.replay(commit);
        self.count_asked(commit);
        self.items.extend_from_slice(items);
        self.skips_told += totals.skipped;
        self.write_skipped(skipped);
        self.tell(items, skipped);
        self.commits.push(commit.clone());
        lease.head = seq;
        Appended::Stored
    }

    /// What units are worth now, whatever the job says of its rate.
    fn worth(&self, units: u64) -> i64 {
        let rate = match self.job.protected {
            true => self.rates.protected(self.job.mode),
            false => self.rates.normal(self.job.mode),
        };
        rate.0 * i64::try_from(units).unwrap_or(i64::MAX)
    }

    fn count_asked(&mut self, commit: &Commit) {
        let behind = commit.steps.iter().filter(|step| match step {
            Step::Finished(finished) => finished.outcome == Outcome::Failed(Cause::Protected),
            Step::Learned(_) | Step::Seeded(_) | Step::Visited(_) | Step::SetAside { .. } => false,
        });
        self.blocked += behind.count() as u64;
        let finished = commit.steps.iter().filter_map(|step| match step {
            Step::Finished(finished) => Some(finished),
            Step::Learned(_) | Step::Seeded(_) | Step::Visited(_) | Step::SetAside { .. } => None,
        });
        let asked = finished.filter(|finished| {
            self.state.frontier().role(finished.ordinal) == Role::Page
                && match finished.outcome {
                    Outcome::Answered(_) => true,
                    Outcome::Failed(cause) => cause.fault() != FetchFault::Robots,
                    Outcome::Redirected { .. } | Outcome::Unasked | Outcome::Skipped(_) => false,
                }
        });
        self.pages_asked += asked.count() as u64;
    }

    fn write_skipped(&mut self, skipped: &[SkippedUrl]) {
        let lost = usize::from(self.flaw == Some(Flaw::SkippedLost));
        self.skipped.extend(skipped.iter().skip(lost).cloned());
    }

    /// Every URL is told of once: as a result or as left out.
    fn tell(&mut self, items: &[Item], skipped: &[SkippedUrl]) {
        let items = items.iter().filter_map(Item::link);
        // A chain that leads nowhere is known by its head, which leads on.
        let items = items.filter(|link| link.error != Some(FetchFault::RedirectLoop));
        // A sitemap as the seed: a link that was not followed, and reported as that, may be
        // where a redirect of a listed page leads to, which is followed.
        let items = items.filter(|link| {
            let is_seed = self.job.options.sitemap_first;
            !(is_seed
                && !link.redirects.is_empty()
                && self.skipped.iter().any(|line| {
                    line.reason == SkipReason::NotFollowed && urls::same_page(&line.url, &link.url)
                }))
        });
        let items = items.map(|link| (&link.url, "a result"));
        let skipped = skipped.iter().map(|line| (&line.url, line.reason.as_str()));
        for (url, word) in items.chain(skipped) {
            if let Some(before) = self.told.insert(urls::page_key(url).to_owned(), word) {
                self.told_twice = Some(format!("{url} is {before}, and then {word}"));
            }
        }
    }

    /// After an append of unknown outcome: whether it went through; none when the
    /// shard is in other hands.
    pub fn landed(&self, lease: &mut Lease) -> Option<bool> {
        if self.epoch != lease.epoch {
            return None;
        }
        let landed = self.head() == lease.head + 1;
        lease.head = self.head();
        Some(landed)
    }

    /// Writes the state as of the lease's head; false when the shard has moved on.
    pub fn write_snapshot(&mut self, lease: &Lease, snapshot: Snapshot) -> bool {
        if !self.holds(lease) || self.head() != lease.head {
            return false;
        }
        self.snapshot = Some((self.commits.len(), snapshot));
        true
    }

    /// What a worker that takes over reads.
    pub fn log(&self) -> (Option<&Snapshot>, &[Commit]) {
        let (from, snapshot) = match &self.snapshot {
            Some((from, snapshot)) => (*from, Some(snapshot)),
            None => (0, None),
        };
        let mut commits = &self.commits[from..];
        if self.flaw == Some(Flaw::LastCommitMissed) {
            commits = &commits[..commits.len().saturating_sub(1)];
        }
        (snapshot, commits)
    }

    /// Every commit ever appended.
    pub fn whole_log(&self) -> &[Commit] {
        &self.commits
    }

    /// The holder of the shard reports; none when the lease is lost.
    pub fn report(
        &mut self,
        lease: &Lease,
        command: &JobCommand,
        now: Millis,
    ) -> Option<Result<(), Refusal>> {
        (self.epoch == lease.epoch).then(|| self.command(command, now))
    }

    /// Decides a command and writes it down with its effects.
    pub fn command(&mut self, command: &JobCommand, now: Millis) -> Result<(), Refusal> {
        let Decision { job, effects } = decide(Some(&self.job), command, &self.rates, now)?;
        self.went_protected |= job.protected;
        self.job = job;
        for effect in effects {
            match effect {
                JobEffect::OpenShards => {
                    self.shard = Shard::Open;
                    self.lease_until = Millis(0);
                }
                JobEffect::ParkShards | JobEffect::CloseShards => {
                    let closed = effect == JobEffect::CloseShards;
                    self.shard = if closed { Shard::Closed } else { Shard::Parked };
                    self.epoch += 1;
                    self.lease_until = Millis(0);
                }
                // What is reserved is a member of the job, which is the only one here.
                JobEffect::Release | JobEffect::Reserve(_) | JobEffect::Emit(_) => {}
            }
        }
        Ok(())
    }

    /// The owner tops up.
    pub fn grant(&mut self, credits: Credits) {
        self.granted = Credits(self.granted.0 + credits.0);
        self.balance = Credits(self.balance.0 + credits.0);
    }
}

/// Whether a commit and its items come back from their stored form as they were.
pub(crate) fn survives_storage(pending: &Pending) -> Result<(), String> {
    let Pending { commit, items, skipped } = pending;
    let stored = commit.encode().map_err(|error| error.to_string())?;
    let back = Commit::decode(&stored).map_err(|error| error.to_string())?;
    if back != *commit {
        return Err("a commit does not come back from its stored form".to_owned());
    }
    let segment = Segment::pack(items).map_err(|error| error.to_string())?;
    let lines = Segment::lines(&segment.bytes).map_err(|error| error.to_string())?;
    if lines.len() != items.len() {
        return Err(format!("{} items are stored as {} lines", items.len(), lines.len()));
    }
    let segment = Segment::pack(skipped).map_err(|error| error.to_string())?;
    let lines = Segment::lines(&segment.bytes).map_err(|error| error.to_string())?;
    if lines.len() != skipped.len() {
        return Err(format!("{} URLs left out are stored as {} lines", skipped.len(), lines.len()));
    }
    Ok(())
}
