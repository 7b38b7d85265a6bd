//! New passwords by e-mail.
//!
//! A request is answered alike for every address, and takes one transaction with as many statements: it
//! does not reveal which addresses have accounts. The token is made when the e-mail is sent.

use std::net::IpAddr;
use std::time::Duration;

use contract::{AccountId, AuditAction, Millis};

use crate::account::{SET_PASSWORD, blocking};
use crate::columns::{ExecuteIn, ReadColumn, scalar, sql};
use crate::credential::{fingerprint, hash_password};
use crate::sign_in::TAKE;
use crate::{
    AuditRecord, MailKind, PasswordError, PasswordResetToken, Result, Store, session, sign_in,
};

/// Time in which a link must be used.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Maximum links of an account that were not used: those of the e-mails of an hour.
const MAX_OPEN: i64 = 20;

/// Requests of one network per minute.
const PER_MINUTE: i64 = 5;

/// A write for addresses without an account, as large as that for others; the count is not used.
const TOUCH: &str = "UPDATE sign_in_attempts SET attempts = attempts + 1 WHERE key = $1";
const INSERT: &str = "INSERT INTO password_resets (token_hash, account_id, expires_at) \
    SELECT $1, $2, $3 WHERE (SELECT COUNT(*) FROM password_resets WHERE account_id = $2) < $4";
const FIND: &str =
    "SELECT account_id FROM password_resets WHERE token_hash = $1 AND expires_at > $2";
/// Deletes the link in the statement that reads it, so that it works once.
const REDEEM: &str = "DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 \
    RETURNING account_id";
const DELETE_OTHERS: &str = "DELETE FROM password_resets WHERE account_id = $1";
pub(crate) const DELETE_EXPIRED: &str = "DELETE FROM password_resets WHERE expires_at <= $1";

/// The answer to a request for a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetRequest {
    /// If there is such an account, an e-mail is queued.
    Accepted,
    /// The network has sent too many requests.
    Wait,
}

/// The result of a link with a new password.
#[derive(Debug)]
pub enum PasswordReset {
    /// The password is set, and all sessions have ended.
    Done(AccountId),
    /// The link is unknown, expired or was used.
    Expired,
    /// The link can be used again with another password.
    Refused(PasswordError),
}

impl Store {
    /// Queues an e-mail with a link for a new password if an active account has this address.
    pub async fn request_password_reset(
        &self,
        email: &str,
        from: Option<IpAddr>,
        now: Millis,
    ) -> Result<ResetRequest> {
        let account = self.account_by_email(email).await?;
        let mut tx = self.begin().await?;
        let key = fingerprint(&format!("password reset\n{}", network(from)));
        let interval = 60_000 / PER_MINUTE;
        let expired = now.minus(sign_in::RETENTION);
        let taken: Option<i64> =
            scalar!(TAKE; key, now, interval, interval * (PER_MINUTE - 1), expired)
                .fetch_optional(&mut *tx)
                .await?;
        if taken.is_none() {
            return Ok(ResetRequest::Wait);
        }
        match account.filter(|account| account.suspended_at.is_none()) {
            Some(account) => {
                self.queue_mail(&mut tx, &account.id, MailKind::PasswordReset, (None, ""), now)
                    .await?;
            }
            None => {
                sql!(TOUCH; key).run(&mut tx).await?;
            }
        }
        tx.commit().await?;
        Ok(ResetRequest::Accepted)
    }

    /// A token that sets a new password of the account within an hour; `None` if it has too many.
    pub async fn create_password_reset(
        &self,
        account: &AccountId,
        now: Millis,
    ) -> Result<Option<PasswordResetToken>> {
        let token = PasswordResetToken::mint();
        let mut tx = self.begin().await?;
        let expiry = now.plus(LIFETIME);
        let made = sql!(INSERT; fingerprint(token.reveal()), account, expiry, MAX_OPEN)
            .run(&mut tx)
            .await?;
        tx.commit().await?;
        Ok((made == 1).then_some(token))
    }

    /// Whether a link can still be used.
    pub async fn is_password_reset(&self, token: &str, now: Millis) -> Result<bool> {
        if !token.starts_with(PasswordResetToken::PREFIX) {
            return Ok(false);
        }
        let found = sql!(FIND; fingerprint(token), now).fetch_optional(self.reader()?).await?;
        Ok(found.is_some())
    }

    /// Sets the password of the account of a link, ends all of its sessions, and removes all links and
    /// known devices.
    pub async fn reset_password(
        &self,
        token: &str,
        password: &str,
        now: Millis,
    ) -> Result<PasswordReset> {
        // Hashing takes long: only links that exist may cause it.
        if !self.is_password_reset(token, now).await? {
            return Ok(PasswordReset::Expired);
        }
        let password = password.to_owned();
        let hash = match blocking(move || hash_password(&password)).await? {
            Ok(hash) => hash,
            Err(refused) => return Ok(PasswordReset::Refused(refused)),
        };
        let mut tx = self.begin().await?;
        let row = sql!(REDEEM; fingerprint(token), now).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(PasswordReset::Expired) };
        let account: AccountId = row.read("account_id")?;
        if sql!(SET_PASSWORD; account, hash).run(&mut tx).await? == 0 {
            return Ok(PasswordReset::Expired);
        }
        sql!(DELETE_OTHERS; account).run(&mut tx).await?;
        let ended = session::end_all(&mut tx, &account, None).await?;
        let record = AuditRecord::of(&account, AuditAction::PasswordChanged)
            .detail("sessions_ended", ended)
            .detail("by", "e-mail")
            .at(now);
        self.commit_audited(tx, record).await?;
        Ok(PasswordReset::Done(account))
    }
}

/// The network of a client, as for sign-ins: an IPv6 client usually has a whole /64.
fn network(from: Option<IpAddr>) -> String {
    match from.map(|ip| ip.to_canonical()) {
        None => String::new(),
        Some(IpAddr::V4(ip)) => ip.to_string(),
        Some(IpAddr::V6(ip)) => format!("{:x?}", &ip.segments()[..4]),
    }
}
