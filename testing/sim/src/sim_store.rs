//! The simulated database of one job: log, results, balance and lease, changed together or not at
//! all, like one transaction.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use contract::{
    AccountId, Credits, FailureCause, FetchFault, Item, JobId, Millis, SkipReason, SkippedUrl,
    Status, Units,
};
use crawl::{Pending, RunState};
use job::{Decision, Job, JobCommand, JobDraft, JobEffect, RateCard, Refusal, decide};
use journal::{Cause, Commit, Outcome, Segment, Snapshot, Step, UrlId, UrlRole};

use crate::bot_protection::ProtectionPolicy;
use crate::fault_profile::InjectedBug;
use crate::requested_run::{RequestedRun, traps};

/// How long a lease lasts without a renewal.
const LEASE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShardState {
    Open,
    Parked,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SimLease {
    pub epoch: u64,
    pub head: u64,
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppendResult {
    Stored,
    Short { covered: u64 },
    Lost,
}

/// A charge in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SimCharge {
    pub seq: u64,
    pub units: u64,
    pub cost: Credits,
}

/// The stored data of one job.
#[derive(Debug)]
pub(crate) struct SimStore {
    pub job: Job,
    pub granted: Credits,
    pub balance: Credits,
    pub ledger: Vec<SimCharge>,
    /// The price of all delivered units, each at the rate of its time.
    pub owed: Credits,
    pub items: Vec<Item>,
    pub skipped: Vec<SkippedUrl>,
    /// Number of skipped URLs according to the log.
    pub skips_logged: u64,
    /// A URL that was reported twice: skipped or delivered.
    pub reported_twice: Option<String>,
    /// The state from replaying the log step by step.
    pub state: RunState,
    /// The newest epoch that ever appended.
    pub last_writer: u64,
    /// The epoch of a writer that was not the newest holder.
    pub stale_write: Option<u64>,
    /// A URL that the log finishes twice.
    pub finished_twice: Option<UrlId>,
    /// Number of requested pages, with any result.
    pub pages_asked: u64,
    /// Number of pages that protection blocked.
    pub blocked: u64,
    /// Whether the run ever used the protected tier.
    pub went_protected: bool,
    finished: HashSet<UrlId>,
    /// Every delivered or skipped URL, by key.
    reported: HashMap<String, &'static str>,
    commits: Vec<Commit>,
    snapshot: Option<(usize, Snapshot)>,
    shard: ShardState,
    epoch: u64,
    lease_until: Millis,
    rates: RateCard,
    /// The run ends after this number of pages.
    pub max_pages: Option<u64>,
    bug: Option<InjectedBug>,
}

impl SimStore {
    pub fn open(
        url: &str,
        listed_urls: u64,
        requested: &RequestedRun,
        batch_size: u64,
        purse: Credits,
        policy: &ProtectionPolicy,
        bug: Option<InjectedBug>,
    ) -> Result<Self, Refusal> {
        let draft = JobDraft {
            id: JobId::new(Millis(1), [1; 10]),
            account: AccountId::new(Millis(1), [2; 10]),
            source: "direct".to_owned(),
            creator: None,
            free: false,
            mode: requested.mode,
            url: Some(url.to_owned()),
            domains: Vec::new(),
            inputs: Vec::new(),
            listed_urls,
            list: None,
            site_key: None,
            scope: requested.scope.clone(),
            options: requested.options.clone(),
            on_protected: policy.on_protected,
            ceiling: policy.ceiling,
            external: None,
            webhook: None,
            access: contract::SiteAccess::default(),
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
            skips_logged: 0,
            reported_twice: None,
            state: RunState::new(traps()),
            last_writer: 0,
            stale_write: None,
            finished_twice: None,
            pages_asked: 0,
            blocked: 0,
            went_protected: false,
            finished: HashSet::new(),
            reported: HashMap::new(),
            commits: Vec::new(),
            snapshot: None,
            shard: ShardState::Open,
            epoch: 0,
            lease_until: Millis(0),
            rates,
            max_pages: requested.max_pages,
            bug,
        })
    }

    /// The balance without reservations.
    pub fn available(&self) -> Credits {
        Credits(self.balance.0 - self.job.reserved.0)
    }

    /// Number of commits in the log.
    pub fn head(&self) -> u64 {
        self.commits.len() as u64
    }

    /// Whether the job has ended.
    pub fn is_over(&self) -> bool {
        match self.job.status {
            Status::Completed | Status::Failed | Status::Aborted => true,
            Status::Queued | Status::Running | Status::AwaitingConfirmation | Status::Paused => {
                false
            }
        }
    }

    /// Claims the shard if it is free.
    pub fn claim(&mut self, now: Millis) -> Option<SimLease> {
        if self.shard != ShardState::Open || now < self.lease_until {
            return None;
        }
        self.epoch += 1;
        self.lease_until = now.plus(LEASE);
        Some(SimLease { epoch: self.epoch, head: self.head() })
    }

    /// Renews a lease. Returns false if the shard has another holder.
    pub fn renew(&mut self, lease: &SimLease, now: Millis) -> bool {
        let held = self.holds(lease);
        if held {
            self.lease_until = now.plus(LEASE);
        }
        held
    }

    /// Whether a lease is valid.
    pub fn holds(&self, lease: &SimLease) -> bool {
        self.shard == ShardState::Open && self.epoch == lease.epoch
    }

    /// Expires the lease, whether or not its holder knows.
    pub fn expire(&mut self) {
        self.lease_until = Millis(0);
    }

    /// Appends a commit with its items and skipped URLs, and charges its units, as one transaction.
    pub fn append(&mut self, lease: &mut SimLease, pending: &Pending) -> AppendResult {
        let Pending { commit, items, skipped, .. } = pending;
        let lenient = self.bug == Some(InjectedBug::EpochUnchecked);
        let held = (lenient || self.holds(lease)) && self.head() == lease.head;
        if self.job.status != Status::Running || !held {
            return AppendResult::Lost;
        }
        let totals = commit.totals();
        let rate = match self.bug {
            Some(InjectedBug::NormalRateCharged) => self.rates.normal(self.job.mode),
            _ => self.job.rate.unwrap_or(Credits(1)),
        };
        let cost = Credits(rate.0 * i64::try_from(totals.units).unwrap_or(i64::MAX));
        let reach = Credits(self.available().0 + self.job.reserved.0);
        let reach = self.job.credits_left().map_or(reach, |left| left.min(reach));
        if cost > reach && self.bug != Some(InjectedBug::DeliveredUnpaid) {
            return AppendResult::Short { covered: reach.covers(rate).0 };
        }
        let seq = self.head() + 1;
        self.owed = Credits(self.owed.0 + self.worth(totals.units));
        if totals.units > 0 && self.bug != Some(InjectedBug::NothingCharged) {
            let from_reservation = cost.min(self.job.reserved);
            self.job.reserved = Credits(self.job.reserved.0 - from_reservation.0);
            self.balance = Credits(self.balance.0 - cost.0);
            self.job.credits_used = Credits(self.job.credits_used.0 + cost.0);
            self.ledger.push(SimCharge { seq, units: totals.units, cost });
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
                && !self.finished.insert(finished.id)
            {
                self.finished_twice = Some(finished.id);
            }
        }
        self.state.replay(commit);
        self.count_asked(commit);
        self.items.extend_from_slice(items);
        self.skips_logged += totals.skipped;
        self.write_skipped(skipped);
        self.report_once(items, skipped);
        self.commits.push(commit.clone());
        lease.head = seq;
        AppendResult::Stored
    }

    /// The budget of the job, as it was requested or raised.
    pub fn max_credits(&self) -> Option<Credits> {
        let max = self.job.options.max_credits?;
        Some(Credits(i64::try_from(max).unwrap_or(i64::MAX)))
    }

    /// The price of units at the current rate, computed without the job's own rate.
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
            self.state.frontier().role(finished.id) == UrlRole::Page
                && match finished.outcome {
                    Outcome::Answered(_) => true,
                    Outcome::Failed(cause) => cause.failure() != FailureCause::Robots,
                    Outcome::Redirected { .. } | Outcome::NotRequested | Outcome::Skipped(_) => {
                        false
                    }
                }
        });
        self.pages_asked += asked.count() as u64;
    }

    fn write_skipped(&mut self, skipped: &[SkippedUrl]) {
        let lost = usize::from(self.bug == Some(InjectedBug::SkippedRowLost));
        self.skipped.extend(skipped.iter().skip(lost).cloned());
    }

    /// Checks that every URL is reported once: as a result or as skipped.
    fn report_once(&mut self, items: &[Item], skipped: &[SkippedUrl]) {
        let items = items.iter().filter_map(Item::link);
        // A redirect loop is reported under its first URL, which is also reported as a redirect.
        let items = items.filter(|link| link.error != Some(FetchFault::RedirectLoop));
        // With a sitemap as the seed, a link that is reported as not followed may be the redirect
        // target of a listed page, which is fetched.
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
            if let Some(before) = self.reported.insert(urls::page_key(url).to_owned(), word) {
                self.reported_twice = Some(format!("{url} is {before}, then {word}"));
            }
        }
    }

    /// Whether an append with an unknown result was stored; `None` if the shard has another holder.
    pub fn landed(&self, lease: &mut SimLease) -> Option<bool> {
        if self.epoch != lease.epoch {
            return None;
        }
        let landed = self.head() == lease.head + 1;
        lease.head = self.head();
        Some(landed)
    }

    /// Stores a snapshot at the lease's head. Returns false if the lease is lost.
    pub fn write_snapshot(&mut self, lease: &SimLease, snapshot: Snapshot) -> bool {
        if !self.holds(lease) || self.head() != lease.head {
            return false;
        }
        self.snapshot = Some((self.commits.len(), snapshot));
        true
    }

    /// The snapshot and commits that a worker reads when it takes over.
    pub fn log(&self) -> (Option<&Snapshot>, &[Commit]) {
        let (from, snapshot) = match &self.snapshot {
            Some((from, snapshot)) => (*from, Some(snapshot)),
            None => (0, None),
        };
        let mut commits = &self.commits[from..];
        if self.bug == Some(InjectedBug::LastCommitMissed) {
            commits = &commits[..commits.len().saturating_sub(1)];
        }
        (snapshot, commits)
    }

    /// Every commit ever appended.
    pub fn whole_log(&self) -> &[Commit] {
        &self.commits
    }

    /// Applies a command of the holder; `None` if the lease is lost.
    pub fn report(
        &mut self,
        lease: &SimLease,
        command: &JobCommand,
        now: Millis,
    ) -> Option<Result<(), Refusal>> {
        (self.epoch == lease.epoch).then(|| self.command(command, now))
    }

    /// Decides a command and applies its effects.
    pub fn command(&mut self, command: &JobCommand, now: Millis) -> Result<(), Refusal> {
        let Decision { job, effects } = decide(Some(&self.job), command, &self.rates, now)?;
        self.went_protected |= job.protected;
        self.job = job;
        for effect in effects {
            match effect {
                JobEffect::OpenShards => {
                    self.shard = ShardState::Open;
                    self.lease_until = Millis(0);
                }
                JobEffect::ParkShards | JobEffect::CloseShards => {
                    let closed = effect == JobEffect::CloseShards;
                    self.shard = if closed { ShardState::Closed } else { ShardState::Parked };
                    self.epoch += 1;
                    self.lease_until = Millis(0);
                }
                // The reservation is a field of the job.
                JobEffect::Release | JobEffect::Reserve(_) | JobEffect::Emit(_) => {}
            }
        }
        Ok(())
    }

    /// Adds credits to the balance.
    pub fn grant(&mut self, credits: Credits) {
        self.granted = Credits(self.granted.0 + credits.0);
        self.balance = Credits(self.balance.0 + credits.0);
    }
}

/// Checks that a commit and its items survive encoding and decoding.
pub(crate) fn survives_storage(pending: &Pending) -> Result<(), String> {
    let Pending { commit, items, skipped, .. } = pending;
    let stored = commit.encode().map_err(|error| error.to_string())?;
    let back = Commit::decode(&stored).map_err(|error| error.to_string())?;
    if back != *commit {
        return Err("a decoded commit differs from the encoded one".to_owned());
    }
    let segment = Segment::pack(items).map_err(|error| error.to_string())?;
    let lines = Segment::lines(&segment.bytes).map_err(|error| error.to_string())?;
    if lines.len() != items.len() {
        return Err(format!("{} items are stored as {} lines", items.len(), lines.len()));
    }
    let segment = Segment::pack(skipped).map_err(|error| error.to_string())?;
    let lines = Segment::lines(&segment.bytes).map_err(|error| error.to_string())?;
    if lines.len() != skipped.len() {
        return Err(format!("{} skipped URLs are stored as {} lines", skipped.len(), lines.len()));
    }
    Ok(())
}
