//! Who works at what: leases of shards and hosts, and the wake-ups around them.
//!
//! A lease is a row, never a held lock: `lease_until` on the database's clock, and
//! an epoch that moves whenever the shard changes hands.

use std::fmt;
use std::time::Duration;

use contract::{ErrorCode, JobId, Millis, Mode, ShardId};
use job::Command;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use tokio::sync::broadcast;

use crate::lane::FREE_LANES;
use crate::recharge::FREE_RECHARGES;
use crate::{CommandError, Dialect, Store, StoreError, job_row};

/// A shard that killed its worker this often is not given to a sixth.
const DEATHS_ALLOWED: i64 = 5;

/// A run whose workers died this often is ended, even if it came further each time.
const CRASHES_ALLOWED: i64 = 50;

/// How many hosts that others hold a claim looks past before it gives up for now.
const CANDIDATES: i64 = 16;

/// A process that works.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeId(String);

impl NodeId {
    /// A name that no other process has.
    #[must_use]
    pub fn random() -> Self {
        let bytes: [u8; 8] = rand::random();
        Self(data_encoding::HEXLOWER.encode(&bytes))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A shard in the hands of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub shard: ShardId,
    pub job: JobId,
    pub mode: Mode,
    /// Which of the job's shards it is.
    pub number: u32,
    pub host: String,
    /// Moves whenever the shard changes hands.
    pub epoch: i64,
    /// The commits that the log holds.
    pub head: i64,
    /// How many holders died of the run, or with it, since it last worked for a while.
    pub crashes: u32,
    /// Bytes of memory that the run took at its last commit.
    pub memory_bytes: usize,
    /// What its holder is fetching. Written with the next commit, for whoever watches.
    pub fetching: Vec<String>,
}

/// Which shards a worker has a place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimable {
    All,
    /// Those of runs over sites; domains are for others to visit.
    Sites,
}

/// A hint that looking now is worth while. It may be lost: polling suffices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// There may be a shard to claim.
    Work,
    /// A shard may have been taken away.
    Control,
    /// There may be something to deliver to a webhook. Heard by [`Store::deliveries_due`]:
    /// it is none of the workers' business.
    Delivery,
}

impl Wake {
    fn as_str(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Control => "control",
            Self::Delivery => "delivery",
        }
    }
}

const CHANNEL: &str = "trawl";
const NOTIFY: &str = "SELECT pg_notify('trawl', $1)";

/// Shards that node $2 may claim at $1 if it has the memory: they are free, their account is not
/// suspended and may run one more ($3 at a time), no other node holds their host, and they are
/// not of a list of domains unless $4 is 1.
macro_rules! claimable {
    () => {
        " FROM shards s \
         JOIN jobs j ON j.id = s.job_id \
         LEFT JOIN host_leases h ON h.host = s.host \
         WHERE s.state = 'open' AND s.lease_until <= $1 \
         AND (h.host IS NULL OR h.lease_until <= $1 OR h.owner = $2) \
         AND (j.status = 'running' OR (SELECT COUNT(*) FROM jobs r \
              WHERE r.account_id = j.account_id AND r.active = 1 \
              AND r.status = 'running') < $3) \
         AND (j.mode <> 'contacts' OR $4 = 1) \
         AND NOT EXISTS (SELECT 1 FROM accounts a \
              WHERE a.id = j.account_id AND a.suspended_at IS NOT NULL) "
    };
}

/// Claimable shards that there is memory for, the longest waiting first.
macro_rules! candidates {
    ($suffix:literal) => {
        concat!(
            "SELECT s.id, s.job_id, s.number, s.host, s.epoch, s.head, s.owner, s.deaths, s.crashes, \
             s.memory_bytes, j.mode",
            claimable!(),
            "AND s.memory_bytes <= $5 ORDER BY s.queued_at, s.id LIMIT $6",
            $suffix
        )
    };
}
const CANDIDATES_PLAIN: &str = candidates!("");
const CANDIDATES_SKIP_LOCKED: &str = candidates!(" FOR UPDATE OF s SKIP LOCKED");

