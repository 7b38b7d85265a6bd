//! The log of a run: appended together with its price, its results and its events.

use contract::{Credits, Item, LedgerId, Millis, SkippedUrl, Status, Units};
use job::Job;
use journal::{Commit, Fact, Snapshot, Step};
use privacy::OptOuts;
use sqlx::{Any, Row, Transaction};

use crate::job_row::signed;
use crate::redacted_commit::RedactedCommit;
use crate::segments::RESULTS;
use crate::skipped::{self, PackedSkips};
use crate::{
    Lease, Store, StoreError, Wake, job_row, limits, progress_event, random, result_sizes, template,
};
use runtime::off_runtime;

/// What became of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is written, paid and readable.
    Stored,
    /// Only this many of its units are covered; nothing was written.
    Short {
        /// The units that are.
        covered: Units,
    },
    /// Somebody else holds the shard, or the job does not run; nothing was written.
    Lost,
}

/// How a run is given back after a crash.
#[derive(Debug, Clone)]
pub struct ShardLog {
    /// The state at some commit.
    pub snapshot: Option<Snapshot>,
    /// The commits after it.
    pub commits: Vec<Commit>,
}

/// Moves only with the epoch: a stale holder must lose. A commit is a sign of life,
/// so that a long run is not given up for the crashes it survived. The version of the
/// objections is read here because the job is held by now: whoever objects and then looks
/// through what is stored, holding the job in turn, finds this commit or is heeded by it.
const MOVE_HEAD: &str = "UPDATE shards SET head = head + 1, log_bytes = log_bytes + $4, \
    deaths = 0, fetched = fetched + $5, fetching = $6, memory_bytes = $7 \
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
const READ_SNAPSHOT: &str = "SELECT body FROM snapshots WHERE shard_id = $1 ORDER BY part";
const READ_COMMITS: &str = "SELECT seq, body FROM commits \
    WHERE shard_id = $1 AND seq > $2 ORDER BY seq LIMIT 256";
const HOLD: &str = "UPDATE shards SET snapshot_seq = head, snapshot_bytes = $4, log_bytes = 0 \
    WHERE id = $1 AND epoch = $2 AND head = $3 AND state = 'open'";
const DROP_SNAPSHOT: &str = "DELETE FROM snapshots WHERE shard_id = $1";
const INSERT_PART: &str = "INSERT INTO snapshots (shard_id, part, body) VALUES ($1, $2, $3)";
const DROP_COMMITS: &str = "DELETE FROM commits WHERE shard_id = $1 AND seq <= $2";

impl Store {
    /// Appends a commit, its items and the URLs it left out, charges the units, and moves
    /// the lease's head. All of it or nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails. Whether the append went through is then
    /// unknown: [`Store::landed`] tells.
    pub async fn append(
        &self,
        lease: &mut Lease,
        commit: &Commit,
        items: &[Item],
        skipped: &[SkippedUrl],
        now: Millis,
    ) -> Result<Appended, StoreError> {
        let known = self.known_objections();
        let (mut cleared, mut body) = encode(&known.list, commit, items)?;
        let skipped = off_runtime(|| PackedSkips::of(skipped))?;
        let mut tx = self.begin().await?;
        let row = sqlx::query(job_row::LOCK).bind(lease.job.as_str()).fetch_optional(&mut *tx);
        let Some(row) = row.await? else { return Ok(Appended::Lost) };
        let mut job = job_row::read(&row)?;
        if job.status != Status::Running {
            return Ok(Appended::Lost);
        }
        let moved = sqlx::query(MOVE_HEAD)
            .bind(lease.shard.as_str())
            .bind(lease.epoch)
            .bind(lease.head)
            .bind(signed(body.len() as u64))
            .bind(signed(commit.totals().finished))
            .bind(lease.fetching.join("\n"))
            .bind(i64::try_from(lease.memory_bytes).unwrap_or(i64::MAX))
            .fetch_optional(&mut *tx)
            .await?;
        let Some(moved) = moved else { return Ok(Appended::Lost) };
        let version: i64 = moved.try_get("objections")?;
        if version != known.version {
            let list = self.objections_in(&mut tx, version).await?;
            (cleared, body) = encode(&list, commit, items)?;
        }
        let totals = cleared.commit.totals();
        let seq = lease.head + 1;
        if totals.units > 0
            && let Some(covered) =
                self.charge(&mut tx, &mut job, Units(totals.units), lease, seq, now).await?
        {
            return Ok(Appended::Short { covered });
        }
        sqlx::query(INSERT_COMMIT)
            .bind(lease.shard.as_str())
            .bind(seq)
            .bind(body)
            .execute(&mut *tx)
            .await?;
        if let Some(segment) = cleared.segment {
            result_sizes::add(&mut tx, &job.id, job.counts.results, &segment.lengths).await?;
            RESULTS.add(&mut tx, &job.id, job.counts.results, segment).await?;
        }
        skipped::write(&mut tx, &job.id, skipped).await?;
        template::keep(&mut tx, commit, now).await?;
        if let Some(marker) = protection_met(commit) {
            job.protected_marker.get_or_insert_with(|| marker.to_owned());
        }
        job.counts.pages += totals.found;
        job.counts.products += totals.products;
        job.counts.results += items.len() as u64;
        job_row::update(&mut tx, &job).await?;
        let last_told = row.try_get::<Option<i64>, _>("progress_at")?.map(Millis);
        let mut told = false;
        if last_told.is_none_or(|at| now.since(at) >= self.inner.settings.progress_every)
            && progress_event::has_moved(&mut tx, &job).await?
        {
            told = self.emit_progress(&mut tx, &job, now).await?;
        }
        tx.commit().await?;
        lease.head = seq;
        if told {
            self.wake_here(Wake::Delivery);
        }
        Ok(Appended::Stored)
    }

