//! `trawl schedule`.

use anyhow::Context;
use contract::{Clock, Millis};
use runtime::SystemClock;
use schedule::CronSchedule;
use serde_json::{Value, json};
use store::{Creation, PageRequest, ScheduleChange, ScheduleRecord, Store};

use super::{Exit, open_store, print_json};
use crate::cli::{Place, Schedule};
use crate::printing::outln;

pub async fn run(place: &Place, command: Schedule) -> anyhow::Result<Exit> {
    let (store, settings) = open_store(place).await?;
    let now = SystemClock.now();
    match command {
        Schedule::List { email, limit, json } => {
            let account = match email {
                None => None,
                Some(email) => match store.account_by_email(&email).await? {
                    Some(account) => Some(account.id),
                    None => {
                        eprintln!("trawl: no account has the e-mail {email}");
                        return Ok(Exit::Nothing);
                    }
                },
            };
            let page = PageRequest { number: 1, size: limit };
            let (schedules, total) = store.schedules(account.as_ref(), page).await?;
            if json {
                print_json(&schedules.iter().map(|one| whole(one, now)).collect::<Vec<_>>())?;
            } else {
                show(&schedules, now);
                let more = total.saturating_sub(schedules.len() as u64);
                if more > 0 {
                    eprintln!("trawl: {more} more; --limit shows them");
                }
            }
            Ok(Exit::Done)
        }
        Schedule::Pause { id } => {
            let Some(found) = find(&store, &id).await? else { return Ok(Exit::Nothing) };
            let pause = ScheduleChange { paused: Some(true), ..ScheduleChange::default() };
            store.change_schedule(&found.account, &found.id, &pause).await?;
            outln!("{} is paused", found.id);
            Ok(Exit::Done)
        }
        Schedule::Resume { id } => {
            let Some(found) = find(&store, &id).await? else { return Ok(Exit::Nothing) };
            let timetable = CronSchedule::parse(&found.cron, &found.timezone)
                .with_context(|| format!("the schedule {} cannot go on", found.id))?;
            let next_at = timetable.next_after(now);
            let resume =
                ScheduleChange { paused: Some(false), next_at, ..ScheduleChange::default() };
            store.change_schedule(&found.account, &found.id, &resume).await?;
            outln!("{} goes on {}", found.id, next_at.map_or_else(never, |at| format!("at {at}")));
            Ok(Exit::Done)
        }
        Schedule::Run { id } => {
            let Some(found) = find(&store, &id).await? else { return Ok(Exit::Nothing) };
            let batch_size = settings.limits.batch_size;
            let run =
                store.run_schedule(&found.account, &found.id, (batch_size, None), now).await?;
            Ok(told(run))
        }
    }
}

fn never() -> String {
    "never".to_owned()
}

async fn find(store: &Store, id: &str) -> anyhow::Result<Option<ScheduleRecord>> {
    let found = match id.parse() {
        Ok(id) => store.schedule(&id).await?,
        Err(_) => None,
    };
    if found.is_none() {
        eprintln!("trawl: there is no schedule {id}; `trawl schedule list` shows all");
    }
    Ok(found)
}

/// What became of a run out of turn.
fn told(run: Option<Creation>) -> Exit {
    let why = match run {
        Some(Creation::Created(created)) => {
            outln!("{} is {}", created.accepted.job_id, created.accepted.status);
            return Exit::Done;
        }
        Some(Creation::SiteBusy { job, status }) => format!("{job} is {status}"),
        Some(Creation::QueueFull) => "as many jobs of the account wait as may wait".to_owned(),
        Some(Creation::Suspended) => "the account is suspended".to_owned(),
        Some(Creation::Refused(refusal)) => refusal.to_string(),
        Some(Creation::BodyMismatch) | None => "the schedule is gone".to_owned(),
    };
    eprintln!("trawl: nothing was started: {why}");
    Exit::Nothing
}

fn next(schedule: &ScheduleRecord, now: Millis) -> Option<Millis> {
    let timetable = CronSchedule::parse(&schedule.cron, &schedule.timezone).ok()?;
    timetable.next_after(now).filter(|_| !schedule.paused)
}

fn show(schedules: &[ScheduleRecord], now: Millis) {
    outln!(
        "{:36}  {:16}  {:18}  {:24}  {:21}  name",
        "schedule",
        "cron",
        "timezone",
        "next",
        "last"
    );
    for one in schedules {
        let next = match next(one, now) {
            Some(at) => at.to_string(),
            None if one.paused => "paused".to_owned(),
            None => never(),
        };
        let last = one.last_run.as_ref().map_or("-", |run| run.status.as_str());
        outln!(
            "{:36}  {:16}  {:18}  {next:24}  {last:21}  {}",
            one.id.as_str(),
            one.cron,
            one.timezone,
            one.name
        );
    }
}

/// The schedule as its owner sees it, and whose it is.
fn whole(one: &ScheduleRecord, now: Millis) -> Value {
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
