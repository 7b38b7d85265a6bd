//! API keys.

use std::time::Duration;

use contract::{AccountId, AccountKey, AuditAction, CreatedKey, KeyId, KeyPrefix, Millis};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::account::account_id;
use crate::credential::{fingerprint, is_key_shaped};
use crate::{AuditRecord, KeySecret, Store, StoreError, random};

/// A key's use is written down at most this often.
const USE_EVERY: Duration = Duration::from_secs(60);

/// A new key.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    pub source: String,
    pub prefix: KeyPrefix,
}

/// Whoever authenticated by a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCaller {
    pub account: AccountId,
    pub key: AccountKey,
}

/// The columns of a key, read by every statement that returns one.
macro_rules! columns {
    () => {
        "id, account_id, name, prefix, last4, source, created_at, last_used_at, revoked_at"
    };
}

const INSERT: &str = "INSERT INTO keys \
    (id, account_id, name, prefix, last4, source, secret_hash, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance WHERE id = $1";
const LIVE: &str = "SELECT COUNT(*) FROM keys WHERE account_id = $1 AND revoked_at IS NULL";
const BY_SECRET: &str =
    concat!("SELECT ", columns!(), " FROM keys WHERE secret_hash = $1 AND revoked_at IS NULL");
const BY_ACCOUNT: &str =
    concat!("SELECT ", columns!(), " FROM keys WHERE account_id = $1 ORDER BY id DESC");
const OWNER: &str = "SELECT account_id FROM keys WHERE id = $1";
const USE: &str = "UPDATE keys SET last_used_at = $2 \
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)";
const REVOKE: &str = concat!(
    "UPDATE keys SET revoked_at = COALESCE(revoked_at, $3) WHERE id = $1 AND account_id = $2 ",
    "RETURNING ",
    columns!()
);

impl Store {
    /// Makes a key; `None` when the account has as many live ones as it may have.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn create_key(
        &self,
        account: &AccountId,
        new: NewKey,
        now: Millis,
    ) -> Result<Option<CreatedKey>, StoreError> {
        let secret = KeySecret::mint(new.prefix);
        let details = AccountKey {
            id: KeyId::new(now, random()),
            name: new.name,
            prefix: new.prefix,
            last4: secret.last4().to_owned(),
            source: new.source,
            created_at: now,
            last_used_at: None,
            revoked_at: None,
        };
        let mut tx = self.begin().await?;
        // Two creations at once must not both see room for one more.
        sqlx::query(LOCK_ACCOUNT).bind(account.as_str()).execute(&mut *tx).await?;
        let live: i64 = sqlx::query_scalar(LIVE).bind(account.as_str()).fetch_one(&mut *tx).await?;
        if live >= i64::from(self.inner.settings.keys) {
            return Ok(None);
        }
        sqlx::query(INSERT)
            .bind(details.id.as_str())
            .bind(account.as_str())
            .bind(&details.name)
            .bind(details.prefix.as_str())
            .bind(&details.last4)
            .bind(&details.source)
            .bind(fingerprint(secret.reveal()))
            .bind(now.0)
            .execute(&mut *tx)
            .await?;
        let record = AuditRecord::of(account, AuditAction::KeyCreated)
            .object("key", details.id.as_str())
            .detail("name", details.name.as_str())
            .at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(Some(CreatedKey { details, key: secret.reveal().to_owned() }))
    }

    /// Every key of the account, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn keys(&self, account: &AccountId) -> Result<Vec<AccountKey>, StoreError> {
        let rows = sqlx::query(BY_ACCOUNT).bind(account.as_str()).fetch_all(self.reader()?).await?;
        rows.iter().map(read).collect()
    }

    /// The account that a key belongs to.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn owner_of_key(&self, id: &KeyId) -> Result<Option<AccountId>, StoreError> {
        let row = sqlx::query(OWNER).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        row.map(|row| account_id(&row, "account_id")).transpose()
    }

    /// How many live keys the account has.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn live_keys(&self, account: &AccountId) -> Result<u64, StoreError> {
        let live: i64 =
            sqlx::query_scalar(LIVE).bind(account.as_str()).fetch_one(self.reader()?).await?;
        Ok(u64::try_from(live).unwrap_or(0))
    }

    /// Revokes a key, or finds it revoked; `None` when the account has no such key.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn revoke_key(
        &self,
        account: &AccountId,
        id: &KeyId,
        now: Millis,
    ) -> Result<Option<AccountKey>, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(REVOKE)
            .bind(id.as_str())
            .bind(account.as_str())
            .bind(now.0)
            .fetch_optional(&mut *tx)
            .await?;
        let revoked = row.as_ref().map(read).transpose()?;
        // Revoking it again changes nothing, and records nothing.
        if revoked.as_ref().is_some_and(|key| key.revoked_at == Some(now)) {
            let record = AuditRecord::of(account, AuditAction::KeyRevoked)
                .object("key", id.as_str())
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(revoked)
    }

    /// Whoever this secret belongs to. Asked of the database every time: a revoked
    /// key is refused from that instant on.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn authenticate_key(
        &self,
        secret: &str,
        now: Millis,
    ) -> Result<Option<KeyCaller>, StoreError> {
        if !is_key_shaped(secret) {
            return Ok(None);
        }
        let row =
            sqlx::query(BY_SECRET).bind(fingerprint(secret)).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let mut caller = KeyCaller { account: account_id(&row, "account_id")?, key: read(&row)? };
        if caller.key.last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            let before = now.0 - i64::try_from(USE_EVERY.as_millis()).unwrap_or(0);
            let mut tx = self.begin().await?;
            sqlx::query(USE)
                .bind(caller.key.id.as_str())
                .bind(now.0)
                .bind(before)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            caller.key.last_used_at = Some(now);
        }
        Ok(Some(caller))
    }
}

fn read(row: &AnyRow) -> Result<AccountKey, StoreError> {
    let id: String = row.try_get("id")?;
    let prefix: String = row.try_get("prefix")?;
    Ok(AccountKey {
        id: id.parse().map_err(|_| StoreError::Damaged(format!("no key: {id}")))?,
        name: row.try_get("name")?,
        prefix: KeyPrefix::from_word(&prefix)
            .ok_or_else(|| StoreError::Damaged(format!("no prefix of a key: {prefix}")))?,
        last4: row.try_get("last4")?,
        source: row.try_get("source")?,
        created_at: Millis(row.try_get("created_at")?),
        last_used_at: row.try_get::<Option<i64>, _>("last_used_at")?.map(Millis),
        revoked_at: row.try_get::<Option<i64>, _>("revoked_at")?.map(Millis),
    })
}
