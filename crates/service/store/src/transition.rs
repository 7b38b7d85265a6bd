//! Commands to a stored job: decided by `job::decide`, written with their effects.

use contract::{AccountId, Confirm, Credits, Event, EventData, EventId, EventKind, JobId, Millis};
use job::{Command, Decision, Effect, Job, Refusal, decide};
use sqlx::{Any, Transaction};
use thiserror::Error;

use crate::create::of_budget;
use crate::{Lease, Store, StoreError, Wake, job_row, limits, random};

/// Why a command had no effect.
#[derive(Debug, Error)]
pub enum CommandError {
    /// There is no such job, or it is somebody else's.
    #[error("there is no such job")]
    NotFound,
    /// The state machine says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Whoever speaks does not hold the shard any more.
    #[error("the lease is lost")]
    LeaseLost,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for CommandError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

const AVAILABLE: &str = "SELECT balance - reserved FROM accounts WHERE id = $1";
const HOLDS: &str = "SELECT epoch FROM shards WHERE id = $1";
const RELEASE: &str = "UPDATE accounts SET reserved = reserved - $2 WHERE id = $1";
const OPEN: &str = "UPDATE shards SET state = 'open', owner = NULL, lease_until = 0, \
    queued_at = $2, deaths = 0, crashes = 0 WHERE job_id = $1 AND state <> 'closed'";
/// The epoch moves: whoever held the shard finds out at its next word.
const TAKE_AWAY: &str = "UPDATE shards SET state = $2, epoch = epoch + 1, owner = NULL, \
    lease_until = 0 WHERE job_id = $1 AND state <> 'closed'";

impl Store {
    /// Its owner answers what the job waits for.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such job, it waits for nothing or for
    /// something else, or the balance does not cover a unit.
    pub async fn confirm(
        &self,
        account: &AccountId,
        id: &JobId,
        answer: Confirm,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, Some(account)).await?;
        let available: i64 =
            sqlx::query_scalar(AVAILABLE).bind(account.as_str()).fetch_one(&mut *tx).await?;
        let available = Credits(available);
        let budget = limits::left(&mut tx, account, job.creator.as_ref(), now).await?;
        let command = Command::Confirm {
            continue_batch: answer.continue_batch.unwrap_or(false),
            ceiling: answer.max_credit_per_unit,
            available: budget.map_or(available, |budget| budget.min(available).max(Credits::ZERO)),
        };
        self.apply(tx, &job, &command, now).await.map_err(|error| match error {
            CommandError::Refused(refusal) => of_budget(refusal, available).into(),
            other => other,
        })
    }

    /// Its owner stops the job.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such job or it is over.
    pub async fn abort(
        &self,
        account: &AccountId,
        id: &JobId,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, Some(account)).await?;
        self.apply(tx, &job, &Command::Abort, now).await
    }

    /// The holder of a shard reports. Refused when the lease is lost.
    ///
    /// # Errors
    /// [`CommandError::LeaseLost`] when somebody else holds the shard by now.
    pub async fn report(
        &self,
        lease: &Lease,
        command: &Command,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, &lease.job, None).await?;
        let epoch: Option<i64> =
            sqlx::query_scalar(HOLDS).bind(lease.shard.as_str()).fetch_optional(&mut *tx).await?;
        if epoch != Some(lease.epoch) {
            return Err(CommandError::LeaseLost);
        }
        self.apply(tx, &job, command, now).await
    }

    /// A command of the house itself: purging, giving up.
    pub(crate) async fn command(
        &self,
        id: &JobId,
        command: &Command,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, None).await?;
        self.apply(tx, &job, command, now).await
    }

    pub(crate) async fn apply(
        &self,
        mut tx: Transaction<'static, Any>,
        before: &Job,
        command: &Command,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let is_budget = *command == Command::ExhaustCredits
            && self.is_stopped_by_budget(&mut tx, before, now).await?;
        let command = if is_budget { &Command::ExhaustBudget } else { command };
        let Decision { job, effects } = decide(Some(before), command, self.rates(), now)?;
        job_row::update(&mut tx, &job).await?;
        let (mut wake, mut told) = (None, false);
        // Rows are taken in one order everywhere: job, shards, account.
        for effect in &effects {
            match effect {
                Effect::OpenShards => {
                    sqlx::query(OPEN).bind(job.id.as_str()).bind(now.0).execute(&mut *tx).await?;
                    wake = Some(Wake::Work);
                }
                Effect::ParkShards | Effect::CloseShards => {
                    let state = match effect {
                        Effect::CloseShards => "closed",
                        _ => "parked",
                    };
                    let query = sqlx::query(TAKE_AWAY).bind(job.id.as_str()).bind(state);
                    query.execute(&mut *tx).await?;
                    wake = Some(Wake::Control);
                }
                Effect::Release => {
                    if before.reserved > Credits::ZERO {
                        sqlx::query(RELEASE)
                            .bind(job.account.as_str())
                            .bind(before.reserved.0)
                            .execute(&mut *tx)
                            .await?;
                        let creator = before.creator.as_ref();
                        limits::release(&mut tx, &job.account, creator, before.reserved).await?;
                    }
                }
                Effect::Emit(kind) => {
                    told |= match kind {
                        EventKind::JobProgress => self.emit_progress(&mut tx, &job, now).await?,
                        _ => self.emit(&mut tx, &event(&job, *kind, now)).await?,
                    };
                }
                Effect::Reserve(_) => {
                    return Err(StoreError::Damaged("only a creation reserves".to_owned()).into());
                }
            }
        }
        if let Some(wake) = wake {
            self.announce(&mut tx, wake).await?;
        }
        tx.commit().await?;
        for wake in wake.into_iter().chain(told.then_some(Wake::Delivery)) {
            self.wake_here(wake);
        }
        Ok(job)
    }
}

impl Store {
    /// Whether the budget of the job's creator lacks what the account has.
    async fn is_stopped_by_budget(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &Job,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let left = limits::left(tx, &job.account, job.creator.as_ref(), now).await?;
        let Some(left) = left else { return Ok(false) };
        let available: i64 =
            sqlx::query_scalar(AVAILABLE).bind(job.account.as_str()).fetch_one(&mut **tx).await?;
        let rate = job.rate.unwrap_or_else(|| self.rates().normal(job.mode));
        let reserved = job.reserved;
        Ok(left.0 + reserved.0 < rate.0 && available + reserved.0 >= rate.0)
    }
}

/// An event that tells of the job as it is now.
pub(crate) fn event(job: &Job, kind: EventKind, now: Millis) -> (AccountId, Event) {
    let event = Event {
        id: EventId::new(now, random()),
        kind,
        emitted_at: now,
        data: EventData::Job { job: Box::new(job.public()) },
    };
    (job.account.clone(), event)
}

pub(crate) async fn lock(
    tx: &mut Transaction<'static, Any>,
    id: &JobId,
    owner: Option<&AccountId>,
) -> Result<Job, CommandError> {
    let row = sqlx::query(job_row::LOCK).bind(id.as_str()).fetch_optional(&mut **tx).await?;
    let job = row.as_ref().map(job_row::read).transpose()?.ok_or(CommandError::NotFound)?;
    match owner {
        Some(owner) if *owner != job.account => Err(CommandError::NotFound),
        Some(_) | None => Ok(job),
    }
}
