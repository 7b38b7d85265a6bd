//! The queue of e-mails.
//!
//! An e-mail is queued in the transaction of its cause, and its row is marked as sent after the mail server
//! has accepted it, so that a restart loses none. A node that dies between both sends it again with the
//! same `Message-ID` when its lease ends. There is one row of an account, kind and subject: further
//! causes change a row that is not sent, and are dropped for a while after it was. So the
//! table is bounded by accounts and schedules.

use std::time::Duration;

use contract::{AccountId, Millis, ScheduleId};
use data_encoding::HEXLOWER;

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::{Result, Store, StoreError, random};

/// What an e-mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailKind {
    PasswordReset,
    /// An automatic purchase of credits failed.
    TopUpFailed,
    /// A run of a schedule was not started, or failed. One kind for both: a node of an earlier
    /// release cannot send a kind that it does not know.
    ScheduleFailed,
}

/// Times of the e-mails of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLimits {
    /// After it, an e-mail that was not accepted is dropped.
    pub lifetime: Duration,
    /// Time after an e-mail in which no other one of its account, kind and subject is sent.
    pub quiet: Duration,
}

/// An e-mail that this node has to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedMail {
    pub id: String,
    pub account: AccountId,
    pub kind: MailKind,
    /// The schedule that it is about, or empty.
    pub subject: String,
    pub reason: String,
    /// Attempts including the current one.
    pub attempts: u64,
    pub expires_at: Millis,
}

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum bytes of a reason.
const REASON_BYTES: usize = 2_000;

/// Does nothing if the row was sent within the quiet time (after $8).
const QUEUE: &str = "INSERT INTO mails \
    (id, account_id, kind, subject, reason, created_at, expires_at, due_at, attempts) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $6, 0) ON CONFLICT (account_id, kind, subject) DO UPDATE SET \
    id = CASE WHEN mails.sent_at IS NULL THEN mails.id ELSE excluded.id END, \
    reason = excluded.reason, created_at = excluded.created_at, expires_at = excluded.expires_at, \
    due_at = CASE WHEN mails.sent_at IS NULL THEN mails.due_at ELSE excluded.due_at END, \
    attempts = CASE WHEN mails.sent_at IS NULL THEN mails.attempts ELSE 0 END, sent_at = NULL \
    WHERE mails.sent_at IS NULL OR mails.sent_at <= $8";
/// The condition is checked again for a row that another node has claimed meanwhile.
const CLAIM: &str = "UPDATE mails SET due_at = $2, attempts = attempts + 1 \
    WHERE sent_at IS NULL AND due_at <= $1 AND id = (SELECT id FROM mails \
    WHERE sent_at IS NULL AND due_at <= $1 ORDER BY due_at, id LIMIT 1) \
    RETURNING id, account_id, kind, subject, reason, attempts, expires_at";
const SENT: &str = "UPDATE mails SET sent_at = $2 WHERE id = $1";
const RETRY: &str = "UPDATE mails SET due_at = $2 WHERE id = $1 AND sent_at IS NULL";
const DROP: &str = "DELETE FROM mails WHERE id = $1 AND sent_at IS NULL";
/// Rows that were sent are kept for the longest quiet time. Expired ones are dropped by nodes that send.
pub(crate) const DELETE_SENT: &str = "DELETE FROM mails WHERE sent_at <= $1 OR expires_at <= $1";
pub(crate) const KEEP_SENT: Duration = DAY;

impl MailKind {
    const ALL: [Self; 3] = [Self::PasswordReset, Self::TopUpFailed, Self::ScheduleFailed];

    /// The name of the kind in the database and in logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PasswordReset => "password_reset",
            Self::TopUpFailed => "top_up_failed",
            Self::ScheduleFailed => "schedule_failed",
        }
    }

    #[must_use]
    pub fn limits(self) -> MailLimits {
        match self {
            // A link that arrives hours later is a surprise.
            Self::PasswordReset => MailLimits { lifetime: 60 * MINUTE, quiet: 5 * MINUTE },
            Self::TopUpFailed | Self::ScheduleFailed => {
                MailLimits { lifetime: 3 * DAY, quiet: DAY }
            }
        }
    }
}

impl Store {
    /// Queues an e-mail to the owner of an account in the transaction of its cause.
    pub(crate) async fn queue_mail(
        &self,
        tx: &mut Tx,
        account: &AccountId,
        kind: MailKind,
        (schedule, reason): (Option<&ScheduleId>, &str),
        now: Millis,
    ) -> Result<()> {
        if !self.inner.settings.sends_mail {
            return Ok(());
        }
        let MailLimits { lifetime, quiet } = kind.limits();
        let id = HEXLOWER.encode(&random());
        let reason: String = reason.chars().take(REASON_BYTES / 4).collect();
        sql!(QUEUE; id, account, kind.as_str(), schedule.map_or("", ScheduleId::as_str), reason, now,
            now.plus(lifetime), now.minus(quiet))
        .run(tx)
        .await
        .map(drop)
    }

    /// Leases the next e-mail that is due.
    pub async fn claim_mail(&self, lease: Duration, now: Millis) -> Result<Option<QueuedMail>> {
        let mut tx = self.begin().await?;
        let row = sql!(CLAIM; now, now.plus(lease)).fetch_optional(&mut *tx).await?;
        tx.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let kind: String = row.read("kind")?;
        let known = MailKind::ALL.into_iter().find(|known| known.as_str() == kind);
        Ok(Some(QueuedMail {
            kind: known
                .ok_or_else(|| StoreError::Damaged(format!("a mail has the kind {kind}")))?,
            id: row.read("id")?,
            account: row.read("account_id")?,
            subject: row.read("subject")?,
            reason: row.read("reason")?,
            attempts: row.read("attempts")?,
            expires_at: row.read("expires_at")?,
        }))
    }

    /// The mail server has accepted the e-mail.
    pub async fn mark_mail_sent(&self, id: &str, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        sql!(SENT; id, now).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Sends the e-mail again at `due`.
    pub async fn retry_mail(&self, id: &str, due: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        sql!(RETRY; id, due).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Drops an e-mail that cannot be delivered.
    pub async fn drop_mail(&self, id: &str) -> Result<()> {
        let mut tx = self.begin().await?;
        sql!(DROP; id).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}
