//! The end of one shard among those of its job: the job ends with the last of them, and asks
//! about protected domains once, when nothing else is left to do.

use contract::Millis;
use job::{Command, Ending, Job, Tier};
use sqlx::{Any, Transaction};

use crate::job_row::count;
use crate::transition::{CommandError, lock};
use crate::{Lease, Store, StoreError};

/// How a shard came to the end of what it can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardEnd {
    /// Everything is done.
    Done(Ending),
    /// All is done but what is protected: that waits until all shards have come this far.
    SetAside {
        /// What gave the protection away, as `cloudflare_challenge`.
        marker: String,
    },
}

/// The epoch moves: whoever held the shard has nothing more to say.
const LEAVE: &str = "UPDATE shards SET state = $3, epoch = epoch + 1, owner = NULL, \
    lease_until = 0 WHERE id = $1 AND epoch = $2 AND state = 'open'";
const LEFT: &str = "SELECT CAST(COALESCE(SUM(CASE state WHEN 'open' THEN 1 ELSE 0 END), 0) \
    AS BIGINT) AS at_work, CAST(COALESCE(SUM(CASE state WHEN 'aside' THEN 1 ELSE 0 END), 0) \
    AS BIGINT) AS aside FROM shards WHERE job_id = $1";

/// The shards of a job that are not done.
struct Left {
    at_work: u64,
    aside: u64,
}

impl Store {
    /// The holder of a shard reports that it is through. What that means for the job is
    /// decided under the job's row: each thing happens once, whichever shard is the last.
    ///
    /// # Errors
    /// [`CommandError::LeaseLost`] when somebody else holds the shard by now, or the job was
    /// stopped.
    pub async fn end_shard(
        &self,
        lease: &Lease,
        end: &ShardEnd,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, &lease.job, None).await?;
        let state = match end {
            ShardEnd::Done(_) => "closed",
            ShardEnd::SetAside { .. } => "aside",
        };
        let left = sqlx::query(LEAVE)
            .bind(lease.shard.as_str())
            .bind(lease.epoch)
            .bind(state)
            .execute(&mut *tx)
            .await?;
        if left.rows_affected() == 0 {
            return Err(CommandError::LeaseLost);
        }
        let left = left_of(&mut tx, lease).await?;
        let command = match (end, left) {
            (ShardEnd::SetAside { marker }, Left { at_work: 1.., .. }) => {
                Command::SetAside { marker: marker.clone() }
            }
            (ShardEnd::Done(_), Left { at_work: 1.., .. }) => {
                tx.commit().await?;
                return Ok(job);
            }
            (ShardEnd::SetAside { marker }, Left { at_work: 0, .. }) => {
                let marker = job.protected_marker.clone().unwrap_or_else(|| marker.clone());
                Command::LearnTier(Tier::Protected { marker })
            }
            (ShardEnd::Done(_), Left { at_work: 0, aside: 1.. }) => {
                let marker = job.protected_marker.clone().unwrap_or_else(|| "unknown".to_owned());
                Command::LearnTier(Tier::Protected { marker })
            }
            (ShardEnd::Done(ending), Left { at_work: 0, aside: 0 }) => {
                Command::Finish(ending.clone())
            }
        };
        self.apply(tx, &job, &command, now).await
    }
}

async fn left_of(tx: &mut Transaction<'static, Any>, lease: &Lease) -> Result<Left, StoreError> {
    let row = sqlx::query(LEFT).bind(lease.job.as_str()).fetch_one(&mut **tx).await?;
    Ok(Left { at_work: count(&row, "at_work")?, aside: count(&row, "aside")? })
}