const TAKE_HOST: &str = "INSERT INTO host_leases (host, owner, lease_until) VALUES ($1, $2, $3) \
    ON CONFLICT (host) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until \
    WHERE host_leases.owner = excluded.owner OR host_leases.lease_until <= $4";
/// An account that was suspended since the candidates were read is seen here.
const TAKE_SHARD: &str = "UPDATE shards SET epoch = epoch + 1, owner = $2, lease_until = $3, \
    deaths = $4, crashes = $5 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM jobs j \
    JOIN accounts a ON a.id = j.account_id \
    WHERE j.id = shards.job_id AND a.suspended_at IS NOT NULL)";
const RENEW_SHARD: &str = "UPDATE shards SET lease_until = $3 \
    WHERE id = $1 AND epoch = $2 AND state = 'open'";
const RENEW_HOST: &str = "UPDATE host_leases SET lease_until = $3 WHERE host = $1 AND owner = $2";
const HELD: &str = "SELECT epoch FROM shards WHERE id = $1 AND state = 'open'";
const GIVE_BACK: &str = "UPDATE shards SET owner = NULL, lease_until = 0, deaths = 0 \
    WHERE id = $1 AND epoch = $2";
const EVICT: &str = "UPDATE shards SET memory_bytes = $3, queued_at = $4 \
    WHERE id = $1 AND epoch = $2";
/// A run that could not be claimed with any memory must not cost another its turn.
const EVICTED_BEFORE: &str = concat!(
    "SELECT s.memory_bytes",
    claimable!(),
    "AND s.memory_bytes > 0 AND s.queued_at <= $5 ORDER BY s.queued_at, s.id LIMIT 1"
);
const FORGET_CRASHES: &str = "UPDATE shards SET crashes = 0 WHERE id = $1 AND epoch = $2";
const FREE_HOST: &str = "DELETE FROM host_leases WHERE host = $1 AND owner = $2 \
    AND NOT EXISTS (SELECT 1 FROM shards s WHERE s.host = $1 AND s.owner = $2)";
const FREE_SHARDS: &str = "UPDATE shards SET lease_until = 0 WHERE state = 'open'";
const FREE_HOSTS: &str = "DELETE FROM host_leases";
const WAITING: &str = "SELECT COUNT(*) FROM shards WHERE state = 'open' AND owner IS NULL";

