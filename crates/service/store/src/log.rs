//! The log of a run: each commit is appended in one transaction with its charge, results and events.

use contract::{Credits, Item, JobId, LedgerId, Millis, SkippedUrl, Status, Units};
use job::Job;
use journal::{Commit, Fact, Snapshot, Step};
use privacy::OptOuts;

use crate::blob::Upload;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::redacted_commit::RedactedCommit;
use crate::run_page::CommitPages;
use crate::segments::RESULTS;
use crate::skipped::{self, PackedSkips};
use crate::skipped_page::NumberedSkips;
use crate::{
    Lease, Result, Store, StoreError, Wake, job_row, limits, progress_event, random, result_sizes,
    run_page, template,
};
use runtime::off_runtime;

/// The outcome of [`Store::append`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The commit is stored and charged, and its results are readable.
    Stored,
    /// The credits cover only this many units of the commit; nothing was stored.
    Short { covered: Units },
    /// The lease is lost or the job does not run; nothing was stored.
    Lost,
}

/// The stored log of a shard, from which a worker restores the run.
#[derive(Debug, Clone)]
pub struct ShardLog {
    pub snapshot: Option<Snapshot>,
    /// The commits after the snapshot, or all of them without one.
    pub commits: Vec<Commit>,
}

impl ShardLog {
    fn is_empty(&self) -> bool {
        self.commits.is_empty() && self.snapshot.as_ref().is_none_or(|one| one.size() == 0)
    }
}

/// Advances `head` if epoch and head match: a worker with an expired lease updates no row. A commit
/// resets `deaths` and ends the probe of a suspect: a long run is not failed for crashes that it
/// survived. The version of
/// the opt-outs is read while the job's row is locked: an erasure, which locks the job as well,
/// finds this commit, or this commit is redacted with the new opt-out.
const MOVE_HEAD: &str = "UPDATE shards SET head = head + 1, log_bytes = log_bytes + $4, \
    deaths = 0, probe_until = 0, fetched = fetched + $5, fetching = $6, memory_bytes = $7 \
    WHERE id = $1 AND epoch = $2 AND head = $3 AND state = 'open' \
    RETURNING (SELECT version FROM objection_list WHERE id = 1) AS objections";
const HEAD: &str = "SELECT head FROM shards WHERE id = $1 AND epoch = $2";
const DEBIT: &str = "UPDATE accounts SET balance = balance - $2, reserved = reserved - $3 \
    WHERE id = $1 AND balance - reserved >= $4";
const AVAILABLE: &str = "SELECT balance - reserved FROM accounts WHERE id = $1";
const DEBIT_LINE: &str = "INSERT INTO ledger (id, account_id, kind, amount, units, job_id, \
    shard_id, seq, mode, source, day, at) \
    VALUES ($1, $2, 'debit', $3, $4, $5, $6, $7, $8, $9, $10, $11)";
const INSERT_COMMIT: &str = "INSERT INTO commits (shard_id, seq, body) VALUES ($1, $2, $3)";
const STATE: &str = "SELECT snapshot_seq, snapshot_bytes, log_bytes FROM shards WHERE id = $1";
const SHARD_OF_RUN: &str = "SELECT id, head, snapshot_bytes, log_bytes FROM shards \
    WHERE job_id = $1 AND number = $2";
pub(crate) const READ_SNAPSHOT: &str =
    "SELECT body FROM snapshots WHERE shard_id = $1 ORDER BY part";
const READ_COMMITS: &str = "SELECT seq, body FROM commits \
    WHERE shard_id = $1 AND seq > $2 ORDER BY seq LIMIT 256";
const SET_SNAPSHOT: &str = "UPDATE shards SET snapshot_seq = head, snapshot_bytes = $4, log_bytes = 0 \
    WHERE id = $1 AND epoch = $2 AND head = $3 AND state = 'open'";
const DROP_SNAPSHOT: &str = "DELETE FROM snapshots WHERE shard_id = $1";
const INSERT_PART: &str = "INSERT INTO snapshots (shard_id, part, body) VALUES ($1, $2, $3)";
const DROP_COMMITS: &str = "DELETE FROM commits WHERE shard_id = $1 AND seq <= $2";

