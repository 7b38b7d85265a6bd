//! The lock on an account's row, which serialises changes of its balance, queue and rows.

use contract::{AccountId, Credits, Millis};
use sqlx::any::AnyRow;

use crate::columns::{ReadColumn, Tx, sql};
use crate::{Dialect, Result, StoreError};

/// Creations of one account run one after the other, so that each sees the balance, the queue and
/// the running sites as they are. A repeated request waits here for the response to the first.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance \
    WHERE id = $1 AND deleted_at IS NULL RETURNING balance - reserved AS available, suspended_at";
/// The same lock on PostgreSQL, unless another transaction holds it.
const LOCK_ACCOUNT_SKIP_LOCKED: &str = "SELECT balance - reserved AS available, suspended_at \
    FROM accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE SKIP LOCKED";
const EXISTS: &str = "SELECT id FROM accounts WHERE id = $1 AND deleted_at IS NULL";

/// An account whose row this transaction has locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LockedAccount {
    /// Credits that are neither spent nor reserved.
    pub available: Credits,
    pub suspended: bool,
}

impl LockedAccount {
    fn read(row: &AnyRow) -> Result<Self> {
        Ok(Self {
            available: row.read("available")?,
            suspended: row.read::<Option<Millis>>("suspended_at")?.is_some(),
        })
    }
}

/// The outcome of [`try_lock_account`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum AccountLock {
    Locked(LockedAccount),
    /// Another transaction holds the lock.
    Busy,
    Deleted,
}

/// Locks the account's row; `None` when the account is deleted.
pub(crate) async fn lock_account(
    tx: &mut Tx,
    account: &AccountId,
) -> Result<Option<LockedAccount>> {
    let row = sql!(LOCK_ACCOUNT; account).fetch_optional(&mut **tx).await?;
    row.as_ref().map(LockedAccount::read).transpose()
}

/// Locks the account's row without waiting for another transaction. SQLite has a single writer, so
/// that no account is busy there.
pub(crate) async fn try_lock_account(
    tx: &mut Tx,
    dialect: Dialect,
    account: &AccountId,
) -> Result<AccountLock> {
    let lock = dialect.claim(LOCK_ACCOUNT, LOCK_ACCOUNT_SKIP_LOCKED);
    if let Some(row) = sql!(lock; account).fetch_optional(&mut **tx).await? {
        return Ok(AccountLock::Locked(LockedAccount::read(&row)?));
    }
    let row = sql!(EXISTS; account).fetch_optional(&mut **tx).await?;
    Ok(if row.is_some() { AccountLock::Busy } else { AccountLock::Deleted })
}

/// Locks the account's row, or fails when the account is suspended or deleted. Every transaction
/// that inserts rows of an account calls this. A deletion suspends the account in a separate
/// transaction before it deletes anything, so that each insertion is committed before that and
/// found by the deletion, or fails here.
pub(crate) async fn lock_active_account(tx: &mut Tx, account: &AccountId) -> Result<()> {
    match lock_account(tx, account).await? {
        Some(LockedAccount { suspended: false, .. }) => Ok(()),
        Some(LockedAccount { suspended: true, .. }) | None => Err(StoreError::AccountClosed),
    }
}
