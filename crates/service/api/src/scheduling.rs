//! Shared code of the schedule routes: validation and the public representation.

use contract::{Credits, FieldError, Millis, RequestId, Schedule};
use job::{JobCommand, Refusal, decide};
use schedule::{CronError, CronSchedule};
use serde_json::Value;
use store::{ScheduleRecord, ScheduledJob};

use crate::api_error::ApiError;
use crate::caller::ApiCaller;
use crate::routes::create_job::validate;
use crate::{ApiSettings, ApiState};

/// Number of future starts in a response.
const NEXT_RUNS: usize = 5;

/// The next slot of a cron expression in a time zone, or the field error.
pub(crate) fn first_slot(
    cron: &str,
    timezone: &str,
    settings: &ApiSettings,
    now: Millis,
) -> Result<Millis, FieldError> {
    let wrong = |error: CronError| {
        let field = if error.is_about_zone() { "timezone" } else { "cron" };
        FieldError::new(field, error.to_string())
    };
    let timetable = CronSchedule::parse(cron, timezone).map_err(wrong)?;
    timetable.check(settings.schedule_every, now).map_err(wrong)?;
    timetable.next_after(now).ok_or_else(|| wrong(CronError::Never))
}

/// Validates the request of a schedule like `POST /v1/jobs`, without the state of the account.
pub(crate) fn standing_order(
    body: &Value,
    caller: &ApiCaller,
    request: RequestId,
    state: &ApiState,
) -> Result<ScheduledJob, ApiError> {
    let new = validate(body, None, caller, request, state)?;
    // Checks the rates. Whether the balance suffices is decided when a run starts.
    let draft = Box::new(new.draft.clone());
    let command = JobCommand::Create { draft, available: Credits(i64::MAX) };
    match decide(None, &command, state.store().rates(), state.now()) {
        Ok(_) | Err(Refusal::InsufficientCredits { .. } | Refusal::BudgetExhausted { .. }) => {
            Ok(ScheduledJob { address: caller.address(), ..ScheduledJob::of(new) })
        }
        Err(refusal) => Err(ApiError::refused(refusal, state.settings())),
    }
}

/// The schedule as the API returns it.
pub(crate) fn public_schedule(record: ScheduleRecord, now: Millis) -> Schedule {
    let timetable = CronSchedule::parse(&record.cron, &record.timezone).ok();
    let timetable = timetable.filter(|_| !record.paused);
    Schedule {
        id: record.id,
        name: record.name,
        cron: record.cron,
        timezone: record.timezone,
        request: record.job.request,
        paused: record.paused,
        next_runs: timetable.map(|table| table.upcoming(now, NEXT_RUNS)).unwrap_or_default(),
        last_run: record.last_run,
        created_at: record.created_at,
        created_by: record.created_by,
    }
}
