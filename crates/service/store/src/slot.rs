//! Slots of schedules. A slot is consumed in the transaction that creates its run, or a failed job
//! with the reason. So each slot starts once, with any number of nodes and after any crash.
//!
//! Rows are locked in the order account, schedule.

use std::time::Duration;

use ::schedule::{CronSchedule, SlotAction};
use contract::{AccountId, AuditAction, Creator, ErrorCode, JobId, Millis, ScheduleId, Status};
use job::{JobCommand, JobEffect, decide};

use crate::account_lock::{AccountLock, LockedAccount, lock_account, try_lock_account};
use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::schedule::{LOCK, ScheduleRecord, schedule_columns};
use crate::transition::event;
use crate::{
    AuditRecord, CreatedJob, Creation, MailKind, NewJob, Result, Store, StoreError, Wake, job_row,
    limits,
};

/// The settings for starting slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRules {
    /// Older slots are missed.
    pub tolerance: Duration,
    /// Delivered units after which a run pauses for confirmation.
    pub batch_size: u64,
}

/// The outcome of [`Store::start_due`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotOutcome {
    Started(JobId),
    /// The run could not be created; a failed job holds the reason.
    Failed {
        job: JobId,
        code: ErrorCode,
    },
    /// The account is deleted; the schedule was removed.
    Dropped,
    /// This release cannot parse the cron expression; the schedule was paused.
    Paused,
}

/// In the order of ids: a schedule that cannot be started does not block the others.
const DUE: &str = "SELECT id FROM schedules WHERE paused = 0 AND next_at <= $1 AND id > $2 \
    AND NOT EXISTS (SELECT 1 FROM accounts a \
        WHERE a.id = schedules.account_id AND a.suspended_at IS NOT NULL) \
    ORDER BY id LIMIT 100";
const ACCOUNT: &str = "SELECT account_id FROM schedules \
    WHERE id = $1 AND paused = 0 AND next_at <= $2";
/// Locks the schedule if its slot is due.
const LOCK_DUE: &str = concat!(
    "UPDATE schedules SET paused = paused WHERE id = $1 AND paused = 0 AND next_at <= $2 RETURNING ",
    schedule_columns!()
);
const SET_NEXT: &str = "UPDATE schedules SET next_at = $2 WHERE id = $1";
const PAUSE: &str = "UPDATE schedules SET paused = 1 WHERE id = $1";
const DROP: &str = "DELETE FROM schedules WHERE id = $1";
const UNFINISHED: &str = "SELECT id, status FROM jobs WHERE schedule_id = $1 AND active = 1 \
    ORDER BY id DESC LIMIT 1";
const SET_SCHEDULE: &str = "UPDATE jobs SET schedule_id = $2, slot_at = $3 WHERE id = $1";

impl Store {
    /// Up to 100 schedules with a due slot, after the given one; empty at the end.
    pub async fn due_schedules(
        &self,
        after: Option<&ScheduleId>,
        now: Millis,
    ) -> Result<Vec<ScheduleId>> {
        let after = after.map_or("", ScheduleId::as_str);
        self.fetch_all(sql!(DUE; now, after), |row| row.read("id")).await
    }

