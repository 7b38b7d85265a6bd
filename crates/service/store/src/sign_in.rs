//! Signing in, and how often it may be tried.
//!
//! Attempts are counted in the database, so that several nodes share the count, and before the
//! password is checked, so that parallel attempts do not get around it. A success clears them.
//!
//! - Each (account, network) pair has a token bucket. A known device has a bucket of its own
//!   instead, so that others in its network do not use its attempts up.
//! - The account has a delay that grows with attempts from many networks: each network adds at
//!   most [`OF_NETWORK`] of them, and the first [`FREE`] cost nothing. So one attacker, however
//!   patient, delays nobody but himself. A known device does not wait for this delay.
//!
//! An e-mail that no account has is treated alike. Rows are dropped an hour after the last
//! attempt; how many there can be is bounded by how many passwords can be checked in an hour.

use std::time::Duration;

use contract::{AuditAction, Millis};
use sqlx::{Any, Row, Transaction};

use crate::account::normal_email;
use crate::credential::fingerprint;
use crate::{AuditRecord, DeviceToken, Store, StoreError, device};

/// Attempts of one network that count for the account.
const OF_NETWORK: i64 = 5;

/// Attempts for an account, over all networks, without a delay.
const FREE: i64 = 2 * OF_NETWORK;

/// The longest delay of an account.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// How long attempts count after the last one.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// An attempt to sign in.
#[derive(Debug, Clone)]
pub struct SignInAttempt {
    pub email: String,
    /// The network that the attempt comes from, if it is known.
    pub network: Option<String>,
    /// The device token that an earlier sign-in gave.
    pub device: Option<String>,
}

/// Whether an attempt may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInGate {
    /// The password may be checked.
    Open {
        /// Attempts of this network or device since the last success, with this one.
        attempts: u64,
    },
    /// Not yet.
    Wait {
        /// Until the next attempt may be made.
        wait: Duration,
    },
}

const READ: &str = "SELECT attempts, last_at FROM sign_in_attempts WHERE key = $1";
/// GCRA: a token comes back every $3 ms, and the bucket is empty when `next_at` is more than $4 ms
/// ahead. No row is returned when the bucket is empty. What is older than $5 is forgotten.
const TAKE: &str = "INSERT INTO sign_in_attempts (key, next_at, attempts, last_at) \
    VALUES ($1, $2 + $3, 1, $2) ON CONFLICT (key) DO UPDATE SET \
    next_at = CASE WHEN sign_in_attempts.next_at > $2 THEN sign_in_attempts.next_at ELSE $2 END \
        + $3, \
    attempts = CASE WHEN sign_in_attempts.last_at <= $5 THEN 1 \
        ELSE sign_in_attempts.attempts + 1 END, \
    last_at = $2 \
    WHERE sign_in_attempts.next_at - $2 <= $4 RETURNING attempts";
const NEXT: &str = "SELECT next_at FROM sign_in_attempts WHERE key = $1";
const COUNT: &str = "INSERT INTO sign_in_attempts (key, next_at, attempts, last_at) \
    VALUES ($1, $2, 1, $2) ON CONFLICT (key) DO UPDATE SET \
    attempts = CASE WHEN sign_in_attempts.last_at <= $3 THEN 1 \
        ELSE sign_in_attempts.attempts + 1 END, \
    last_at = $2";
const CLEAR: &str = "DELETE FROM sign_in_attempts WHERE key = $1";
/// A write without effect: `next_at` of an account's row is never read. SQLite skips the write when
/// no value changes.
const TOUCH: &str = "UPDATE sign_in_attempts SET next_at = next_at + 1 WHERE key = $1";
pub(crate) const FORGET_OLD: &str = "DELETE FROM sign_in_attempts WHERE last_at <= $1";

