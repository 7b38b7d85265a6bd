//! The loop that sends queued e-mails, one at a time per node.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Millis};
use job::Backoff;
use store::{MailKind, QueuedMail, Store, StoreError};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::letter::letter;
use crate::smtp_server::{SEND_TIMEOUT, SmtpError, SmtpServer};

/// Interval of the search for due e-mails.
const POLL: Duration = Duration::from_secs(2);

/// Lease on an e-mail, longer than an attempt.
const LEASE: Duration = Duration::from_secs(3 * 60);

/// The pause after a failed attempt.
const RETRY: Backoff =
    Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(60 * 60) };

const _: () = assert!(LEASE.as_secs() > 2 * SEND_TIMEOUT.as_secs());

/// Sends queued e-mails. All durable state is in the store.
#[derive(Debug, Clone)]
pub struct Mailer {
    store: Store,
    server: SmtpServer,
    /// The URL of the service in links.
    public_url: String,
    clock: Arc<dyn Clock>,
}

/// The end of an attempt.
enum MailAttempt {
    Sent,
    /// The account is gone, or the e-mail is too old.
    Dropped(&'static str),
    Failed(SmtpError),
}

impl Mailer {
    #[must_use]
    pub fn new(
        store: Store,
        server: SmtpServer,
        public_url: String,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { store, server, public_url, clock }
    }

    /// Runs until `shutdown` is cancelled, and finishes the e-mail that is being sent.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut is_healthy = true;
        while !shutdown.is_cancelled() {
            match self.send_next().await {
                Ok(true) => continue,
                Ok(false) => is_healthy = true,
                Err(error) => {
                    if is_healthy {
                        tracing::warn!(%error, "database unavailable, e-mails are waiting");
                    }
                    is_healthy = false;
                }
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Sends the next e-mail that is due; false if there is none.
    async fn send_next(&self) -> Result<bool, StoreError> {
        let Some(mail) = self.store.claim_mail(LEASE, self.clock.now()).await? else {
            return Ok(false);
        };
        let span = tracing::error_span!("mail", mail.id, account.id = %mail.account);
        self.deliver(&mail).instrument(span).await?;
        Ok(true)
    }

    async fn deliver(&self, mail: &QueuedMail) -> Result<(), StoreError> {
        let attempt = self.attempt(mail).await?;
        let now = self.clock.now();
        let outcome = match &attempt {
            MailAttempt::Sent => "sent",
            MailAttempt::Dropped(_) => "dropped",
            MailAttempt::Failed(error) if error.is_final() => "refused",
            MailAttempt::Failed(_) => "retried",
        };
        match &attempt {
            MailAttempt::Sent => self.store.mark_mail_sent(&mail.id, now).await?,
            MailAttempt::Dropped(_) => self.store.drop_mail(&mail.id).await?,
            MailAttempt::Failed(error) if error.is_final() => {
                self.store.drop_mail(&mail.id).await?
            }
            MailAttempt::Failed(_) => self.retry(mail, now).await?,
        }
        report(mail, outcome, &attempt);
        Ok(())
    }

    async fn retry(&self, mail: &QueuedMail, now: Millis) -> Result<(), StoreError> {
        self.store.retry_mail(&mail.id, now.plus(RETRY.pause(mail.attempts))).await
    }

    async fn attempt(&self, mail: &QueuedMail) -> Result<MailAttempt, StoreError> {
        let now = self.clock.now();
        if now >= mail.expires_at {
            return Ok(MailAttempt::Dropped("the mail server has not accepted it in time"));
        }
        let account = self.store.account(&mail.account).await?;
        let Some(account) = account.filter(|account| account.suspended_at.is_none()) else {
            return Ok(MailAttempt::Dropped("the account is suspended or deleted"));
        };
        let token = match mail.kind {
            MailKind::PasswordReset => {
                match self.store.create_password_reset(&account.id, now).await? {
                    Some(token) => Some(token),
                    None => return Ok(MailAttempt::Dropped("the account has too many open links")),
                }
            }
            MailKind::TopUpFailed | MailKind::ScheduleFailed => None,
        };
        let letter = letter(mail, &self.public_url, token.as_ref());
        match self.server.send(&mail.id, &account.email, letter).await {
            Ok(()) => Ok(MailAttempt::Sent),
            Err(error) => Ok(MailAttempt::Failed(error)),
        }
    }
}

/// Logs and counts an attempt. The address is personal data and is not logged.
fn report(mail: &QueuedMail, outcome: &'static str, attempt: &MailAttempt) {
    metrics::counter!("trawl_mails_total", "outcome" => outcome).increment(1);
    let (kind, attempts) = (mail.kind.as_str(), mail.attempts);
    match attempt {
        MailAttempt::Sent => {
            tracing::info!(kind, attempts, "e-mail sent");
        }
        MailAttempt::Dropped(reason) => {
            tracing::warn!(kind, attempts, reason, "e-mail dropped");
        }
        MailAttempt::Failed(error) => tracing::warn!(
            kind, attempts, outcome, %error,
            "the mail server did not accept an e-mail"
        ),
    }
}
