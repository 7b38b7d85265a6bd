//! Answers that are given again: a retried creation starts nothing twice.

use std::time::Duration;

use contract::{AccountId, JobAccepted, Millis};
use sqlx::any::AnyExecutor;
use sqlx::{Any, Row, Transaction};

use crate::{Store, StoreError};

/// How long an answer is given again.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// The header's value and the body that came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// The hash of the body as canonical JSON.
    pub body_hash: String,
}

/// What is known of an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// Nothing: the request is new.
    New,
    /// It was answered with this.
    Answered(JobAccepted),
    /// It was used for another body.
    OtherBody,
}

const FIND: &str = "SELECT body_hash, response FROM idempotency \
    WHERE account_id = $1 AND key = $2 AND created_at > $3";
const FORGET: &str = "DELETE FROM idempotency WHERE account_id = $1 AND key = $2";
const INSERT: &str = "INSERT INTO idempotency (account_id, key, body_hash, response, created_at) \
    VALUES ($1, $2, $3, $4, $5)";

/// The instant before which an answer is forgotten.
pub(crate) fn horizon(now: Millis) -> i64 {
    now.0 - i64::try_from(WINDOW.as_millis()).unwrap_or(0)
}

impl Store {
    /// What is known of the key.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn replay(
        &self,
        account: &AccountId,
        key: &IdempotencyKey,
        now: Millis,
    ) -> Result<Replay, StoreError> {
        find(self.reader()?, account, key, now).await
    }
}

/// What is known of the key, within a transaction that holds the account's row.
pub(crate) async fn find(
    executor: impl AnyExecutor<'_>,
    account: &AccountId,
    key: &IdempotencyKey,
    now: Millis,
) -> Result<Replay, StoreError> {
    let row = sqlx::query(FIND)
        .bind(account.as_str())
        .bind(&key.key)
        .bind(horizon(now))
        .fetch_optional(executor)
        .await?;
    let Some(row) = row else { return Ok(Replay::New) };
    if row.try_get::<String, _>("body_hash")? != key.body_hash {
        return Ok(Replay::OtherBody);
    }
    let response: String = row.try_get("response")?;
    serde_json::from_str(&response)
        .map(Replay::Answered)
        .map_err(|cause| StoreError::Damaged(cause.to_string()))
}

/// Writes the answer down under its key, over one that is too old to be given again.
pub(crate) async fn insert(
    tx: &mut Transaction<'static, Any>,
    account: &AccountId,
    key: &IdempotencyKey,
    answer: &JobAccepted,
    now: Millis,
) -> Result<(), StoreError> {
    let response =
        serde_json::to_string(answer).map_err(|cause| StoreError::Damaged(cause.to_string()))?;
    sqlx::query(FORGET).bind(account.as_str()).bind(&key.key).execute(&mut **tx).await?;
    sqlx::query(INSERT)
        .bind(account.as_str())
        .bind(&key.key)
        .bind(&key.body_hash)
        .bind(response)
        .bind(now.0)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
