//! `trawl schedule` against a server.

use contract::{JobAccepted, Schedule, ScheduleId, ScheduleList};
use serde_json::{Value, json};

use super::with_query;
use crate::cli::ScheduleCommand;
use crate::commands::connection::ServerConnection;
use crate::commands::job::show_status;
use crate::commands::schedule::{missing, next_cell, show, show_paused, show_rest, show_resumed};
use crate::commands::{Exit, job_request, print_json};
use crate::exit::fail;
use crate::printing::{or_dash, outln};
use crate::start_url::announce_route;

pub async fn schedule(server: &ServerConnection, command: ScheduleCommand) -> anyhow::Result<Exit> {
    match command {
        ScheduleCommand::List { email, limit, json } => {
            if email.is_some() {
                fail!(
                    Usage,
                    "--email belongs to the database of this machine; a server shows the schedules of the key"
                );
            }
            let (schedules, total) = schedules(server, limit).await?;
            if json {
                print_json(&schedules)?;
            } else {
                show(schedules.iter().map(cells));
                show_rest(total, schedules.len());
            }
        }
        ScheduleCommand::Create { cron, timezone, name, paused, json, request } => {
            let request = job_request::of_flags(&request)?;
            if request.long_list.is_some() {
                fail!(
                    Usage,
                    "a schedule takes at most 10,000 URLs in 1 MiB: it takes no uploaded list, which \
                     is kept for 7 days only; divide the list"
                );
            }
            let mut body = json!({"cron": cron, "request": request.body, "paused": paused});
            for (member, value) in [("timezone", timezone), ("name", name)] {
                if let Some(value) = value {
                    body[member] = value.into();
                }
            }
            let made: Schedule = server.post("/v1/schedules", &body).await?;
            if let Some(route) = &request.route {
                announce_route(route);
            }
            if json {
                print_json(&made)?;
            } else {
                let next = next_cell(made.next_runs.first().copied(), made.paused);
                outln!("{} is created; next start: {next}", made.id);
            }
        }
        ScheduleCommand::Pause { id } => {
            let changed = pause(server, &id, true).await?;
            show_paused(&changed.id);
        }
        ScheduleCommand::Resume { id } => {
            let changed = pause(server, &id, false).await?;
            show_resumed(&changed.id, changed.next_runs.first().copied());
        }
        ScheduleCommand::Run { id } => {
            let path = format!("{}/run", path(&id)?);
            let job: JobAccepted = server.post(&path, &json!({})).await?;
            show_status(&job.job_id, job.status);
        }
        ScheduleCommand::Delete { id } => {
            server.delete(&path(&id)?).await?;
            outln!("{id} is deleted; its jobs stay");
        }
    }
    Ok(Exit::Done)
}

fn path(id: &str) -> anyhow::Result<String> {
    let id: ScheduleId = id.parse().map_err(|_| missing(id))?;
    Ok(format!("/v1/schedules/{id}"))
}

async fn pause(server: &ServerConnection, id: &str, paused: bool) -> anyhow::Result<Schedule> {
    let change: Value = json!({"paused": paused});
    server.patch(&path(id)?, &change).await
}

/// The newest schedules, and the number of all.
async fn schedules(server: &ServerConnection, limit: u64) -> anyhow::Result<(Vec<Schedule>, u64)> {
    let (mut all, mut total) = (Vec::new(), 0);
    for number in 1_u64.. {
        let path = with_query("/v1/schedules", &[("page", Some(number.to_string()))]);
        let page: ScheduleList = server.get(&path).await?;
        total = page.total;
        all.extend(page.items);
        if !page.has_more || all.len() as u64 >= limit {
            break;
        }
    }
    all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((all, total))
}

fn cells(one: &Schedule) -> [String; 6] {
    let next = next_cell(one.next_runs.first().copied(), one.paused);
    let last = or_dash(one.last_run.as_ref().map(|run| run.status));
    [one.id.to_string(), one.cron.clone(), one.timezone.clone(), next, last, one.name.clone()]
}