impl Store {
    /// Counts an attempt to sign in, and tells whether it may be made. `per_minute` is how often
    /// a network or a device may try.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn admit_sign_in(
        &self,
        attempt: &SignInAttempt,
        per_minute: u32,
        now: Millis,
    ) -> Result<SignInGate, StoreError> {
        let email = normal_email(&attempt.email);
        let forgotten = now.0 - millis(REMEMBERED);
        let mut tx = self.begin().await?;
        let known = match &attempt.device {
            Some(token) if token.starts_with(DeviceToken::PREFIX) => {
                device::is_known(&mut tx, token, &email).await?
            }
            Some(_) | None => false,
        };
        if !known && let Some(wait) = delayed(&mut tx, &email, now).await? {
            return Ok(SignInGate::Wait { wait });
        }
        let pair = pair_key(&email, attempt, known);
        let interval = 60_000 / i64::from(per_minute.max(1));
        let taken: Option<i64> = sqlx::query_scalar(TAKE)
            .bind(&pair)
            .bind(now.0)
            .bind(interval)
            .bind(interval * (i64::from(per_minute) - 1))
            .bind(forgotten)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(attempts) = taken else {
            let next: i64 = sqlx::query_scalar(NEXT).bind(&pair).fetch_one(&mut *tx).await?;
            let wait = next - now.0 - interval * (i64::from(per_minute) - 1);
            return Ok(SignInGate::Wait { wait: duration(wait) });
        };
        if !known && attempts <= OF_NETWORK {
            let count = sqlx::query(COUNT).bind(account_key(&email)).bind(now.0).bind(forgotten);
            count.execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(SignInGate::Open { attempts: u64::try_from(attempts).unwrap_or(1) })
    }

    /// Forgets the attempts of an account and of this network or device: the password was right.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn clear_sign_ins(&self, attempt: &SignInAttempt) -> Result<(), StoreError> {
        let email = normal_email(&attempt.email);
        let mut tx = self.begin().await?;
        for key in
            [account_key(&email), pair_key(&email, attempt, false), pair_key(&email, attempt, true)]
        {
            sqlx::query(CLEAR).bind(key).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Records a wrong password in the audit log of the account, if there is such an account.
    /// Only the 1st, 2nd, 4th, 8th, … attempt is recorded: attackers must not fill the log. A
    /// transaction is committed for an unknown e-mail as well, so that the time of the answer does
    /// not tell it from a known one.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn record_refused_sign_in(
        &self,
        email: &str,
        attempts: u64,
        now: Millis,
    ) -> Result<(), StoreError> {
        if !attempts.is_power_of_two() {
            return Ok(());
        }
        let account = self.account_by_email(email).await?;
        let mut tx = self.begin().await?;
        let key = account_key(&normal_email(email));
        sqlx::query(TOUCH).bind(key).execute(&mut *tx).await?;
        if let Some(account) = account {
            let record = AuditRecord::of(&account.id, AuditAction::SessionRefused)
                .detail("attempts", attempts)
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

/// How long the account is still delayed.
async fn delayed(
    tx: &mut Transaction<'static, Any>,
    email: &str,
    now: Millis,
) -> Result<Option<Duration>, StoreError> {
    let row = sqlx::query(READ).bind(account_key(email)).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    let (attempts, last_at): (i64, i64) = (row.try_get("attempts")?, row.try_get("last_at")?);
    if last_at <= now.0 - millis(REMEMBERED) {
        return Ok(None);
    }
    let wait = last_at + millis(delay(attempts)) - now.0;
    Ok((wait > 0).then(|| duration(wait)))
}

/// The delay after so many attempts: none at first, then doubling from a second.
fn delay(attempts: i64) -> Duration {
    if attempts <= FREE {
        return Duration::ZERO;
    }
    let beyond = u32::try_from(attempts - FREE - 1).unwrap_or(u32::MAX);
    Duration::from_secs(2_u64.saturating_pow(beyond)).min(LONGEST_DELAY)
}

fn account_key(email: &str) -> String {
    fingerprint(&format!("account\n{email}"))
}

fn pair_key(email: &str, attempt: &SignInAttempt, known: bool) -> String {
    let (kind, from) = match known {
        true => ("device", attempt.device.as_deref()),
        false => ("network", attempt.network.as_deref()),
    };
    fingerprint(&format!("{kind}\n{email}\n{}", from.unwrap_or_default()))
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_of_an_account_doubles_up_to_its_bound() {
        let seconds = |attempts| delay(attempts).as_secs();
        assert_eq!([1, 10, 11, 12, 13].map(seconds), [0, 0, 1, 2, 4]);
        assert_eq!([19, 20, 1_000, i64::MAX].map(seconds), [256, 300, 300, 300]);
    }
}