impl Store {
    /// Takes a free shard and its host. `None` when there is nothing to do.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn claim(
        &self,
        node: &NodeId,
        lease: Duration,
        now: Millis,
    ) -> Result<Option<Lease>, StoreError> {
        self.claim_among(Claimable::All, usize::MAX, node, lease, now).await
    }

    /// As [`Store::claim`], of the shards that this worker has a place and `room` bytes of
    /// memory for.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn claim_among(
        &self,
        which: Claimable,
        room: usize,
        node: &NodeId,
        lease: Duration,
        now: Millis,
    ) -> Result<Option<Lease>, StoreError> {
        loop {
            match self.try_claim(which, room, node, lease).await? {
                Claim::Taken(lease) => return Ok(Some(lease)),
                Claim::Nothing => return Ok(None),
                Claim::Deadly(job) => self.give_up(&job, now).await?,
            }
        }
    }

    async fn try_claim(
        &self,
        which: Claimable,
        room: usize,
        node: &NodeId,
        lease: Duration,
    ) -> Result<Claim, StoreError> {
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(lease).0;
        let candidates = self.dialect().claim(CANDIDATES_PLAIN, CANDIDATES_SKIP_LOCKED);
        let rows = sqlx::query(candidates)
            .bind(clock)
            .bind(node.0.as_str())
            .bind(i64::from(self.inner.settings.running_jobs))
            .bind(i64::from(which == Claimable::All))
            .bind(i64::try_from(room).unwrap_or(i64::MAX))
            .bind(CANDIDATES)
            .fetch_all(&mut *tx)
            .await?;
        for row in &rows {
            // The last holder went away without a word and without a commit.
            let died = row.try_get::<Option<String>, _>("owner")?.is_some();
            let deaths = row.try_get::<i64, _>("deaths")? + i64::from(died);
            let crashes = row.try_get::<i64, _>("crashes")? + i64::from(died);
            if deaths >= DEATHS_ALLOWED || crashes >= CRASHES_ALLOWED {
                return Ok(Claim::Deadly(job_row::job_id(row, "job_id")?));
            }
            let memory = usize::try_from(row.try_get::<i64, _>("memory_bytes")?).unwrap_or(0);
            let host: String = row.try_get("host")?;
            let taken = sqlx::query(TAKE_HOST)
                .bind(&host)
                .bind(node.0.as_str())
                .bind(until)
                .bind(clock)
                .execute(&mut *tx)
                .await?;
            if taken.rows_affected() == 0 {
                continue;
            }
            let shard = shard_id(row)?;
            let taken = sqlx::query(TAKE_SHARD)
                .bind(shard.as_str())
                .bind(node.0.as_str())
                .bind(until)
                .bind(deaths)
                .bind(crashes)
                .execute(&mut *tx)
                .await?;
            if taken.rows_affected() == 0 {
                return Ok(Claim::Nothing);
            }
            tx.commit().await?;
            return Ok(Claim::Taken(Lease {
                shard,
                job: job_row::job_id(row, "job_id")?,
                mode: job_row::mode(row)?,
                number: u32::try_from(row.try_get::<i64, _>("number")?).unwrap_or(u32::MAX),
                host,
                epoch: row.try_get::<i64, _>("epoch")? + 1,
                head: row.try_get("head")?,
                crashes: u32::try_from(crashes).unwrap_or(u32::MAX),
                memory_bytes: memory,
                fetching: Vec::new(),
            }));
        }
        // Now, not when the connection is used next: until then the rows would stay locked, and
        // the next claim would pass over them.
        tx.rollback().await?;
        Ok(Claim::Nothing)
    }

    /// Ends a job that took its worker down again and again.
    async fn give_up(&self, job: &JobId, now: Millis) -> Result<(), StoreError> {
        let command = Command::Fail {
            code: ErrorCode::ServerError,
            message: "the run stopped its worker again and again".to_owned(),
        };
        match self.command(job, &command, now).await {
            // Somebody else ended it first.
            Ok(_) | Err(CommandError::NotFound | CommandError::Refused(_)) => Ok(()),
            Err(CommandError::LeaseLost) => Ok(()),
            Err(CommandError::Store(error)) => Err(error),
        }
    }

    /// Extends leases and the hosts that go with them; answers whether each is still held.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn renew(
        &self,
        node: &NodeId,
        leases: &[Lease],
        span: Duration,
    ) -> Result<Vec<bool>, StoreError> {
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(span).0;
        let mut held = Vec::with_capacity(leases.len());
        for lease in leases {
            let renewed = sqlx::query(RENEW_SHARD)
                .bind(lease.shard.as_str())
                .bind(lease.epoch)
                .bind(until)
                .execute(&mut *tx)
                .await?;
            held.push(renewed.rows_affected() == 1);
            sqlx::query(RENEW_HOST)
                .bind(&lease.host)
                .bind(node.0.as_str())
                .bind(until)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(held)
    }

    /// Whether the shard is still in these hands.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn holds(&self, lease: &Lease) -> Result<bool, StoreError> {
        let epoch: Option<i64> = sqlx::query_scalar(HELD)
            .bind(lease.shard.as_str())
            .fetch_optional(self.reader()?)
            .await?;
        Ok(epoch == Some(lease.epoch))
    }

    /// Puts a shard back in good order, and its host when nothing else needs it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn give_back(&self, node: &NodeId, lease: &Lease) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        free(&mut tx, node, lease).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives a shard back that makes room for others: it goes to the end of the queue, and is
    /// claimed again by a node that has this many bytes of memory for it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn evict(
        &self,
        node: &NodeId,
        lease: &Lease,
        memory_bytes: usize,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        sqlx::query(EVICT)
            .bind(lease.shard.as_str())
            .bind(lease.epoch)
            .bind(i64::try_from(memory_bytes).unwrap_or(i64::MAX))
            .bind(clock)
            .execute(&mut *tx)
            .await?;
        free(&mut tx, node, lease).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The bytes of memory that the run needs which was evicted first and has waited this long
    /// for room alone: runs that this node could not claim for another reason do not count.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn evicted_before(
        &self,
        which: Claimable,
        node: &NodeId,
        waited: Duration,
    ) -> Result<Option<usize>, StoreError> {
        let clock: i64 =
            sqlx::query_scalar(self.dialect().clock()).fetch_one(self.reader()?).await?;
        let waited = i64::try_from(waited.as_millis()).unwrap_or(i64::MAX);
        let bytes: Option<i64> = sqlx::query_scalar(EVICTED_BEFORE)
            .bind(clock)
            .bind(node.0.as_str())
            .bind(i64::from(self.inner.settings.running_jobs))
            .bind(i64::from(which == Claimable::All))
            .bind(clock.saturating_sub(waited))
            .fetch_optional(self.reader()?)
            .await?;
        Ok(bytes.map(|bytes| usize::try_from(bytes).unwrap_or(0)))
    }

    /// Forgets that workers died of a run: it has worked for a while since.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn forget_crashes(&self, lease: &Lease) -> Result<(), StoreError> {
        let forget = sqlx::query(FORGET_CRASHES).bind(lease.shard.as_str()).bind(lease.epoch);
        forget.execute(&self.inner.writer).await?;
        Ok(())
    }

    /// On SQLite the process that serves is alone: whatever an earlier one held is free.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn free_all_leases(&self) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(FREE_SHARDS).execute(&mut *tx).await?;
        sqlx::query(FREE_HOSTS).execute(&mut *tx).await?;
        sqlx::query(FREE_LANES).execute(&mut *tx).await?;
        sqlx::query(FREE_RECHARGES).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// How many shards wait for a worker.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn waiting(&self) -> Result<u64, StoreError> {
        let waiting: i64 = sqlx::query_scalar(WAITING).fetch_one(self.reader()?).await?;
        Ok(u64::try_from(waiting).unwrap_or(0))
    }

    /// Wake-ups from now on, of this process and (on PostgreSQL) of all others.
    #[must_use]
    pub fn wakes(&self) -> broadcast::Receiver<Wake> {
        self.inner.wakes.subscribe()
    }

    /// Passes on the wake-ups of other nodes until the connection breaks.
    ///
    /// # Errors
    /// [`StoreError`] when the connection cannot be made or breaks.
    pub async fn listen(&self) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Sqlite {
            return std::future::pending().await;
        }
        let mut listener = sqlx::postgres::PgListener::connect(&self.inner.settings.url).await?;
        listener.listen(CHANNEL).await?;
        loop {
            let wake = match listener.recv().await?.payload() {
                "control" => Wake::Control,
                "delivery" => Wake::Delivery,
                _ => Wake::Work,
            };
            self.wake_here(wake);
        }
    }

    /// Tells the other nodes, when the transaction commits.
    pub(crate) async fn announce(
        &self,
        tx: &mut Transaction<'static, Any>,
        wake: Wake,
    ) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Postgres {
            sqlx::query(NOTIFY).bind(wake.as_str()).execute(&mut **tx).await?;
        }
        Ok(())
    }

    pub(crate) fn wake_here(&self, wake: Wake) {
        // Nobody listening is not a failure: the next poll finds the work.
        match wake {
            Wake::Work | Wake::Control => drop(self.inner.wakes.send(wake)),
            Wake::Delivery => self.inner.deliveries_due.send_replace(()),
        }
    }
}

/// Frees a shard, and its host when nothing else needs it.
async fn free(
    tx: &mut Transaction<'static, Any>,
    node: &NodeId,
    lease: &Lease,
) -> Result<(), StoreError> {
    let shard = sqlx::query(GIVE_BACK).bind(lease.shard.as_str()).bind(lease.epoch);
    shard.execute(&mut **tx).await?;
    sqlx::query(FREE_HOST).bind(&lease.host).bind(node.0.as_str()).execute(&mut **tx).await?;
    Ok(())
}

enum Claim {
    Taken(Lease),
    Nothing,
    Deadly(JobId),
}

fn shard_id(row: &AnyRow) -> Result<ShardId, StoreError> {
    let text: String = row.try_get("id")?;
    text.parse().map_err(|_| StoreError::Damaged(format!("no shard: {text}")))
}