impl Store {
    /// Appends a commit whose run keeps nothing of its pages.
    ///
    /// # Errors
    /// Those of [`Store::append_with_pages`].
    pub async fn append(
        &self,
        lease: &mut Lease,
        commit: &Commit,
        items: &[Item],
        skipped: &[SkippedUrl],
        now: Millis,
    ) -> Result<Appended> {
        self.append_with_pages(lease, commit, items, CommitPages::default(), skipped, now).await
    }

    /// Appends a commit with its items, what is kept of their pages, and skipped URLs, charges its
    /// units, and advances the head of the lease, in one transaction.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails. Whether the commit was stored is then unknown until
    /// [`Store::was_appended`].
    pub async fn append_with_pages(
        &self,
        lease: &mut Lease,
        commit: &Commit,
        items: &[Item],
        pages: CommitPages<'_>,
        skipped: &[SkippedUrl],
        now: Millis,
    ) -> Result<Appended> {
        let skips = NumberedSkips::of(skipped, pages.skipped);
        loop {
            let mut upload = Upload::default();
            let results = (commit, items, pages, &skips);
            let appended = self.append_once(lease, results, &mut upload, now).await;
            if matches!(appended, Ok(Some(Appended::Stored)) | Err(_)) {
                // After an error it is unknown whether the transaction was committed.
                return appended.map(|appended| appended.unwrap_or(Appended::Lost));
            }
            upload.discard().await;
            if let Some(appended) = appended? {
                return Ok(appended);
            }
        }
    }

