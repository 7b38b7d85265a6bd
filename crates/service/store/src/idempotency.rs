//! Idempotency keys: a retried `POST /v1/jobs` gets the first response.

use std::time::Duration;

use contract::{AccountId, JobAccepted, Millis};
use sqlx::any::AnyExecutor;

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql, to_json};
use crate::{Result, Store};

/// Retention of an idempotency key.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// The `Idempotency-Key` header of a request, and the hash of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// Hash of the body as canonical JSON.
    pub body_hash: String,
}

/// The earlier use of an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    New,
    /// The response to the first request with the same body.
    Answered(JobAccepted),
    /// The key was used with another body.
    BodyMismatch,
}

const FIND: &str = "SELECT body_hash, response FROM idempotency \
    WHERE account_id = $1 AND key = $2 AND created_at > $3";
const DELETE_OLD: &str = "DELETE FROM idempotency WHERE account_id = $1 AND key = $2";
const INSERT: &str = "INSERT INTO idempotency (account_id, key, body_hash, response, created_at) \
    VALUES ($1, $2, $3, $4, $5)";

/// Keys that were created before this instant have expired.
pub(crate) fn horizon(now: Millis) -> Millis {
    now.minus(WINDOW)
}

impl Store {
    /// Looks up the earlier use of a key.
    pub async fn replay(
        &self,
        account: &AccountId,
        key: &IdempotencyKey,
        now: Millis,
    ) -> Result<Replay> {
        find(self.reader()?, account, key, now).await
    }
}

/// As [`Store::replay`], in a transaction that holds the account's row.
pub(crate) async fn find(
    executor: impl AnyExecutor<'_>,
    account: &AccountId,
    key: &IdempotencyKey,
    now: Millis,
) -> Result<Replay> {
    let row = sql!(FIND; account, key.key, horizon(now)).fetch_optional(executor).await?;
    let Some(row) = row else { return Ok(Replay::New) };
    if row.read::<String>("body_hash")? != key.body_hash {
        return Ok(Replay::BodyMismatch);
    }
    row.read_json("response").map(Replay::Answered)
}

/// Stores the response of a key, in place of an expired one.
pub(crate) async fn insert(
    tx: &mut Tx,
    account: &AccountId,
    key: &IdempotencyKey,
    answer: &JobAccepted,
    now: Millis,
) -> Result<()> {
    sql!(DELETE_OLD; account, key.key).run(tx).await?;
    sql!(INSERT; account, key.key, key.body_hash, to_json(answer)?, now).run(tx).await.map(drop)
}
