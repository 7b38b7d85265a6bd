//! Slots of schedules: each is taken in the transaction that starts its run, or writes down
//! why there is none. So it is started once, whatever the number of nodes and whoever dies.
//!
//! Rows are taken in one order: the schedule, then the account.

use std::time::Duration;

use ::schedule::{Due, Timetable};
use contract::{AccountId, AuditAction, Creator, ErrorCode, JobId, Millis, ScheduleId, Status};
use job::{Command, Effect, decide};
use sqlx::{Any, Transaction};

use crate::create::{HeldAccount, lock_account};
use crate::job_row::{job_id, word};
use crate::schedule::{ScheduleRecord, read, schedule_columns, schedule_id};
use crate::transition::event;
use crate::{AuditRecord, Created, Creation, NewJob, Store, StoreError, Wake, job_row, limits};

/// What slots are started by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotRules {
    /// How late a run may begin.
    pub tolerance: Duration,
    /// Delivered units after which a run stops and asks.
    pub batch_size: u64,
}

/// What became of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotOutcome {
    /// Its run is started.
    Started(JobId),
    /// It could not be: this failed job tells why.
    Failed {
        /// The job that tells.
        job: JobId,
        /// The cause.
        code: ErrorCode,
    },
    /// The account is gone, and its schedule with it.
    Dropped,
    /// This release cannot read the expression any more: nothing is started by it.
    Paused,
}

/// Looked through by identifiers: one that cannot be started does not stand before others.
const DUE: &str = "SELECT id FROM schedules WHERE paused = 0 AND next_at <= $1 AND id > $2 \
    AND NOT EXISTS (SELECT 1 FROM accounts a \
        WHERE a.id = schedules.account_id AND a.suspended_at IS NOT NULL) \
    ORDER BY id LIMIT 100";
/// Holds the row while its slot has come and nobody else is at it.
macro_rules! hold_due {
    ($suffix:literal) => {
        concat!(
            "UPDATE schedules SET paused = paused WHERE id = (SELECT id FROM schedules \
             WHERE id = $1 AND paused = 0 AND next_at <= $2 AND NOT EXISTS \
             (SELECT 1 FROM accounts a \
              WHERE a.id = schedules.account_id AND a.suspended_at IS NOT NULL)",
            $suffix,
            ") RETURNING ",
            schedule_columns!()
        )
    };
}
const HOLD_DUE: &str = hold_due!("");
const HOLD_DUE_SKIP_LOCKED: &str = hold_due!(" FOR UPDATE SKIP LOCKED");
const HOLD: &str = concat!(
    "UPDATE schedules SET paused = paused WHERE id = $1 AND account_id = $2 RETURNING ",
    schedule_columns!()
);
const MOVE_ON: &str = "UPDATE schedules SET next_at = $2 WHERE id = $1";
const PAUSE: &str = "UPDATE schedules SET paused = 1 WHERE id = $1";
const DROP: &str = "DELETE FROM schedules WHERE id = $1";
const UNFINISHED: &str = "SELECT id, status FROM jobs WHERE schedule_id = $1 AND active = 1 \
    ORDER BY id DESC LIMIT 1";
const BELONGS: &str = "UPDATE jobs SET schedule_id = $2, slot_at = $3 WHERE id = $1";

