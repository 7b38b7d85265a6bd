//! `trawl schedule`: lists, pauses, resumes and runs schedules.

use anyhow::Context;
use contract::{Clock, Millis, ScheduleId};
use runtime::SystemClock;
use schedule::CronSchedule;
use serde_json::{Value, json};
use store::{Creation, PageRequest, ScheduleChange, ScheduleRecord, Store};

use super::account_lookup::find_any_by_email;
use super::{Exit, open_store, print_json};
use crate::cli::{GlobalArgs, ScheduleCommand};
use crate::exit::{CommandFailure, fail};
use crate::printing::{counted, or_dash, outln, print_table};

pub async fn run(global: &GlobalArgs, command: ScheduleCommand) -> anyhow::Result<Exit> {
    let (store, settings) = open_store(global).await?;
    let now = SystemClock.now();
    match command {
        ScheduleCommand::List { email, limit, json } => {
            let account = find_any_by_email(&store, email.as_deref()).await?;
            let page = PageRequest { number: 1, size: limit };
            let (schedules, total) = store.schedules(account.as_ref(), page).await?;
            if json {
                print_json(&schedules.iter().map(|one| details(one, now)).collect::<Vec<_>>())?;
            } else {
                show(schedules.iter().map(|one| cells(one, now)));
                show_rest(total, schedules.len());
            }
            Ok(Exit::Done)
        }
        ScheduleCommand::Create { .. } => fail!(
            Usage,
            "a schedule is created on a server, by an account: `trawl login`, or name the server \
             with --url"
        ),
        ScheduleCommand::Delete { id } => {
            let found = find(&store, &id).await?;
            if !store.remove_schedule(&found.account, &found.id).await? {
                return Err(missing(&id).into());
            }
            outln!("{} is deleted; its jobs stay", found.id);
            Ok(Exit::Done)
        }
        ScheduleCommand::Pause { id } => {
            let found = find(&store, &id).await?;
            let pause = ScheduleChange { paused: Some(true), ..ScheduleChange::default() };
            store.change_schedule(&found.account, &found.id, &pause).await?;
            show_paused(&found.id);
            Ok(Exit::Done)
        }
        ScheduleCommand::Resume { id } => {
            let found = find(&store, &id).await?;
            let timetable = CronSchedule::parse(&found.cron, &found.timezone)
                .with_context(|| format!("cannot resume the schedule {}", found.id))?;
            let next_at = timetable.next_after(now);
            let resume =
                ScheduleChange { paused: Some(false), next_at, ..ScheduleChange::default() };
            store.change_schedule(&found.account, &found.id, &resume).await?;
            show_resumed(&found.id, next_at);
            Ok(Exit::Done)
        }
        ScheduleCommand::Run { id } => {
            let found = find(&store, &id).await?;
            let batch_size = settings.limits.batch_size;
            let run =
                store.run_schedule(&found.account, &found.id, (batch_size, None), now).await?;
            print_outcome(run)
        }
    }
}

fn never() -> String {
    "never".to_owned()
}

/// Prints that a schedule is paused.
pub fn show_paused(id: &ScheduleId) {
    outln!("{id} is paused");
}

/// Prints that a schedule is resumed, with its next start.
pub fn show_resumed(id: &ScheduleId, next_at: Option<Millis>) {
    outln!("{id} is resumed; next start: {}", next_at.map_or_else(never, |at| at.to_string()));
}

/// Prints how many rows of a list are not shown.
pub fn show_rest(total: u64, shown: usize) {
    let more = total.saturating_sub(shown as u64);
    if more > 0 {
        eprintln!("trawl: {}; increase --limit", counted(more, "more row", "more rows"));
    }
}

/// The error for an identifier of no schedule.
pub fn missing(id: &str) -> CommandFailure {
    Exit::Nothing.with(format_args!("there is no schedule {id}; `trawl schedule list` shows all"))
}

async fn find(store: &Store, id: &str) -> anyhow::Result<ScheduleRecord> {
    let found = match id.parse() {
        Ok(id) => store.schedule(&id).await?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| missing(id))?)
}

/// Prints the job that was started, or why none was.
fn print_outcome(run: Option<Creation>) -> anyhow::Result<Exit> {
    let why = match run {
        Some(Creation::Created(created)) => {
            outln!("{} is {}", created.accepted.job_id, created.accepted.status);
            return Ok(Exit::Done);
        }
        Some(Creation::SiteBusy { job, status }) => format!("{job} is {status}"),
        Some(Creation::QueueFull) => "the queue of the account is full".to_owned(),
        Some(Creation::Suspended) => "the account is suspended".to_owned(),
        Some(Creation::Refused(refusal)) => refusal.to_string(),
        Some(Creation::ListGone) => "its list of URLs was deleted".to_owned(),
        Some(Creation::BodyMismatch) | None => "the schedule was deleted".to_owned(),
    };
    fail!(Nothing, "no job was started: {why}")
}

fn next(schedule: &ScheduleRecord, now: Millis) -> Option<Millis> {
    let timetable = CronSchedule::parse(&schedule.cron, &schedule.timezone).ok()?;
    timetable.next_after(now).filter(|_| !schedule.paused)
}

/// Prints schedules as a table.
pub fn show(rows: impl IntoIterator<Item = [String; 6]>) {
    print_table("schedule:36, cron:16, timezone:18, next:24, last:21, name", rows);
}

/// The next start in a table.
pub fn next_cell(next: Option<Millis>, paused: bool) -> String {
    match next {
        Some(at) => at.to_string(),
        None if paused => "paused".to_owned(),
        None => never(),
    }
}

fn cells(one: &ScheduleRecord, now: Millis) -> [String; 6] {
    let next = next_cell(next(one, now), one.paused);
    let last = or_dash(one.last_run.as_ref().map(|run| run.status));
    [one.id.to_string(), one.cron.clone(), one.timezone.clone(), next, last, one.name.clone()]
}

/// The public schedule with its account.
fn details(one: &ScheduleRecord, now: Millis) -> Value {
    json!({
        "id": one.id,
        "account_id": one.account,
        "name": one.name,
        "cron": one.cron,
        "timezone": one.timezone,
        "request": one.job.request,
        "paused": one.paused,
        "next_run": next(one, now),
        "last_run": one.last_run,
        "created_at": one.created_at,
    })
}