    /// Debits the units: from the job's reservation first, then from what is
    /// available. Answers what would be covered when they are not.
    async fn charge(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &mut Job,
        units: Units,
        lease: &Lease,
        seq: i64,
        now: Millis,
    ) -> Result<Option<Units>, StoreError> {
        if job.free {
            job.units = Units(job.units.0 + units.0);
            return Ok(None);
        }
        let damaged = || StoreError::Damaged(format!("the price of {units} units"));
        let rate = job.rate.unwrap_or_else(|| self.rates().normal(job.mode));
        let cost = rate.times(units).ok_or_else(damaged)?;
        let from_reservation = cost.min(job.reserved);
        let from_available = cost.minus(from_reservation).ok_or_else(damaged)?;
        let debited = sqlx::query(DEBIT)
            .bind(job.account.as_str())
            .bind(cost.0)
            .bind(from_reservation.0)
            .bind(from_available.0)
            .execute(&mut **tx)
            .await?;
        let is_debited = debited.rows_affected() == 1;
        let booked = (cost, Credits(-from_reservation.0));
        let creator = job.creator.as_ref();
        if !is_debited || !limits::book(tx, &job.account, creator, booked, now).await? {
            let available: i64 = sqlx::query_scalar(AVAILABLE)
                .bind(job.account.as_str())
                .fetch_one(&mut **tx)
                .await?;
            // The caller rolls back: what the debit took counts as available.
            let taken = if is_debited { from_available } else { Credits::ZERO };
            let available = Credits(available).plus(taken).ok_or_else(damaged)?;
            let budget = limits::left(tx, &job.account, creator, now).await?;
            let available = budget.map_or(available, |budget| budget.min(available));
            let within_reach = available.plus(job.reserved).ok_or_else(damaged)?;
            return Ok(Some(within_reach.covers(rate)));
        }
        sqlx::query(DEBIT_LINE)
            .bind(LedgerId::new(now, random()).as_str())
            .bind(job.account.as_str())
            .bind(-cost.0)
            .bind(signed(units.0))
            .bind(job.id.as_str())
            .bind(lease.shard.as_str())
            .bind(seq)
            .bind(job.mode.as_str())
            .bind(&job.source)
            .bind(now.day())
            .bind(now.0)
            .execute(&mut **tx)
            .await?;
        job.units = Units(job.units.0 + units.0);
        if job.protected {
            job.protected_units = Units(job.protected_units.0 + units.0);
        }
        job.credits_used = job.credits_used.plus(cost).ok_or_else(damaged)?;
        job.reserved = job.reserved.minus(from_reservation).ok_or_else(damaged)?;
        Ok(None)
    }