impl Store {
    /// Some schedules whose slots have come, after the one given; none when there are no more.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn due_schedules(
        &self,
        after: Option<&ScheduleId>,
        now: Millis,
    ) -> Result<Vec<ScheduleId>, StoreError> {
        let after = after.map_or("", ScheduleId::as_str);
        let rows = sqlx::query(DUE).bind(now.0).bind(after).fetch_all(self.reader()?).await?;
        rows.iter().map(|row| schedule_id(row, "id")).collect()
    }

    /// Takes the slot of a schedule that has come, and starts its run or writes down why not.
    /// `None` when somebody else has taken it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: then nothing has happened.
    pub async fn start_due(
        &self,
        id: &ScheduleId,
        rules: SlotRules,
        now: Millis,
    ) -> Result<Option<SlotOutcome>, StoreError> {
        let mut tx = self.begin().await?;
        let hold = self.dialect().claim(HOLD_DUE, HOLD_DUE_SKIP_LOCKED);
        let row = sqlx::query(hold).bind(id.as_str()).bind(now.0).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(None) };
        let schedule = read(&row)?;
        let turn = Timetable::parse(&schedule.cron, &schedule.timezone)
            .ok()
            .and_then(|timetable| timetable.due(schedule.next_at, now, rules.tolerance));
        let Some(turn) = turn else {
            sqlx::query(PAUSE).bind(id.as_str()).execute(&mut *tx).await?;
            let record = AuditRecord::of(&schedule.account, AuditAction::ScheduleChanged)
                .object("schedule", id.as_str())
                .detail("paused", true)
                .detail("cause", "the expression cannot be read")
                .at(now);
            self.append_audit(&mut tx, record).await?;
            tx.commit().await?;
            return Ok(Some(SlotOutcome::Paused));
        };
        let Some(held) = lock_account(&mut tx, &schedule.account).await? else {
            sqlx::query(DROP).bind(id.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
            return Ok(Some(SlotOutcome::Dropped));
        };
        // Suspended since the schedule was found due. A deletion may have begun: not even a
        // failed job is written.
        if held.suspended {
            return Ok(None);
        }
        let new = schedule.order.new_job(&schedule.account, rules.batch_size, now);
        let (slot, obstacle) = match turn.due {
            Due::Missed { first, slots } => {
                (first, Some((ErrorCode::ScheduleMissedWindow, missed(first, slots, rules))))
            }
            Due::Start { slot } => {
                let obstacle = match unfinished(&mut tx, &schedule).await? {
                    Some((job, status)) => Some((
                        ErrorCode::SchedulePreviousRunInProgress,
                        format!("the previous run of this schedule, {job}, is {status}"),
                    )),
                    None => self
                        .start(&mut tx, &schedule, &new, held, now)
                        .await?
                        .map(|why| (ErrorCode::ScheduleStartFailed, why)),
                };
                (slot, obstacle)
            }
        };
        let job = new.draft.id.clone();
        let (outcome, wake) = match obstacle {
            None => {
                self.announce(&mut tx, Wake::Work).await?;
                (SlotOutcome::Started(job.clone()), Some(Wake::Work))
            }
            Some((code, message)) => {
                let told = self.write_failed(&mut tx, new, code, message, now).await?;
                (SlotOutcome::Failed { job: job.clone(), code }, told.then_some(Wake::Delivery))
            }
        };
        belongs(&mut tx, &job, &schedule, Some(slot)).await?;
        let next = turn.next.unwrap_or(Millis(i64::MAX));
        sqlx::query(MOVE_ON).bind(id.as_str()).bind(next.0).execute(&mut *tx).await?;
        tx.commit().await?;
        if let Some(wake) = wake {
            self.wake_here(wake);
        }
        Ok(Some(outcome))
    }

    /// Creates the job of a slot; `Some` when it cannot be, with the reason.
    async fn start(
        &self,
        tx: &mut Transaction<'static, Any>,
        schedule: &ScheduleRecord,
        new: &NewJob,
        held: HeldAccount,
        now: Millis,
    ) -> Result<Option<String>, StoreError> {
        let obstacle =
            limits::schedule_obstacle(tx, &schedule.account, &schedule.order, now).await?;
        if obstacle.is_some() {
            return Ok(obstacle);
        }
        let created = self.create_in(tx, new, held, now).await?;
        Ok(created.err().map(|creation| stands_in_the_way(&creation)))
    }

    /// Starts a run of a schedule out of turn, paused or not; its slots stay as they are. It is
    /// charged to the budget of `creator`.
    /// `None` when the account has no such schedule.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn run_schedule(
        &self,
        account: &AccountId,
        id: &ScheduleId,
        (batch_size, creator): (u64, Option<&Creator>),
        now: Millis,
    ) -> Result<Option<Creation>, StoreError> {
        let mut tx = self.begin().await?;
        let hold = sqlx::query(HOLD).bind(id.as_str()).bind(account.as_str());
        let Some(row) = hold.fetch_optional(&mut *tx).await? else { return Ok(None) };
        let schedule = read(&row)?;
        if let Some((job, status)) = unfinished(&mut tx, &schedule).await? {
            return Ok(Some(Creation::SiteBusy { job, status }));
        }
        let Some(held) = lock_account(&mut tx, account).await? else { return Ok(None) };
        let mut new = schedule.order.new_job(account, batch_size, now);
        new.draft.creator = creator.cloned();
        let accepted = match self.create_in(&mut tx, &new, held, now).await? {
            Ok(accepted) => accepted,
            Err(refused) => return Ok(Some(refused)),
        };
        belongs(&mut tx, &new.draft.id, &schedule, None).await?;
        self.announce(&mut tx, Wake::Work).await?;
        tx.commit().await?;
        self.wake_here(Wake::Work);
        Ok(Some(Creation::Created(Created { accepted, replayed: false })))
    }

    /// Writes down a run that cannot be. True when somebody is to be told.
    async fn write_failed(
        &self,
        tx: &mut Transaction<'static, Any>,
        new: NewJob,
        code: ErrorCode,
        message: String,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let command = Command::CreateFailed { draft: Box::new(new.draft), code, message };
        let decision = decide(None, &command, self.rates(), now)
            .map_err(|refusal| StoreError::Damaged(refusal.to_string()))?;
        job_row::insert(tx, &decision.job).await?;
        let mut told = false;
        for effect in &decision.effects {
            match effect {
                Effect::Emit(kind) => {
                    told |= self.emit(tx, &event(&decision.job, *kind, now)).await?;
                }
                // It never had a shard, and nothing was set aside for it.
                Effect::CloseShards | Effect::Release => {}
                Effect::Reserve(_) | Effect::OpenShards | Effect::ParkShards => {
                    return Err(StoreError::Damaged("what failed asks for work".to_owned()));
                }
            }
        }
        Ok(told)
    }
}

