//! The end of a shard. The job ends with its last shard, and asks for confirmation of protected
//! domains once, when all others are done.

use contract::Millis;
use crawl::ListOutcome;
use job::{Job, JobCommand, RunEnding, Tier};

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql, to_json};
use crate::transition::{CommandError, lock};
use crate::{Lease, Result, Store, Wake, list_shard};

/// How a shard has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardEnd {
    /// All URLs are finished.
    Done(RunEnding),
    /// All domains are finished except the protected ones, which wait for the other shards.
    /// `marker` is the protection marker, as `cloudflare_challenge`.
    SetAside { marker: String },
    /// All URLs of a shard of a list are finished. The end of the job follows from the outcomes of
    /// all its shards.
    Listed(Box<ListOutcome>),
}

/// Increases the epoch, so that later writes with this lease are rejected.
const END: &str = "UPDATE shards SET state = $3, epoch = epoch + 1, owner = NULL, \
    lease_until = 0 WHERE id = $1 AND epoch = $2 AND state = 'open'";
const UNFINISHED: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN state IN ('open', 'waiting') \
    THEN 1 ELSE 0 END), 0) AS BIGINT) AS open_shards, CAST(COALESCE(SUM(CASE state WHEN 'aside' THEN 1 ELSE 0 END), 0) \
    AS BIGINT) AS aside FROM shards WHERE job_id = $1";

const SET_OUTCOME: &str = "UPDATE shards SET outcome = $2 WHERE id = $1";
const OUTCOMES: &str =
    "SELECT outcome FROM shards WHERE job_id = $1 AND outcome IS NOT NULL ORDER BY number";

/// The unfinished shards of a job.
struct UnfinishedShards {
    open: u64,
    aside: u64,
}

impl Store {
    /// Ends a shard and applies the command that follows for its job. The job's row is locked, so
    /// that the last shard is determined once.
    ///
    /// # Errors
    /// [`CommandError::LeaseLost`] when another node holds the shard or the job was stopped.
    pub async fn end_shard(
        &self,
        lease: &Lease,
        end: &ShardEnd,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, &lease.job, None).await?;
        let state = match end {
            ShardEnd::Done(_) | ShardEnd::Listed(_) => "closed",
            ShardEnd::SetAside { .. } => "aside",
        };
        if sql!(END; lease.shard, lease.epoch, state).run(&mut tx).await? == 0 {
            return Err(CommandError::LeaseLost);
        }
        if let ShardEnd::Listed(outcome) = end {
            sql!(SET_OUTCOME; lease.shard, to_json(outcome)?).run(&mut tx).await?;
        }
        let has_next = list_shard::open_next(&mut tx, &lease.job, now).await?;
        let unfinished = unfinished(&mut tx, lease).await?;
        let command = match (end, unfinished) {
            (ShardEnd::SetAside { marker }, UnfinishedShards { open: 1.., .. }) => {
                JobCommand::SetAside { marker: marker.clone() }
            }
            (ShardEnd::Done(_) | ShardEnd::Listed(_), UnfinishedShards { open: 1.., .. }) => {
                self.commit_and_notify(tx, if has_next { &[Wake::Work] } else { &[] }).await?;
                return Ok(job);
            }
            (ShardEnd::SetAside { marker }, UnfinishedShards { open: 0, .. }) => {
                let marker = job.protected_marker.clone().unwrap_or_else(|| marker.clone());
                JobCommand::LearnTier(Tier::Protected { marker })
            }
            (ShardEnd::Done(_) | ShardEnd::Listed(_), UnfinishedShards { open: 0, aside: 1.. }) => {
                let marker = job.protected_marker.clone().unwrap_or_else(|| "unknown".to_owned());
                JobCommand::LearnTier(Tier::Protected { marker })
            }
            (ShardEnd::Done(ending), UnfinishedShards { open: 0, aside: 0 }) => {
                JobCommand::Finish(ending.clone())
            }
            (ShardEnd::Listed(_), UnfinishedShards { open: 0, aside: 0 }) => {
                let outcome = whole_outcome(&mut tx, lease).await?;
                JobCommand::Finish(job.end_of_list(outcome.ending()))
            }
        };
        if has_next {
            self.notify_nodes(&mut tx, Wake::Work).await?;
        }
        self.apply(tx, &job, &command, Some(lease), now).await
    }
}

/// What became of all URLs of a list.
async fn whole_outcome(tx: &mut Tx, lease: &Lease) -> Result<ListOutcome> {
    let mut whole = ListOutcome::default();
    for row in sql!(OUTCOMES; lease.job).fetch_all(&mut **tx).await? {
        whole.add(&row.read_json("outcome")?);
    }
    Ok(whole)
}

async fn unfinished(tx: &mut Tx, lease: &Lease) -> Result<UnfinishedShards> {
    let row = sql!(UNFINISHED; lease.job).fetch_one(&mut **tx).await?;
    Ok(UnfinishedShards { open: row.read("open_shards")?, aside: row.read("aside")? })
}
