//! Uploaded lists of URLs. The URLs are stored by shard at the upload, so that the start of a job
//! inserts a row per shard and copies no URL.
//!
//! A list that a job uses is kept for as long as the job, also when it has expired or was deleted:
//! then no other job can be started over it.

mod spool;

pub use spool::ListSpool;

use std::time::Duration;

use contract::{AccountId, JobId, ListId, Millis, UploadedList};
use runtime::off_runtime;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::{Result, Store, StoreError, random};

/// Maximum lists of an account that no job uses.
const MAX_UNUSED: i64 = 20;

/// How long jobs can be started over a list.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An upload takes less time. One that was interrupted is purged then.
const UPLOAD: Duration = Duration::from_secs(60 * 60);

/// Compressed bytes of the rows of a transaction: other writers wait for it on SQLite.
const BATCH_BYTES: usize = 256 << 10;

const UNUSED: &str = "SELECT COUNT(*) FROM url_lists WHERE account_id = $1 AND used = 0 \
    AND removed = 0 AND expires_at > $2 AND (ready = 1 OR created_at > $3)";
const INSERT: &str = "INSERT INTO url_lists (id, account_id, url_count, free, ready, used, removed, \
    created_at, expires_at) VALUES ($1, $2, $3, $4, 0, 0, 0, $5, $6)";
/// Locks a list that is being stored, unless its account was deleted meanwhile.
const LOCK_OPEN: &str = "UPDATE url_lists SET ready = 0 WHERE id = $1 AND ready = 0";
const INSERT_URLS: &str = "INSERT INTO list_urls (list_id, shard, host, first_url, urls) \
    VALUES ($1, $2, $3, $4, $5)";
const FINISH: &str = "UPDATE url_lists SET ready = 1 WHERE id = $1 AND ready = 0";
const ONE: &str = "SELECT id, url_count, free, created_at, expires_at FROM url_lists \
    WHERE id = $1 AND account_id = $2 AND ready = 1 AND removed = 0 AND expires_at > $3";
const USE: &str = "UPDATE url_lists SET used = 1 \
    WHERE id = $1 AND account_id = $2 AND ready = 1 AND removed = 0 AND expires_at > $3";
const REMOVE: &str = "UPDATE url_lists SET removed = 1 \
    WHERE id = $1 AND account_id = $2 AND ready = 1 AND removed = 0";
const JOBS: &str = "SELECT id FROM jobs WHERE list_id = $1 LIMIT 1";
const DELETE: [&str; 2] =
    ["DELETE FROM list_urls WHERE list_id = $1", "DELETE FROM url_lists WHERE id = $1"];
/// Lists without a job that are removed, have expired at `$1`, or were begun before it and never
/// finished.
const UNNEEDED: &str = "SELECT l.id FROM url_lists l WHERE (l.removed = 1 OR l.expires_at <= $1 \
    OR (l.ready = 0 AND l.created_at <= $1)) \
    AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.list_id = l.id) LIMIT 100";

/// A list that jobs can be started over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredList {
    pub list: UploadedList,
    /// Whether all URLs are on built-in sample sites, which cost nothing.
    pub free: bool,
}

/// A shard of an uploaded list.
struct ListShard {
    host: Option<String>,
    first_url: u32,
    urls: Vec<u8>,
}