/// The run of the schedule that is not over.
async fn unfinished(
    tx: &mut Transaction<'static, Any>,
    schedule: &ScheduleRecord,
) -> Result<Option<(JobId, Status)>, StoreError> {
    let query = sqlx::query(UNFINISHED).bind(schedule.id.as_str());
    let Some(row) = query.fetch_optional(&mut **tx).await? else { return Ok(None) };
    Ok(Some((job_id(&row, "id")?, word(&row, "status", |name| name.parse::<Status>().ok())?)))
}

async fn belongs(
    tx: &mut Transaction<'static, Any>,
    job: &JobId,
    schedule: &ScheduleRecord,
    slot: Option<Millis>,
) -> Result<(), StoreError> {
    sqlx::query(BELONGS)
        .bind(job.as_str())
        .bind(schedule.id.as_str())
        .bind(slot.map(|slot| slot.0))
        .execute(&mut **tx)
        .await?;
    Ok(())
}

fn missed(first: Millis, slots: u64, rules: SlotRules) -> String {
    let minutes = rules.tolerance.as_secs() / 60;
    let which = match slots {
        0 | 1 => format!("the start of {first}"),
        slots => format!("{slots} starts from {first} on"),
    };
    format!("the service was down for more than {minutes} minutes and missed {which}")
}

/// Why a run was not created, for its owner.
fn stands_in_the_way(creation: &Creation) -> String {
    match creation {
        Creation::SiteBusy { job, status } => {
            format!("another job of the account for this site, {job}, is {status}")
        }
        Creation::QueueFull => {
            "as many jobs of the account wait as may wait; let some of them end".to_owned()
        }
        Creation::Suspended => "the account is suspended".to_owned(),
        Creation::Refused(refusal) => refusal.to_string(),
        // These answer requests with a key, which a clock does not send.
        Creation::Created(_) | Creation::OtherBody => "it was created before".to_owned(),
    }
}
