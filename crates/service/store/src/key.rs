//! API keys: create, list, change, revoke, authenticate, purge.

use std::time::Duration;

use contract::{
    AccountId, AccountKey, AuditAction, CreatedKey, Creator, CredentialLimits, KeyId, KeyPrefix,
    Millis,
};
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::credential::{fingerprint, is_key_shaped};
use crate::limits::limit_columns;
use crate::{AuditRecord, KeySecret, LimitChange, Result, Store, StoreError, limits, random};

/// Minimum time between two updates of `last_used_at`.
const USE_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct NewKey {
    pub name: String,
    pub source: String,
    pub prefix: KeyPrefix,
    pub limits: LimitChange,
}

/// A change of a key. `None` keeps the current value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyChange {
    pub name: Option<String>,
    pub limits: LimitChange,
}

/// A caller that authenticated with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCaller {
    pub account: AccountId,
    /// Whether the account is suspended, so that its requests are refused.
    pub is_suspended: bool,
    pub key: AccountKey,
}

/// The columns of keys with their limits, and their tables.
macro_rules! key_columns {
    () => {
        concat!(
            "k.id, k.account_id, k.name, k.prefix, k.last4, k.source, k.created_at, \
             k.last_used_at, k.revoked_at, ",
            limit_columns!(),
            " FROM keys k LEFT JOIN credential_limits l \
             ON l.account_id = k.account_id AND l.holder = k.id"
        )
    };
}

/// Keys with their limits.
macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", key_columns!(), " WHERE ", $rest)
    };
}

const INSERT: &str = "INSERT INTO keys \
    (id, account_id, name, prefix, last4, source, secret_hash, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance WHERE id = $1";
const LIVE: &str = "SELECT COUNT(*) FROM keys k LEFT JOIN credential_limits l \
    ON l.account_id = k.account_id AND l.holder = k.id WHERE k.account_id = $1 \
    AND k.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > $2)";
/// An expired key is rejected like a revoked one.
const BY_SECRET: &str = concat!(
    "SELECT a.suspended_at, ",
    key_columns!(),
    " JOIN accounts a ON a.id = k.account_id AND a.deleted_at IS NULL \
     WHERE k.secret_hash = $1 AND k.revoked_at IS NULL \
     AND (l.expires_at IS NULL OR l.expires_at > $2)"
);
/// Keys that were revoked or have expired, except those that created existing schedules or
/// webhooks.
macro_rules! select_inactive {
    ($rest:literal) => {
        concat!(
            "SELECT k.id, k.account_id FROM keys k LEFT JOIN credential_limits l \
             ON l.account_id = k.account_id AND l.holder = k.id WHERE NOT EXISTS \
             (SELECT 1 FROM schedules s WHERE s.account_id = k.account_id AND s.created_by = k.id) \
             AND NOT EXISTS \
             (SELECT 1 FROM webhooks w WHERE w.account_id = k.account_id AND w.created_by = k.id) \
             AND ",
            $rest
        )
    };
}
const INACTIVE_OF_ACCOUNT: &str = select_inactive!(
    "k.account_id = $1 AND (k.revoked_at IS NOT NULL OR l.expires_at <= $2) \
     ORDER BY k.id DESC LIMIT 1000000 OFFSET $3"
);
const INACTIVE_SINCE: &str =
    select_inactive!("COALESCE(k.revoked_at, l.expires_at) <= $1 ORDER BY k.id LIMIT 1000");
const DELETE: &str = "DELETE FROM keys WHERE id = $1 AND account_id = $2";
const DELETE_LIMITS: &str = "DELETE FROM credential_limits WHERE holder = $1 AND account_id = $2";
const BY_ACCOUNT: &str = select!("k.account_id = $1 ORDER BY k.id DESC");
const BY_ID: &str = select!("k.id = $1 AND k.account_id = $2");
const OWNER: &str = "SELECT account_id FROM keys WHERE id = $1";
const USE: &str = "UPDATE keys SET last_used_at = $2 \
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)";
const REVOKE: &str = "UPDATE keys SET revoked_at = COALESCE(revoked_at, $3) \
    WHERE id = $1 AND account_id = $2";
