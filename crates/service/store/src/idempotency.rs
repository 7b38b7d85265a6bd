//! Idempotency keys: a retried `POST /v1/jobs` or `POST /v1/pages` gets the first response. Jobs and
//! pages share the keys of an account.
//!
//! The answer to a page may have megabytes. It is stored compressed, and the answers of an account
//! have [`ANSWER_BYTES`] together: beyond them the oldest are dropped, and a retry with their key is
//! refused instead of charged again.

use std::time::Duration;

use contract::{AccountId, JobAccepted, Millis};
use serde::{Deserialize, Serialize};
use sqlx::any::AnyExecutor;

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql, to_json};
use crate::{Result, Store, StoreError};
use runtime::off_runtime;

/// Retention of an idempotency key.
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// The `Idempotency-Key` header of a request, and the hash of its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

const FIND_PAGE: &str = "SELECT body_hash, answer FROM idempotency \
    WHERE account_id = $1 AND key = $2 AND created_at > $3";
const INSERT_PAGE: &str = "INSERT INTO idempotency \
    (account_id, key, body_hash, response, answer, answer_bytes, created_at) \
    VALUES ($1, $2, $3, 'null', $4, $5, $6)";
const ANSWERS: &str = "SELECT key, answer_bytes FROM idempotency \
    WHERE account_id = $1 AND answer_bytes > 0 ORDER BY created_at DESC, key DESC";
const DROP_ANSWER: &str = "UPDATE idempotency SET answer = NULL, answer_bytes = 0 \
    WHERE account_id = $1 AND key = $2";

/// Maximum bytes of the stored answers of an account, compressed.
const ANSWER_BYTES: i64 = 64 << 20;

/// Maximum bytes of an answer before compression.
const MAX_ANSWER: usize = 64 << 20;

/// Compression of answers: fast, because the caller waits.
const LEVEL: i32 = 1;

const FIND: &str = "SELECT body_hash, response FROM idempotency \
    WHERE account_id = $1 AND key = $2 AND created_at > $3";
const DELETE_OLD: &str = "DELETE FROM idempotency WHERE account_id = $1 AND key = $2";
const INSERT: &str = "INSERT INTO idempotency (account_id, key, body_hash, response, created_at) \
    VALUES ($1, $2, $3, $4, $5)";

/// The earlier use of an idempotency key for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageReplay {
    New,
    /// The answer to the first request with the same body, as JSON.
    Answered(String),
    /// The first request was answered and charged, and its answer is not kept any more.
    Dropped,
    /// The key was used with another body, or for a job.
    BodyMismatch,
}

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

    /// Looks up the earlier use of a key for a page.
    pub async fn replay_page(
        &self,
        account: &AccountId,
        key: &IdempotencyKey,
        now: Millis,
    ) -> Result<PageReplay> {
        find_page(self.reader()?, account, key, now).await
    }
}

/// The hash of the body of a page. It differs from that of every job.
fn page_hash(key: &IdempotencyKey) -> String {
    format!("page {}", key.body_hash)
}

/// As [`Store::replay_page`], in a transaction that holds the account's row.
pub(crate) async fn find_page(
    executor: impl AnyExecutor<'_>,
    account: &AccountId,
    key: &IdempotencyKey,
    now: Millis,
) -> Result<PageReplay> {
    let row = sql!(FIND_PAGE; account, key.key, horizon(now)).fetch_optional(executor).await?;
    let Some(row) = row else { return Ok(PageReplay::New) };
    if row.read::<String>("body_hash")? != page_hash(key) {
        return Ok(PageReplay::BodyMismatch);
    }
    match row.read::<Option<Vec<u8>>>("answer")? {
        Some(packed) => off_runtime(|| unpack(&packed)).map(PageReplay::Answered),
        None => Ok(PageReplay::Dropped),
    }
}

/// Stores the answer to a page, and drops the oldest answers of the account beyond its limit. The
/// caller holds the account's row.
pub(crate) async fn insert_page(
    tx: &mut Tx,
    account: &AccountId,
    key: &IdempotencyKey,
    answer: &str,
    now: Millis,
) -> Result<()> {
    let packed = off_runtime(|| pack(answer))?;
    sql!(DELETE_OLD; account, key.key).run(tx).await?;
    sql!(INSERT_PAGE; account, key.key, page_hash(key), packed, packed.len(), now).run(tx).await?;
    let rows = sql!(ANSWERS; account).fetch_all(&mut **tx).await?;
    let mut total = 0;
    for row in &rows {
        total += row.read::<i64>("answer_bytes")?;
        if total > ANSWER_BYTES {
            sql!(DROP_ANSWER; account, row.read::<String>("key")?).run(tx).await?;
        }
    }
    Ok(())
}

pub(crate) fn pack(answer: &str) -> Result<Vec<u8>> {
    let packed = zstd::bulk::compress(answer.as_bytes(), LEVEL);
    packed.map_err(|cause| StoreError::Damaged(format!("cannot compress an answer: {cause}")))
}

pub(crate) fn unpack(packed: &[u8]) -> Result<String> {
    let damaged = |cause: &dyn std::fmt::Display| {
        StoreError::Damaged(format!("cannot decompress an answer: {cause}"))
    };
    let bytes = zstd::bulk::decompress(packed, MAX_ANSWER).map_err(|cause| damaged(&cause))?;
    String::from_utf8(bytes).map_err(|cause| damaged(&cause))
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
