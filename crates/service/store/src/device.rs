//! Known devices: clients that signed in to an account before.
//!
//! A device token is long-lived and only exempts from the account-wide delay of `sign_in.rs`, so
//! that wrong passwords from elsewhere cannot lock the owner out. Only its hash is stored.

use std::time::Duration;

use contract::{AccountId, Millis};

use crate::columns::{ExecuteIn, Tx, scalar, sql};
use crate::credential::fingerprint;
use crate::{DeviceToken, Result};

/// Maximum devices per account.
const MAX_DEVICES: i64 = 20;

/// Retention of a device after its last sign-in.
pub(crate) const LIFETIME: Duration = Duration::from_secs(180 * 24 * 60 * 60);

/// The device token returned by a sign-in.
pub(crate) struct Device {
    pub token: String,
    /// Whether it signed in to this account before.
    pub known: bool,
}

const USE: &str = "UPDATE devices SET last_used_at = $3, uses = uses + 1 \
    WHERE token_hash = $1 AND account_id = $2";
const INSERT: &str = "INSERT INTO devices (token_hash, account_id, created_at, last_used_at, uses) \
    VALUES ($1, $2, $3, $3, 0)";
/// Devices that were used only once are deleted first: a script that signs in without its token
/// must not displace the owner's browser.
const DELETE_LEAST_USED: &str = "DELETE FROM devices WHERE account_id = $1 AND token_hash NOT IN \
    (SELECT token_hash FROM devices WHERE account_id = $1 \
     ORDER BY CASE WHEN uses > 0 OR token_hash = $3 THEN 0 ELSE 1 END, last_used_at DESC, \
     token_hash LIMIT $2)";
const DELETE_OTHERS: &str = "DELETE FROM devices WHERE account_id = $1 AND token_hash NOT IN \
    (SELECT device FROM sessions WHERE account_id = $1 AND device IS NOT NULL)";
pub(crate) const DELETE_OLD: &str = "DELETE FROM devices WHERE last_used_at <= $1";
const IS_KNOWN: &str = "SELECT COUNT(*) FROM devices d JOIN accounts a ON a.id = d.account_id \
    WHERE d.token_hash = $1 AND a.email = $2";

/// Stores the device of a successful sign-in, or updates the one with the sent token.
pub(crate) async fn remember(
    tx: &mut Tx,
    account: &AccountId,
    sent: Option<&str>,
    now: Millis,
) -> Result<Device> {
    if let Some(token) = sent.filter(|token| token.starts_with(DeviceToken::PREFIX))
        && sql!(USE; fingerprint(token), account, now).run(tx).await? > 0
    {
        return Ok(Device { token: token.to_owned(), known: true });
    }
    let token = DeviceToken::mint().reveal().to_owned();
    let hash = fingerprint(&token);
    sql!(INSERT; hash, account, now).run(tx).await?;
    sql!(DELETE_LEAST_USED; account, MAX_DEVICES, hash).run(tx).await?;
    Ok(Device { token, known: false })
}

/// Deletes the devices without a session of the account.
pub(crate) async fn delete_others(tx: &mut Tx, account: &AccountId) -> Result<()> {
    sql!(DELETE_OTHERS; account).run(tx).await.map(drop)
}

/// Whether the token belongs to a device of the account with this e-mail address.
pub(crate) async fn is_known(tx: &mut Tx, token: &str, email: &str) -> Result<bool> {
    let known: i64 = scalar!(IS_KNOWN; fingerprint(token), email).fetch_one(&mut **tx).await?;
    Ok(known > 0)
}
