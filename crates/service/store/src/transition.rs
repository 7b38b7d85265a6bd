//! Commands to a stored job: decided by [`job::decide`], stored with their effects.

use contract::{
    AccountId, Confirm, Credits, Event, EventData, EventId, EventKind, JobId, Millis, ScheduleId,
    Status,
};
use job::{Decision, Job, JobCommand, JobEffect, Refusal, decide};
use thiserror::Error;

use crate::account_lock::lock_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::comparison::SCHEDULE_OF;
use crate::create::budget_refusal;
use crate::list_shard::OPEN;
use crate::wake::LeaseOwners;
use crate::{
    Lease, MailKind, Result, Store, StoreError, Wake, job_row, job_secrets, limits, list_shard,
    random,
};

/// Why a command was not applied.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The job does not exist or belongs to another account.
    #[error("there is no such job")]
    NotFound,
    /// The state machine refuses the command.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The caller does not hold the shard any more.
    #[error("the lease is lost")]
    LeaseLost,
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
/// Increases the epoch: the next write of the holder is rejected.
const REVOKE_LEASES: &str = "UPDATE shards SET state = $2, epoch = epoch + 1, owner = NULL, \
    lease_until = 0 WHERE job_id = $1 AND state <> 'closed'";

impl Store {
    /// Confirms what the job waits for.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such job, it waits for nothing or for something else, or
    /// the balance does not cover a unit.
    pub async fn confirm(
        &self,
        account: &AccountId,
        id: &JobId,
        answer: Confirm,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, Some(account)).await?;
        let available: i64 = scalar!(AVAILABLE; account).fetch_one(&mut *tx).await?;
        let available = Credits(available);
        let budget = limits::remaining(&mut tx, account, job.creator.as_ref(), now).await?;
        let command = JobCommand::Confirm {
            continue_batch: answer.continue_batch.unwrap_or(false),
            ceiling: answer.max_credit_per_unit,
            max_credits: answer.max_credits,
            available: budget.map_or(available, |budget| budget.min(available).max(Credits::ZERO)),
        };
        self.apply(tx, &job, &command, None, now).await.map_err(|error| match error {
            CommandError::Refused(refusal) => budget_refusal(refusal, available).into(),
            other => other,
        })
    }

    /// Aborts the job on behalf of its owner.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such job or it has ended.
    pub async fn abort(
        &self,
        account: &AccountId,
        id: &JobId,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, Some(account)).await?;
        self.apply(tx, &job, &JobCommand::Abort, None, now).await
    }

    /// Applies a command of the worker that holds a shard.
    ///
    /// # Errors
    /// [`CommandError::LeaseLost`] when another node holds the shard.
    pub async fn report(
        &self,
        lease: &Lease,
        command: &JobCommand,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, &lease.job, None).await?;
        let epoch: Option<i64> = scalar!(HOLDS; lease.shard).fetch_optional(&mut *tx).await?;
        if epoch != Some(lease.epoch) {
            return Err(CommandError::LeaseLost);
        }
        self.apply(tx, &job, command, Some(lease), now).await
    }

    /// Applies a command of the service itself, such as purging.
    pub(crate) async fn command(
        &self,
        id: &JobId,
        command: &JobCommand,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let mut tx = self.begin().await?;
        let job = lock(&mut tx, id, None).await?;
        self.apply(tx, &job, command, None, now).await
    }

    /// Decides a command and stores its effects. `reporter` is the lease of the worker that reports it,
    /// which needs no wake-up.
    pub(crate) async fn apply(
        &self,
        mut tx: Tx,
        before: &Job,
        command: &JobCommand,
        reporter: Option<&Lease>,
        now: Millis,
    ) -> Result<Job, CommandError> {
        let is_budget = *command == JobCommand::ExhaustCredits
            && self.is_stopped_by_budget(&mut tx, before, now).await?;
        let command = if is_budget { &JobCommand::ExhaustBudget } else { command };
        let Decision { job, effects } = decide(Some(before), command, self.rates(), now)?;
        job_row::update(&mut tx, &job).await?;
        if job.options != before.options {
            job_row::update_options(&mut tx, &job).await?;
        }
        if job.status.is_final() {
            sql!(job_secrets::DELETE; job.id).run(&mut tx).await?;
        }
        let (mut wakes, mut has_deliveries) = (Vec::new(), false);
        // Rows are locked in the order job, shards, account.
        for effect in &effects {
            match effect {
                JobEffect::OpenShards => {
                    match job.is_list() {
                        true => list_shard::reopen(&mut tx, &job.id, now).await?,
                        false => sql!(OPEN; job.id, now).run(&mut tx).await.map(drop)?,
                    }
                    // A creation at the same time sees this job, or is seen.
                    lock_account(&mut tx, &job.account).await?;
                    self.hold_back_continued(&mut tx, &job.id).await?;
                    self.notify_nodes(&mut tx, Wake::Work).await?;
                    wakes.push(Wake::Work);
                }
                JobEffect::ParkShards | JobEffect::CloseShards => {
                    let state = match effect {
                        JobEffect::CloseShards => "closed",
                        _ => "parked",
                    };
                    let owners = LeaseOwners::of_job(&mut tx, &job.id, reporter).await?;
                    sql!(REVOKE_LEASES; job.id, state).run(&mut tx).await?;
                    wakes.extend(owners.notify(self, &mut tx).await?);
                    if self.admit_next(&mut tx, &job.account, now).await? {
                        wakes.push(Wake::Work);
                    }
                }
                JobEffect::Release => {
                    if before.reserved > Credits::ZERO {
                        sql!(RELEASE; job.account, before.reserved).run(&mut tx).await?;
                        let creator = before.creator.as_ref();
                        limits::release(&mut tx, &job.account, creator, before.reserved).await?;
                    }
                }
                JobEffect::Emit(kind) => {
                    has_deliveries |= match kind {
                        EventKind::JobProgress => self.emit_progress(&mut tx, &job, now).await?,
                        _ => self.emit(&mut tx, &event(&job, *kind, now)).await?,
                    };
                }
                JobEffect::Reserve(_) => {
                    return Err(StoreError::Damaged("only a creation reserves".to_owned()).into());
                }
            }
        }
        if job.status == Status::Failed && !before.status.is_final() {
            self.queue_mail_of_failed_run(&mut tx, &job, now).await?;
        }
        let wakes = wakes.into_iter().chain(has_deliveries.then_some(Wake::Delivery));
        self.commit_and_wake(tx, wakes).await?;
        Ok(job)
    }

    /// Queues an e-mail to the owner of a run that a schedule has started and that has failed.
    async fn queue_mail_of_failed_run(&self, tx: &mut Tx, job: &Job, now: Millis) -> Result<()> {
        if !self.inner.settings.sends_mail {
            return Ok(());
        }
        let row = sql!(SCHEDULE_OF; job.id).fetch_optional(&mut **tx).await?;
        let schedule: Option<ScheduleId> =
            row.map(|row| row.read("schedule_id")).transpose()?.flatten();
        let (Some(schedule), Some(error)) = (schedule, &job.error) else { return Ok(()) };
        let reason = format!("{} failed: {} ({})", job.id, error.message, error.code);
        let about = (Some(&schedule), reason.as_str());
        self.queue_mail(tx, &job.account, MailKind::ScheduleFailed, about, now).await
    }
}

impl Store {
    /// Whether the budget of the job's creator is exhausted while the account has credits.
    async fn is_stopped_by_budget(&self, tx: &mut Tx, job: &Job, now: Millis) -> Result<bool> {
        let budget = limits::remaining(tx, &job.account, job.creator.as_ref(), now).await?;
        let Some(budget) = budget else { return Ok(false) };
        let available: i64 = scalar!(AVAILABLE; job.account).fetch_one(&mut **tx).await?;
        let rate = job.rate.unwrap_or_else(|| self.rates().normal(job.mode));
        let reserved = job.reserved;
        Ok(budget.0 + reserved.0 < rate.0 && available + reserved.0 >= rate.0)
    }
}

/// An event with the current state of the job.
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
    tx: &mut Tx,
    id: &JobId,
    owner: Option<&AccountId>,
) -> Result<Job, CommandError> {
    let row = sql!(job_row::LOCK; id).fetch_optional(&mut **tx).await?;
    let job = row.as_ref().map(job_row::read).transpose()?.ok_or(CommandError::NotFound)?;
    match owner {
        Some(owner) if *owner != job.account => Err(CommandError::NotFound),
        Some(_) | None => Ok(job),
    }
}