impl Store {
    /// Whether the account may upload another list.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn may_add_list(&self, account: &AccountId, now: Millis) -> Result<bool> {
        let unused: i64 =
            scalar!(UNUSED; account, now, now.minus(UPLOAD)).fetch_one(self.reader()?).await?;
        Ok(unused < MAX_UNUSED)
    }

    /// Maximum lists of an account that no job uses.
    #[must_use]
    pub const fn max_unused_lists() -> i64 {
        MAX_UNUSED
    }

    /// Stores an uploaded list in transactions of a bounded size; `None` when the account has
    /// [`Store::max_unused_lists`] lists.
    ///
    /// # Errors
    /// [`StoreError`] when the database or the temporary file fails: then no list is kept.
    pub async fn store_list(
        &self,
        account: &AccountId,
        spool: ListSpool,
        now: Millis,
    ) -> Result<Option<UploadedList>> {
        let list = UploadedList {
            list_id: ListId::new(now, random()),
            url_count: spool.url_count(),
            created_at: now,
            expires_at: now.plus(LIFETIME),
        };
        let mut tx = self.begin().await?;
        // The lock keeps concurrent uploads from exceeding the limit together.
        lock_active_account(&mut tx, account).await?;
        let unused: i64 =
            scalar!(UNUSED; account, now, now.minus(UPLOAD)).fetch_one(&mut *tx).await?;
        if unused >= MAX_UNUSED {
            return Ok(None);
        }
        sql!(INSERT; list.list_id, account, list.url_count, spool.is_free(), list.created_at,
            list.expires_at)
        .run(&mut tx)
        .await?;
        tx.commit().await?;
        match self.store_urls(&list.list_id, spool).await {
            Ok(()) => Ok(Some(list)),
            Err(error) => {
                // What is left in spite of this is purged.
                let _: Result<()> = self.delete_list(&list.list_id).await;
                Err(error)
            }
        }
    }

    async fn store_urls(&self, list: &ListId, spool: ListSpool) -> Result<()> {
        let mut shards = off_runtime(|| spool.into_shards())?;
        let mut number = 0_u32;
        loop {
            let batch = off_runtime(|| {
                let (mut batch, mut bytes) = (Vec::new(), 0);
                while bytes < BATCH_BYTES
                    && let Some(shard) = shards.next().transpose()?
                {
                    bytes += shard.urls.len();
                    batch.push(shard);
                }
                Ok::<_, StoreError>(batch)
            })?;
            let is_last = batch.is_empty();
            let mut tx = self.begin().await?;
            if sql!(LOCK_OPEN; list).run(&mut tx).await? == 0 {
                return Err(StoreError::AccountClosed);
            }
            for ListShard { host, first_url, urls } in batch {
                sql!(INSERT_URLS; list, number, host, first_url, urls).run(&mut tx).await?;
                number += 1;
            }
            if is_last {
                sql!(FINISH; list).run(&mut tx).await?;
            }
            tx.commit().await?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// The list, if it belongs to the account and jobs can be started over it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn list_of(
        &self,
        account: &AccountId,
        id: &ListId,
        now: Millis,
    ) -> Result<Option<StoredList>> {
        self.fetch_optional(sql!(ONE; id, account, now), |row| {
            let list = UploadedList {
                list_id: row.read("id")?,
                url_count: row.read("url_count")?,
                created_at: row.read("created_at")?,
                expires_at: row.read("expires_at")?,
            };
            Ok(StoredList { list, free: row.read("free")? })
        })
        .await
    }

    /// Deletes a list; false when the account has no such list. Jobs over it keep their URLs.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn remove_list(&self, account: &AccountId, id: &ListId) -> Result<bool> {
        let mut tx = self.begin().await?;
        // A job that is started over the list at the same time is committed before or refused.
        lock_active_account(&mut tx, account).await?;
        if sql!(REMOVE; id, account).run(&mut tx).await? == 0 {
            return Ok(false);
        }
        let job: Option<JobId> = match sql!(JOBS; id).fetch_optional(&mut *tx).await? {
            Some(row) => Some(row.read("id")?),
            None => None,
        };
        if job.is_none() {
            delete(&mut tx, id).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Deletes the lists that no job uses and that cannot be used any more. An hour after their
    /// expiry, because the clocks of nodes differ.
    pub(crate) async fn purge_lists(&self, now: Millis) -> Result<()> {
        loop {
            let unneeded = sql!(UNNEEDED; now.minus(UPLOAD));
            let lists: Vec<ListId> = self.fetch_all(unneeded, |row| row.read("id")).await?;
            if lists.is_empty() {
                return Ok(());
            }
            for list in lists {
                self.delete_list(&list).await?;
            }
        }
    }

    async fn delete_list(&self, id: &ListId) -> Result<()> {
        let mut tx = self.begin().await?;
        delete(&mut tx, id).await?;
        Ok(tx.commit().await?)
    }
}

async fn delete(tx: &mut Tx, id: &ListId) -> Result<()> {
    for statement in DELETE {
        sql!(statement; id).run(tx).await?;
    }
    Ok(())
}

/// Marks a list as used by a job; false when no job can be started over it. The caller holds the
/// account's row.
pub(crate) async fn mark_used(
    tx: &mut Tx,
    account: &AccountId,
    id: &ListId,
    now: Millis,
) -> Result<bool> {
    Ok(sql!(USE; id, account, now).run(tx).await? > 0)
}

/// The URLs of a shard that are among the first `most` of the list, with their numbers, from the text
/// of a row of `list_urls`.
pub(crate) fn first_urls(text: &str, most: u64) -> impl Iterator<Item = (u64, &str)> {
    text.lines().filter_map(move |line| {
        let (number, url) = line.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        (number < most).then_some((number, url))
    })
}
