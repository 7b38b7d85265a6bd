//! What the routes of schedules have in common: how one is read, and how one is shown.

use contract::{Credits, FieldError, Millis, RequestId, Schedule};
use job::{Command, Refusal, decide};
use schedule::{Timetable, TimetableError};
use serde_json::Value;
use store::{ScheduleRecord, StandingOrder};

use crate::api_error::ApiError;
use crate::caller::ApiCaller;
use crate::routes::create_job::checked;
use crate::{ApiSettings, ApiState};

/// Starts that a schedule shows in advance.
const SHOWN: usize = 5;

/// The first slot of an expression in a zone, or what is wrong with them.
pub(crate) fn first_slot(
    cron: &str,
    timezone: &str,
    settings: &ApiSettings,
    now: Millis,
) -> Result<Millis, FieldError> {
    let wrong = |error: TimetableError| {
        let field = if error.is_about_zone() { "timezone" } else { "cron" };
        FieldError::new(field, error.to_string())
    };
    let timetable = Timetable::parse(cron, timezone).map_err(wrong)?;
    timetable.check(settings.schedule_every, now).map_err(wrong)?;
    timetable.next_after(now).ok_or_else(|| wrong(TimetableError::Never))
}

/// A request for a job, judged as `POST /v1/jobs` judges it, but for the account's state.
pub(crate) fn standing_order(
    body: &Value,
    caller: &ApiCaller,
    request: RequestId,
    state: &ApiState,
) -> Result<StandingOrder, ApiError> {
    let new = checked(body, None, caller, request, state)?;
    // Rates belong to the rules; whether there are credits shows when a run is started.
    let draft = Box::new(new.draft.clone());
    let command = Command::Create { draft, available: Credits(i64::MAX) };
    match decide(None, &command, state.store().rates(), state.now()) {
        Ok(_) | Err(Refusal::InsufficientCredits { .. } | Refusal::BudgetUsedUp { .. }) => {
            Ok(StandingOrder { address: caller.address(), ..StandingOrder::of(new) })
        }
        Err(refusal) => Err(ApiError::refused(refusal, state.settings())),
    }
}

/// The schedule as its owner sees it.
pub(crate) fn shown(record: ScheduleRecord, now: Millis) -> Schedule {
    let timetable = Timetable::parse(&record.cron, &record.timezone).ok();
    let timetable = timetable.filter(|_| !record.paused);
    Schedule {
        id: record.id,
        name: record.name,
        cron: record.cron,
        timezone: record.timezone,
        request: record.order.request,
        paused: record.paused,
        next_runs: timetable.map(|table| table.upcoming(now, SHOWN)).unwrap_or_default(),
        last_run: record.last_run,
        created_at: record.created_at,
        created_by: record.created_by,
    }
}