    /// `None` if files were uploaded that an opt-out covers which was added meanwhile.
    async fn append_once(
        &self,
        lease: &mut Lease,
        (commit, items, pages, skips): (&Commit, &[Item], CommitPages<'_>, &NumberedSkips<'_>),
        upload: &mut Upload,
        now: Millis,
    ) -> Result<Option<Appended>> {
        let known = self.known_opt_outs();
        let (mut redacted, mut body) = encode(&known.list, commit, items)?;
        let mut packed = off_runtime(|| run_page::pack(&known.list, &redacted, pages, skips))?;
        let skipped = off_runtime(|| PackedSkips::of(&skips.rows))?;
        let most = self.inner.settings.job_file_bytes;
        if self.has_bucket() && packed.has_files() {
            let used = self.job_files(&lease.job).await?.stored_bytes;
            *upload = self.upload(packed.blobs(used, most), now).await?;
        }
        let mut tx = self.begin().await?;
        let row = sql!(job_row::LOCK; lease.job).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(Some(Appended::Lost)) };
        let mut job = job_row::read(&row)?;
        if job.status != Status::Running {
            return Ok(Some(Appended::Lost));
        }
        let moved = sql!(MOVE_HEAD; lease.shard, lease.epoch, lease.head, body.len(),
            commit.totals().finished, lease.fetching.join("\n"), lease.memory_bytes)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(moved) = moved else { return Ok(Some(Appended::Lost)) };
        let version: i64 = moved.read("objections")?;
        if version != known.version {
            let list = self.opt_outs_in(&mut tx, version).await?;
            if !upload.is_empty() {
                return Ok(None);
            }
            (redacted, body) = encode(&list, commit, items)?;
            packed = off_runtime(|| run_page::pack(&list, &redacted, pages, skips))?;
        }
        let totals = redacted.commit.totals();
        let seq = lease.head + 1;
        if totals.units > 0
            && let Some(covered) =
                self.charge(&mut tx, &mut job, Units(totals.units), lease, seq, now).await?
        {
            return Ok(Some(Appended::Short { covered }));
        }
        sql!(INSERT_COMMIT; lease.shard, seq, body).run(&mut tx).await?;
        if let Some(segment) = redacted.segment {
            result_sizes::add(&mut tx, &job.id, job.counts.results, &segment.lengths).await?;
            RESULTS.add(&mut tx, &job.id, job.counts.results, segment).await?;
        }
        upload.insert(&mut tx).await?;
        run_page::insert(&mut tx, &job.id, job.counts.results, packed.items, most).await?;
        run_page::insert(&mut tx, &job.id, 0, packed.skipped, most).await?;
        skipped::write(&mut tx, &job.id, skipped).await?;
        template::store_learned(&mut tx, commit, now).await?;
        if let Some(marker) = protection_marker(commit) {
            job.protected_marker.get_or_insert_with(|| marker.to_owned());
        }
        job.counts.pages += totals.found;
        job.counts.products += totals.identified;
        let first = job.counts.results;
        job.counts.results += items.len() as u64;
        job_row::update(&mut tx, &job).await?;
        let last_event: Option<Millis> = row.read("progress_at")?;
        let results = first..job.counts.results;
        let mut has_deliveries = self.report_results(&mut tx, &job, results, now).await?;
        if last_event.is_none_or(|at| now.since(at) >= self.inner.settings.progress_every)
            && progress_event::has_moved(&mut tx, &job).await?
        {
            has_deliveries |= self.emit_progress(&mut tx, &job, now).await?;
        }
        self.commit_and_wake(tx, has_deliveries.then_some(Wake::Delivery)).await?;
        lease.head = seq;
        Ok(Some(Appended::Stored))
    }

    /// Debits the units, first from the job's reservation, then from the available balance. When
    /// these or `max_credits` do not cover them, returns the number of units that would be.
    async fn charge(
        &self,
        tx: &mut Tx,
        job: &mut Job,
        units: Units,
        lease: &Lease,
        seq: i64,
        now: Millis,
    ) -> Result<Option<Units>> {
        if job.free {
            job.units = Units(job.units.0 + units.0);
            return Ok(None);
        }
        let damaged = || StoreError::Damaged(format!("the price of {units} units"));
        let rate = job.rate.unwrap_or_else(|| self.rates().normal(job.mode));
        let cost = rate.times(units).ok_or_else(damaged)?;
        if let Some(left) = job.credits_left().filter(|left| cost > *left) {
            return Ok(Some(left.covers(rate)));
        }
        let from_reservation = cost.min(job.reserved);
        let from_available = cost.minus(from_reservation).ok_or_else(damaged)?;
        let debit = sql!(DEBIT; job.account, cost, from_reservation, from_available);
        let is_debited = debit.run(tx).await? == 1;
        let charged = (cost, Credits(-from_reservation.0));
        let creator = job.creator.as_ref();
        if !is_debited || !limits::charge(tx, &job.account, creator, charged, now).await? {
            let available: i64 = scalar!(AVAILABLE; job.account).fetch_one(&mut **tx).await?;
            // The caller rolls back, so that the debited credits count as available.
            let taken = if is_debited { from_available } else { Credits::ZERO };
            let available = Credits(available).plus(taken).ok_or_else(damaged)?;
            let budget = limits::remaining(tx, &job.account, creator, now).await?;
            let available = budget.map_or(available, |budget| budget.min(available));
            let within_reach = available.plus(job.reserved).ok_or_else(damaged)?;
            return Ok(Some(within_reach.covers(rate)));
        }
        sql!(DEBIT_LINE; LedgerId::new(now, random()), job.account, -cost.0, units, job.id,
            lease.shard, seq, job.mode, job.source, now.day(), now)
        .run(tx)
        .await?;
        job.units = Units(job.units.0 + units.0);
        if job.protected {
            job.protected_units = Units(job.protected_units.0 + units.0);
        }
        job.credits_used = job.credits_used.plus(cost).ok_or_else(damaged)?;
        job.reserved = job.reserved.minus(from_reservation).ok_or_else(damaged)?;
        Ok(None)
    }

    /// Whether an append with an unknown outcome was stored. `None` when the lease is lost.
    ///
    /// # Errors
    /// [`StoreError`] when the database still fails.
    pub async fn was_appended(&self, lease: &mut Lease) -> Result<Option<bool>> {
        // Through the writer: a transaction of a broken connection is rolled back by then.
        let mut tx = self.begin().await?;
        let head: Option<i64> =
            scalar!(HEAD; lease.shard, lease.epoch).fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        let Some(head) = head else { return Ok(None) };
        let was_appended = head == lease.head + 1;
        lease.head = head;
        Ok(Some(was_appended))
    }

    /// Reads the snapshot and the commits of a shard.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or the log is damaged.
    pub async fn shard_log(&self, lease: &Lease) -> Result<ShardLog> {
        let (log, end) = self.read_log(lease.shard.as_str()).await?;
        if end != lease.head {
            return Err(StoreError::Damaged(format!(
                "the log ends at {end} and its head is {}",
                lease.head
            )));
        }
        Ok(log)
    }

    /// The log of a shard for a reader without a lease; `None` if it is larger than `max_bytes` or was
    /// replaced meanwhile by a snapshot. The crawl of a site has shard 0 alone.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or the log is damaged.
    pub async fn run_log(
        &self,
        job: &JobId,
        shard: u32,
        max_bytes: u64,
    ) -> Result<Option<ShardLog>> {
        let row = sql!(SHARD_OF_RUN; job, shard).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let bytes = row.read::<u64>("snapshot_bytes")? + row.read::<u64>("log_bytes")?;
        if bytes > max_bytes {
            return Ok(None);
        }
        let has_commits = row.read::<i64>("head")? > 0;
        match self.read_log(&row.read::<String>("id")?).await {
            // Deleted before the results: the run has finished.
            Ok((log, _)) if has_commits && log.is_empty() => Ok(None),
            Ok((log, _)) => Ok(Some(log)),
            Err(StoreError::Damaged(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a log, and the number of its last commit.
    async fn read_log(&self, shard: &str) -> Result<(ShardLog, i64)> {
        let reader = self.reader()?;
        let state = sql!(STATE; shard).fetch_one(reader).await?;
        let mut after: i64 = state.read("snapshot_seq")?;
        let snapshot = if after == 0 {
            None
        } else {
            let parts: Vec<Vec<u8>> = scalar!(READ_SNAPSHOT; shard).fetch_all(reader).await?;
            Some(Snapshot::join(parts))
        };
        let mut commits = Vec::new();
        loop {
            let rows = sql!(READ_COMMITS; shard, after).fetch_all(reader).await?;
            off_runtime(|| -> Result<()> {
                for row in &rows {
                    let seq: i64 = row.read("seq")?;
                    if seq != after + 1 {
                        return Err(StoreError::Damaged(format!(
                            "commit {} is missing",
                            after + 1
                        )));
                    }
                    after = seq;
                    commits.push(Commit::decode(&row.read::<Vec<u8>>("body")?)?);
                }
                Ok(())
            })?;
            if rows.is_empty() {
                break;
            }
        }
        Ok((ShardLog { snapshot, commits }, after))
    }

    /// Whether the log since the last snapshot has at least `at_least` bytes and is larger than the
    /// snapshot: a new one keeps replay short, and the total cost of snapshots stays linear.
    pub async fn is_snapshot_due(&self, lease: &Lease, at_least: u64) -> Result<bool> {
        let row = sql!(STATE; lease.shard).fetch_one(self.reader()?).await?;
        let log: u64 = row.read("log_bytes")?;
        Ok(log >= at_least && log > row.read::<u64>("snapshot_bytes")?)
    }

    /// Stores the state at the lease's head, and deletes the commits before it. False when the
    /// lease is lost or the head has advanced.
    pub async fn write_snapshot(&self, lease: &Lease, snapshot: &Snapshot) -> Result<bool> {
        let shard = lease.shard.as_str();
        let mut tx = self.begin().await?;
        let held = sql!(SET_SNAPSHOT; shard, lease.epoch, lease.head, snapshot.size())
            .run(&mut tx)
            .await?;
        if held == 0 {
            return Ok(false);
        }
        replace_snapshot(&mut tx, shard, snapshot).await?;
        sql!(DROP_COMMITS; shard, lease.head).run(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Redacts and encodes a commit with its items, off the runtime: they may be megabytes.
fn encode<'a>(
    opt_outs: &OptOuts,
    commit: &'a Commit,
    items: &[Item],
) -> Result<(RedactedCommit<'a>, Vec<u8>)> {
    off_runtime(|| {
        let redacted = RedactedCommit::of(opt_outs, commit, items)?;
        let body = redacted.commit.encode()?;
        Ok((redacted, body))
    })
}

/// Replaces the stored snapshot of a shard.
pub(crate) async fn replace_snapshot(tx: &mut Tx, shard: &str, snapshot: &Snapshot) -> Result<()> {
    sql!(DROP_SNAPSHOT; shard).run(tx).await?;
    for (number, part) in (0_i64..).zip(snapshot.parts()) {
        sql!(INSERT_PART; shard, number, part).run(tx).await?;
    }
    Ok(())
}

/// The protection marker of the first challenge in the commit, as `cloudflare_challenge`.
fn protection_marker(commit: &Commit) -> Option<&str> {
    commit.steps.iter().find_map(|step| match step {
        Step::Learned(Fact::Protected { marker }) => Some(marker.as_str()),
        _ => None,
    })
}
