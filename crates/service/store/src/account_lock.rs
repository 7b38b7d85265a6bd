//! The lock on an account's row, which serialises changes of its balance, queue and rows.

use contract::{AccountId, Credits, Millis};

use crate::StoreError;
use crate::columns::{ReadColumn, Tx, sql};

/// Creations of one account run one after the other, so that each sees the balance, the queue and
/// the running sites as they are. A repeated request waits here for the response to the first.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance \
    WHERE id = $1 AND deleted_at IS NULL RETURNING balance - reserved AS available, suspended_at";

/// An account whose row this transaction has locked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LockedAccount {
    /// Credits that are neither spent nor reserved.
    pub available: Credits,
    pub suspended: bool,
}

/// Locks the account's row; `None` when the account is deleted.
pub(crate) async fn lock_account(
    tx: &mut Tx,
    account: &AccountId,
) -> Result<Option<LockedAccount>, StoreError> {
    let row = sql!(LOCK_ACCOUNT; account).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(LockedAccount {
        available: row.read("available")?,
        suspended: row.read::<Option<Millis>>("suspended_at")?.is_some(),
    }))
}

/// Locks the account's row, or fails when the account is suspended or deleted. Every transaction
/// that inserts rows of an account calls this. A deletion suspends the account in a transaction
/// of its own before it deletes anything, so that each insertion is committed before that and
/// found by the deletion, or fails here.
pub(crate) async fn lock_active_account(
    tx: &mut Tx,
    account: &AccountId,
) -> Result<(), StoreError> {
    match lock_account(tx, account).await? {
        Some(LockedAccount { suspended: false, .. }) => Ok(()),
        Some(LockedAccount { suspended: true, .. }) | None => Err(StoreError::AccountClosed),
    }
}