    /// Consumes the due slot of a schedule and creates its run, or a failed job with the reason.
    /// `None` when another node has consumed it or another transaction holds the account: all nodes
    /// find the same due slots, and must not wait for each other. The slot stays due in that case.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: the slot is not consumed.
    pub async fn start_due(
        &self,
        id: &ScheduleId,
        rules: SlotRules,
        now: Millis,
    ) -> Result<Option<SlotOutcome>> {
        let mut tx = self.begin().await?;
        let owner = sql!(ACCOUNT; id, now).fetch_optional(&mut *tx).await?;
        let Some(owner) = owner else { return Ok(None) };
        let owner: AccountId = owner.read("account_id")?;
        let held = match try_lock_account(&mut tx, self.dialect(), &owner).await? {
            AccountLock::Locked(held) => held,
            AccountLock::Busy => return Ok(None),
            AccountLock::Deleted => {
                sql!(DROP; id).run(&mut tx).await?;
                tx.commit().await?;
                return Ok(Some(SlotOutcome::Dropped));
            }
        };
        // Suspended after the schedule was found due. A deletion may have begun, so that not even
        // a failed job is stored.
        if held.suspended {
            return Ok(None);
        }
        let lock = sql!(LOCK_DUE; id, now);
        let Some(row) = lock.fetch_optional(&mut *tx).await? else { return Ok(None) };
        let schedule = self.read_with_secrets(&row)?;
        let due = CronSchedule::parse(&schedule.cron, &schedule.timezone)
            .ok()
            .and_then(|cron| cron.due(schedule.next_at, now, rules.tolerance));
        let Some(due) = due else {
            sql!(PAUSE; id).run(&mut tx).await?;
            let record = AuditRecord::of(&schedule.account, AuditAction::ScheduleChanged)
                .object("schedule", id.as_str())
                .detail("paused", true)
                .detail("cause", "the cron expression cannot be parsed")
                .at(now);
            self.commit_audited(tx, record).await?;
            return Ok(Some(SlotOutcome::Paused));
        };
        let new = schedule.job.new_job(&schedule.account, rules.batch_size, now);
        let (slot, obstacle) = match due.action {
            SlotAction::Missed { first, slots } => {
                (first, Some((ErrorCode::ScheduleMissedWindow, missed(first, slots, rules))))
            }
            SlotAction::Start { slot } => {
                let obstacle = match unfinished(&mut tx, &schedule).await? {
                    Some((job, status)) => Some((
                        ErrorCode::SchedulePreviousRunInProgress,
                        format!("the previous run of this schedule, {job}, is {status}"),
                    )),
                    None => self
                        .start(&mut tx, &schedule, &new, held, now)
                        .await?
                        .map(|reason| (ErrorCode::ScheduleStartFailed, reason)),
                };
                (slot, obstacle)
            }
        };
        let job = new.draft.id.clone();
        let (outcome, wake) = match obstacle {
            None => {
                self.notify_nodes(&mut tx, Wake::Work).await?;
                (SlotOutcome::Started(job.clone()), Some(Wake::Work))
            }
            Some((code, message)) => {
                let about = (Some(id), message.as_str());
                self.queue_mail(&mut tx, &owner, MailKind::ScheduleFailed, about, now).await?;
                let is_due = self.insert_failed(&mut tx, new, code, message, now).await?;
                (SlotOutcome::Failed { job: job.clone(), code }, is_due.then_some(Wake::Delivery))
            }
        };
        set_schedule(&mut tx, &job, &schedule, Some(slot)).await?;
        let next = due.next.unwrap_or(Millis(i64::MAX));
        sql!(SET_NEXT; id, next).run(&mut tx).await?;
        self.commit_and_wake(tx, wake).await?;
        Ok(Some(outcome))
    }

    /// Creates the job of a slot, or returns the reason why it cannot be created.
    async fn start(
        &self,
        tx: &mut Tx,
        schedule: &ScheduleRecord,
        new: &NewJob,
        held: LockedAccount,
        now: Millis,
    ) -> Result<Option<String>> {
        let job = &schedule.job;
        if let Some(creator) = &job.creator {
            let run = (job.request.mode, job.address);
            let obstacle =
                limits::schedule_obstacle(tx, &schedule.account, creator, run, now).await?;
            if obstacle.is_some() {
                return Ok(obstacle);
            }
        }
        let created = self.create_in(tx, new, held, now).await?;
        Ok(created.err().map(|creation| failure_reason(&creation)))
    }