    /// After an append whose outcome is unknown: whether it went through. `None` when
    /// the shard is in other hands.
    ///
    /// # Errors
    /// [`StoreError`] when the database still fails.
    pub async fn landed(&self, lease: &mut Lease) -> Result<Option<bool>, StoreError> {
        // Through the writer: what a broken connection left undone is undone by then.
        let mut tx = self.begin().await?;
        let head: Option<i64> = sqlx::query_scalar(HEAD)
            .bind(lease.shard.as_str())
            .bind(lease.epoch)
            .fetch_optional(&mut *tx)
            .await?;
        tx.commit().await?;
        let Some(head) = head else { return Ok(None) };
        let landed = head == lease.head + 1;
        lease.head = head;
        Ok(Some(landed))
    }

    /// What a run has written down so far.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or the log is damaged.
    pub async fn shard_log(&self, lease: &Lease) -> Result<ShardLog, StoreError> {
        let reader = self.reader()?;
        let shard = lease.shard.as_str();
        let state = sqlx::query(STATE).bind(shard).fetch_one(reader).await?;
        let mut after: i64 = state.try_get("snapshot_seq")?;
        let snapshot = if after == 0 {
            None
        } else {
            let parts: Vec<Vec<u8>> =
                sqlx::query_scalar(READ_SNAPSHOT).bind(shard).fetch_all(reader).await?;
            Some(Snapshot::join(parts))
        };
        let mut commits = Vec::new();
        loop {
            let rows = sqlx::query(READ_COMMITS).bind(shard).bind(after).fetch_all(reader).await?;
            off_runtime(|| -> Result<(), StoreError> {
                for row in &rows {
                    let seq: i64 = row.try_get("seq")?;
                    if seq != after + 1 {
                        return Err(StoreError::Damaged(format!(
                            "commit {} is missing",
                            after + 1
                        )));
                    }
                    after = seq;
                    commits.push(Commit::decode(&row.try_get::<Vec<u8>, _>("body")?)?);
                }
                Ok(())
            })?;
            if rows.is_empty() {
                break;
            }
        }
        if after != lease.head {
            return Err(StoreError::Damaged(format!(
                "the log ends at {after} and its head is {}",
                lease.head
            )));
        }
        Ok(ShardLog { snapshot, commits })
    }

    /// Whether the log since the last snapshot has outgrown it, so that a new one
    /// keeps replay short at a cost that stays linear.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn wants_snapshot(&self, lease: &Lease, at_least: u64) -> Result<bool, StoreError> {
        let row = sqlx::query(STATE).bind(lease.shard.as_str()).fetch_one(self.reader()?).await?;
        let log = job_row::count(&row, "log_bytes")?;
        Ok(log >= at_least && log > job_row::count(&row, "snapshot_bytes")?)
    }

    /// Writes the state as of the lease's head, and drops the commits behind it.
    /// False when the shard is in other hands or has moved on.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn write_snapshot(
        &self,
        lease: &Lease,
        snapshot: &Snapshot,
    ) -> Result<bool, StoreError> {
        let shard = lease.shard.as_str();
        let mut tx = self.begin().await?;
        let held = sqlx::query(HOLD)
            .bind(shard)
            .bind(lease.epoch)
            .bind(lease.head)
            .bind(signed(snapshot.size() as u64))
            .execute(&mut *tx)
            .await?;
        if held.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(DROP_SNAPSHOT).bind(shard).execute(&mut *tx).await?;
        for (number, part) in (0_i64..).zip(snapshot.parts()) {
            sqlx::query(INSERT_PART).bind(shard).bind(number).bind(part).execute(&mut *tx).await?;
        }
        sqlx::query(DROP_COMMITS).bind(shard).bind(lease.head).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Clears and encodes a commit and its items, off the runtime: there may be megabytes of them.
fn encode<'a>(
    objections: &OptOuts,
    commit: &'a Commit,
    items: &[Item],
) -> Result<(RedactedCommit<'a>, Vec<u8>), StoreError> {
    off_runtime(|| {
        let cleared = RedactedCommit::of(objections, commit, items)?;
        let body = cleared.commit.encode()?;
        Ok((cleared, body))
    })
}

/// The bot protection that kept pages of this commit from the run, as `cloudflare_challenge`.
fn protection_met(commit: &Commit) -> Option<&str> {
    commit.steps.iter().find_map(|step| match step {
        Step::Learned(Fact::Protected { marker }) => Some(marker.as_str()),
        _ => None,
    })
}