/// Locks the row, whether the name changes or not.
const RENAME: &str = "UPDATE keys SET name = COALESCE($3, name) WHERE id = $1 AND account_id = $2";

/// Maximum revoked or expired keys that an account's list keeps; beyond it the oldest is deleted.
const MAX_INACTIVE_KEYS: i64 = 100;
/// Retention of revoked and expired keys.
pub(crate) const KEEP_INACTIVE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Store {
    /// Creates a key; `None` when the account has reached `StoreSettings::keys`.
    pub async fn create_key(
        &self,
        account: &AccountId,
        new: NewKey,
        now: Millis,
    ) -> Result<Option<CreatedKey>> {
        let secret = KeySecret::mint(new.prefix);
        let id = KeyId::new(now, random());
        let mut tx = self.begin().await?;
        // The lock keeps concurrent creations from exceeding the limit together.
        lock_active_account(&mut tx, account).await?;
        let live: i64 = scalar!(LIVE; account, now).fetch_one(&mut *tx).await?;
        if live >= i64::from(self.inner.settings.keys) {
            return Ok(None);
        }
        sql!(INSERT; id, account, new.name, new.prefix, secret.last4(), new.source,
            fingerprint(secret.reveal()), now)
        .run(&mut tx)
        .await?;
        limits::ensure(&mut tx, account, id.as_str(), true).await?;
        limits::change(&mut tx, account, id.as_str(), &new.limits).await?;
        let set = limits::configured(&mut tx, account, id.as_str()).await?;
        let mut record = AuditRecord::of(account, AuditAction::KeyCreated)
            .object("key", id.as_str())
            .detail("name", new.name.as_str())
            .changes(&CredentialLimits::default(), &set)
            .at(now);
        if let Some(scopes) = new.limits.scopes.as_ref().filter(|scopes| !scopes.is_empty()) {
            let scopes: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
            record = record.detail("scopes", scopes);
        }
        self.append_audit(&mut tx, record).await?;
        let inactive = sql!(INACTIVE_OF_ACCOUNT; account, now, MAX_INACTIVE_KEYS);
        let inactive = inactive.fetch_all(&mut *tx).await?;
        delete(&mut tx, &inactive).await?;
        let details = by_id(&mut tx, account, &id, now).await?;
        tx.commit().await?;
        let details = details.ok_or_else(|| StoreError::Damaged(format!("{id} is missing")))?;
        Ok(Some(CreatedKey { details, key: secret.reveal().to_owned() }))
    }

    /// The keys of the account, newest first: all valid ones, and at most 100 that were revoked or
    /// have expired in the last 30 days.
    pub async fn keys(&self, account: &AccountId, now: Millis) -> Result<Vec<AccountKey>> {
        self.fetch_all(sql!(BY_ACCOUNT; account), |row| read(row, now)).await
    }

    /// The account that owns a key.
    pub async fn owner_of_key(&self, id: &KeyId) -> Result<Option<AccountId>> {
        self.fetch_optional(sql!(OWNER; id), |row| row.read("account_id")).await
    }

    /// Number of keys of the account that are neither revoked nor expired.
    pub async fn live_keys(&self, account: &AccountId, now: Millis) -> Result<u64> {
        let live: i64 = scalar!(LIVE; account, now).fetch_one(self.reader()?).await?;
        Ok(u64::try_from(live).unwrap_or(0))
    }

    /// Renames a key or changes its limits; `None` when the account has no such key.
    pub async fn change_key(
        &self,
        account: &AccountId,
        id: &KeyId,
        change: &KeyChange,
        now: Millis,
    ) -> Result<Option<AccountKey>> {
        let mut tx = self.begin().await?;
        // Locked in the order of a debit: account, limits.
        sql!(LOCK_ACCOUNT; account).run(&mut tx).await?;
        let Some(before) = by_id(&mut tx, account, id, now).await? else { return Ok(None) };
        if sql!(RENAME; id, account, change.name).run(&mut tx).await? == 0 {
            return Ok(None);
        }
        limits::change(&mut tx, account, id.as_str(), &change.limits).await?;
        let Some(key) = by_id(&mut tx, account, id, now).await? else { return Ok(None) };
        // `last_used_at` may change between the two queries.
        let before = AccountKey { last_used_at: key.last_used_at, ..before };
        let record = AuditRecord::of(account, AuditAction::KeyChanged)
            .object("key", id.as_str())
            .changes(&before, &key)
            .at(now);
        if !record.is_bare() {
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(Some(key))
    }

    /// Revokes a key; revoking it again has no effect. `None` when the account has no such key.
    pub async fn revoke_key(
        &self,
        account: &AccountId,
        id: &KeyId,
        now: Millis,
    ) -> Result<Option<AccountKey>> {
        self.end_key(account, id, false, now).await
    }

    /// Revokes a key, and pauses the schedules and webhooks that it created.
    pub async fn revoke_key_and_pause(
        &self,
        account: &AccountId,
        id: &KeyId,
        now: Millis,
    ) -> Result<Option<AccountKey>> {
        self.end_key(account, id, true, now).await
    }

    async fn end_key(
        &self,
        account: &AccountId,
        id: &KeyId,
        pause: bool,
        now: Millis,
    ) -> Result<Option<AccountKey>> {
        let mut tx = self.begin().await?;
        sql!(REVOKE; id, account, now).run(&mut tx).await?;
        let key = by_id(&mut tx, account, id, now).await?;
        // A repeated revocation is not recorded.
        if key.as_ref().is_some_and(|key| key.revoked_at == Some(now)) {
            let record = AuditRecord::of(account, AuditAction::KeyRevoked)
                .object("key", id.as_str())
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        if pause && key.is_some() {
            self.pause_created_by(&mut tx, account, &Creator::Key(id.clone())).await?;
        }
        tx.commit().await?;
        Ok(key)
    }

    /// The caller with this key. Reads the database on every call, so that a revocation takes
    /// effect at once.
    pub async fn authenticate_key(&self, secret: &str, now: Millis) -> Result<Option<KeyCaller>> {
        if !is_key_shaped(secret) {
            return Ok(None);
        }
        let row = sql!(BY_SECRET; fingerprint(secret), now).fetch_optional(self.reader()?).await?;
        let Some(row) = row else { return Ok(None) };
        let mut caller = KeyCaller {
            account: row.read("account_id")?,
            is_suspended: row.read::<Option<i64>>("suspended_at")?.is_some(),
            key: read(&row, now)?,
        };
        if caller.key.last_used_at.is_none_or(|last| now.since(last) >= USE_EVERY) {
            self.execute(sql!(USE; caller.key.id, now, now.minus(USE_EVERY))).await?;
            caller.key.last_used_at = Some(now);
        }
        Ok(Some(caller))
    }
}

/// Deletes up to 1000 keys that were revoked or have expired before `before`.
pub(crate) async fn purge(tx: &mut Tx, before: Millis) -> Result<()> {
    let inactive = sql!(INACTIVE_SINCE; before).fetch_all(&mut **tx).await?;
    delete(tx, &inactive).await
}

async fn delete(tx: &mut Tx, rows: &[AnyRow]) -> Result<()> {
    for row in rows {
        let (id, account): (String, String) = (row.read("id")?, row.read("account_id")?);
        // Locked in the order of a change: key, limits.
        for statement in [DELETE, DELETE_LIMITS] {
            sql!(statement; id, account).run(tx).await?;
        }
    }
    Ok(())
}

async fn by_id(
    tx: &mut Tx,
    account: &AccountId,
    id: &KeyId,
    now: Millis,
) -> Result<Option<AccountKey>> {
    sql!(BY_ID; id, account).fetch_optional(&mut **tx).await?.map(|row| read(&row, now)).transpose()
}

fn read(row: &AnyRow, now: Millis) -> Result<AccountKey> {
    Ok(read_row!(row => AccountKey {
        id, name, prefix, last4, source, created_at, last_used_at, revoked_at;
        scopes: limits::scopes(row)?,
        limits: limits::read(row, now)?,
    }))
}