    /// Starts a run of a schedule now, even if it is paused; its slots stay as they are. The run is
    /// charged to the budget of `creator`. `None` when the account has no such schedule.
    pub async fn run_schedule(
        &self,
        account: &AccountId,
        id: &ScheduleId,
        (batch_size, creator): (u64, Option<&Creator>),
        now: Millis,
    ) -> Result<Option<Creation>> {
        let mut tx = self.begin().await?;
        let Some(held) = lock_account(&mut tx, account).await? else { return Ok(None) };
        let lock = sql!(LOCK; id, account);
        let Some(row) = lock.fetch_optional(&mut *tx).await? else { return Ok(None) };
        let schedule = self.read_with_secrets(&row)?;
        if let Some((job, status)) = unfinished(&mut tx, &schedule).await? {
            return Ok(Some(Creation::SiteBusy { job, status }));
        }
        let mut new = schedule.job.new_job(account, batch_size, now);
        new.draft.creator = creator.cloned();
        let accepted = match self.create_in(&mut tx, &new, held, now).await? {
            Ok(accepted) => accepted,
            Err(refused) => return Ok(Some(refused)),
        };
        set_schedule(&mut tx, &new.draft.id, &schedule, None).await?;
        self.commit_and_notify(tx, &[Wake::Work]).await?;
        Ok(Some(Creation::Created(CreatedJob { accepted, replayed: false })))
    }

    /// Inserts a failed job for a slot. Returns whether its event has deliveries.
    async fn insert_failed(
        &self,
        tx: &mut Tx,
        new: NewJob,
        code: ErrorCode,
        message: String,
        now: Millis,
    ) -> Result<bool> {
        let command = JobCommand::CreateFailed { draft: Box::new(new.draft), code, message };
        let decision = decide(None, &command, self.rates(), now)
            .map_err(|refusal| StoreError::Damaged(refusal.to_string()))?;
        job_row::insert(tx, &decision.job).await?;
        let mut has_deliveries = false;
        for effect in &decision.effects {
            match effect {
                JobEffect::Emit(kind) => {
                    has_deliveries |= self.emit(tx, &event(&decision.job, *kind, now)).await?;
                }
                // A failed job has neither shards nor reserved credits.
                JobEffect::CloseShards | JobEffect::Release => {}
                JobEffect::Reserve(_) | JobEffect::OpenShards | JobEffect::ParkShards => {
                    return Err(StoreError::Damaged("a failed job has no shards".to_owned()));
                }
            }
        }
        Ok(has_deliveries)
    }
}

/// The unfinished run of the schedule, if there is one.
async fn unfinished(tx: &mut Tx, schedule: &ScheduleRecord) -> Result<Option<(JobId, Status)>> {
    let query = sql!(UNFINISHED; schedule.id);
    let Some(row) = query.fetch_optional(&mut **tx).await? else { return Ok(None) };
    Ok(Some((row.read("id")?, row.read::<Status>("status")?)))
}

async fn set_schedule(
    tx: &mut Tx,
    job: &JobId,
    schedule: &ScheduleRecord,
    slot: Option<Millis>,
) -> Result<()> {
    sql!(SET_SCHEDULE; job, schedule.id, slot).run(tx).await.map(drop)
}

fn missed(first: Millis, slots: u64, rules: SlotRules) -> String {
    let minutes = rules.tolerance.as_secs() / 60;
    let which = match slots {
        0 | 1 => format!("the start of {first}"),
        slots => format!("{slots} starts from {first} on"),
    };
    format!("the service was down for more than {minutes} minutes and missed {which}")
}

/// Why a run was not created, as a message for its owner.
fn failure_reason(creation: &Creation) -> String {
    match creation {
        Creation::SiteBusy { job, status } => {
            format!("another job of the account for this site, {job}, is {status}")
        }
        Creation::QueueFull => {
            "the job queue of the account is full; wait until some of its jobs end".to_owned()
        }
        Creation::ListGone => "the list of URLs has expired or was deleted".to_owned(),
        Creation::Suspended => "the account is suspended".to_owned(),
        Creation::Refused(refusal) => refusal.to_string(),
        // Only requests with an idempotency key have these outcomes.
        Creation::Created(_) | Creation::BodyMismatch => "it was created before".to_owned(),
    }
}
