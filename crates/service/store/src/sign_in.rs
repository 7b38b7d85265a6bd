//! Rate limits for sign-in attempts.
//!
//! Attempts are counted in the database, so that all nodes share the count, and before the
//! password is verified, so that parallel attempts are limited too. A success clears them.
//!
//! - Each (account, network) pair has a token bucket. A known device has its own bucket instead,
//!   so that others in its network do not use up its attempts.
//! - The account has a delay that grows with attempts from many networks: each network adds at
//!   most [`MAX_PER_NETWORK`] of them, and the first [`WITHOUT_DELAY`] cost nothing. So an attacker
//!   in a single network delays only that network. A known device has no delay.
//!
//! Unknown e-mail addresses are treated alike. Rows are deleted an hour after the last attempt;
//! their number is bounded by the passwords that can be verified in an hour.

use std::time::Duration;

use contract::{AuditAction, Millis};
use job::Backoff;

use crate::account::normal_email;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::credential::fingerprint;
use crate::{AuditRecord, DeviceToken, Result, Store, device};

/// Attempts of one network that count for the delay of the account.
const MAX_PER_NETWORK: i64 = 5;

/// Attempts for an account, over all networks, that cause no delay.
const WITHOUT_DELAY: i64 = 2 * MAX_PER_NETWORK;

/// The delay of an account after each further attempt.
const DELAY: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(300) };

/// How long attempts count after the last one.
pub(crate) const RETENTION: Duration = Duration::from_secs(60 * 60);

/// An attempt to sign in, with what its delay depends on.
#[derive(Debug, Clone)]
pub struct SignInAttempt {
    pub email: String,
    /// The client's network, if it is known.
    pub network: Option<String>,
    /// The device token of an earlier sign-in.
    pub device: Option<String>,
}

/// Whether a sign-in attempt is admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInGate {
    /// The password may be verified. `attempts` counts those of the network or device since the
    /// last success, including this one.
    Open { attempts: u64 },
    /// The next attempt is admitted after `wait`.
    Wait { wait: Duration },
}

const READ: &str = "SELECT attempts, last_at FROM sign_in_attempts WHERE key = $1";
/// GCRA: a token is refilled every $3 ms, and the bucket is empty when `next_at` is more than $4 ms
/// ahead. Returns no row when the bucket is empty. Attempts older than $5 do not count.
pub(crate) const TAKE: &str = "INSERT INTO sign_in_attempts (key, next_at, attempts, last_at) \
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
pub(crate) const DELETE_OLD: &str = "DELETE FROM sign_in_attempts WHERE last_at <= $1";

impl Store {
    /// Counts a sign-in attempt and returns whether it is admitted. `per_minute` is the limit of a
    /// network or device.
    pub async fn admit_sign_in(
        &self,
        attempt: &SignInAttempt,
        per_minute: u32,
        now: Millis,
    ) -> Result<SignInGate> {
        let email = normal_email(&attempt.email);
        let expired = now.0 - millis(RETENTION);
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
        let taken: Option<i64> =
            scalar!(TAKE; pair, now, interval, interval * (i64::from(per_minute) - 1), expired)
                .fetch_optional(&mut *tx)
                .await?;
        let Some(attempts) = taken else {
            let next: i64 = scalar!(NEXT; pair).fetch_one(&mut *tx).await?;
            let wait = next - now.0 - interval * (i64::from(per_minute) - 1);
            return Ok(SignInGate::Wait { wait: duration(wait) });
        };
        if !known && attempts <= MAX_PER_NETWORK {
            sql!(COUNT; account_key(&email), now, expired).run(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(SignInGate::Open { attempts: u64::try_from(attempts).unwrap_or(1) })
    }

    /// Clears the attempts of an account and of this network or device after a success.
    pub async fn clear_sign_ins(&self, attempt: &SignInAttempt) -> Result<()> {
        let email = normal_email(&attempt.email);
        let mut tx = self.begin().await?;
        for key in
            [account_key(&email), pair_key(&email, attempt, false), pair_key(&email, attempt, true)]
        {
            sql!(CLEAR; key).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Records a wrong password in the audit log of the account, if it exists. Only the 1st, 2nd,
    /// 4th, 8th, … attempt is recorded, so that attackers cannot fill the log. A transaction is
    /// committed for an unknown e-mail address too, so that the response time does not reveal it.
    pub async fn record_refused_sign_in(
        &self,
        email: &str,
        attempts: u64,
        now: Millis,
    ) -> Result<()> {
        if !attempts.is_power_of_two() {
            return Ok(());
        }
        let account = self.account_by_email(email).await?;
        let mut tx = self.begin().await?;
        let key = account_key(&normal_email(email));
        sql!(TOUCH; key).run(&mut tx).await?;
        if let Some(account) = account {
            let record = AuditRecord::of(&account.id, AuditAction::SessionRefused)
                .detail("attempts", attempts)
                .at(now);
            self.append_audit(&mut tx, record).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// The remaining delay of the account.
async fn delayed(tx: &mut Tx, email: &str, now: Millis) -> Result<Option<Duration>> {
    let row = sql!(READ; account_key(email)).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(None) };
    let (attempts, last_at): (i64, i64) = (row.read("attempts")?, row.read("last_at")?);
    if last_at <= now.0 - millis(RETENTION) {
        return Ok(None);
    }
    let wait = last_at + millis(delay(attempts)) - now.0;
    Ok((wait > 0).then(|| duration(wait)))
}

/// The delay of an account after this many attempts.
fn delay(attempts: i64) -> Duration {
    u64::try_from(attempts - WITHOUT_DELAY).map_or(Duration::ZERO, |beyond| DELAY.pause(beyond))
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
    fn delay_of_an_account_doubles_up_to_five_minutes() {
        let seconds = |attempts| delay(attempts).as_secs();
        assert_eq!([1, 10, 11, 12, 13].map(seconds), [0, 0, 1, 2, 4]);
        assert_eq!([19, 20, 1_000, i64::MAX].map(seconds), [256, 300, 300, 300]);
    }
}
