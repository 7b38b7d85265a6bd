//! `/schedules/{id}`: a schedule, its next starts and its runs.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError};
use contract::{JobAccepted, JobList, Schedule, ScheduleId};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::new_schedule::when;
use super::runs::{site, table};
use crate::link::link_as;
use crate::pager::{Pager, page_of, page_size_of};
use crate::words::time;
use crate::{
    Complaints, ConsoleState, Failure, Fields, Page, Person, Posted, Query, Section, see_other,
};

const PAGE_SIZE: u64 = 25;

/// What can be changed here.
const FIELDS: &[&str] = &["name", "cron", "timezone"];

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/schedules/{id}", get(show).post(change))
        .route("/schedules/{id}/run", post(run))
        .route("/schedules/{id}/pause", post(pause))
        .route("/schedules/{id}/resume", post(resume))
        .route("/schedules/{id}/delete", post(delete))
}

/// The path of a schedule, here and in the API. What is no identifier names nothing.
fn path_of(id: &str) -> Result<String, Failure> {
    let id: ScheduleId = id.parse().map_err(|_| Failure::NotFound)?;
    Ok(format!("/schedules/{id}"))
}

async fn show(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    person: Person,
    query: Query,
) -> Result<Response, Failure> {
    let path = path_of(&id)?;
    page(&state, &person, &path, &query, None, &Complaints::default()).await
}

async fn change(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, fields }: Posted,
) -> Result<Response, Failure> {
    let path = path_of(&id)?;
    let mut body = Map::new();
    for name in FIELDS {
        if let Some(text) = fields.text(name) {
            body.insert((*name).to_owned(), json!(text));
        }
    }
    let call = ApiCall::new(Method::PATCH, &format!("/v1{path}")).json(&Value::Object(body));
    let changed = state.api(&person).send(call).await?.check();
    done(&state, &person, &path, Some(&fields), changed).await
}

async fn run(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let path = path_of(&id)?;
    let call = format!("/v1{path}/run");
    match state.api(&person).post::<JobAccepted>(&call, &json!({})).await {
        Ok(job) => Ok(see_other(&format!("/runs/{}", job.job_id))),
        Err(refused) => done(&state, &person, &path, None, Err(refused)).await,
    }
}

async fn pause(
    state: State<ConsoleState>,
    id: Path<String>,
    posted: Posted,
) -> Result<Response, Failure> {
    set_paused(&state, &id, posted, true).await
}

async fn resume(
    state: State<ConsoleState>,
    id: Path<String>,
    posted: Posted,
) -> Result<Response, Failure> {
    set_paused(&state, &id, posted, false).await
}

async fn set_paused(
    state: &ConsoleState,
    id: &str,
    Posted { person, .. }: Posted,
    paused: bool,
) -> Result<Response, Failure> {
    let path = path_of(id)?;
    let call = ApiCall::new(Method::PATCH, &format!("/v1{path}")).json(&json!({"paused": paused}));
    let changed = state.api(&person).send(call).await?.check();
    done(state, &person, &path, None, changed).await
}

async fn delete(
    State(state): State<ConsoleState>,
    Path(id): Path<String>,
    Posted { person, .. }: Posted,
) -> Result<Response, Failure> {
    let path = path_of(&id)?;
    state.api(&person).perform(Method::DELETE, &format!("/v1{path}")).await?;
    Ok(see_other("/schedules"))
}

/// Leads back to the schedule; or says beside it why nothing came of it.
async fn done(
    state: &ConsoleState,
    person: &Person,
    path: &str,
    typed: Option<&Fields>,
    outcome: Result<(), ApiCallError>,
) -> Result<Response, Failure> {
    match outcome {
        Ok(()) => Ok(see_other(path)),
        Err(refused) => {
            let complaints = Complaints::of(refused)?;
            let query = Query::default();
            let mut response = page(state, person, path, &query, typed, &complaints).await?;
            *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(response)
        }
    }
}

async fn page(
    state: &ConsoleState,
    person: &Person,
    path: &str,
    query: &Query,
    typed: Option<&Fields>,
    complaints: &Complaints,
) -> Result<Response, Failure> {
    let api = state.api(person);
    let schedule: Schedule = api.get(&format!("/v1{path}")).await?;
    let size = page_size_of(query, PAGE_SIZE, state.settings().page_size_max);
    let asked = Query::default()
        .with("schedule", &schedule.id)
        .with("page", page_of(query))
        .with("page_size", size);
    let runs: JobList = api.get(&asked.on("/v1/jobs")).await?;
    let fields = typed.cloned().unwrap_or_else(|| fields_of(&schedule));
    let title = format!("{} · Schedule", schedule.name);
    Ok(Page::of(person, title).at(Section::Schedules).show(html! {
        (head(person, path, &schedule))
        @if let Some(creator) = &schedule.created_by {
            p.quiet { "Made by " code { (creator) } "." }
        }
        (complaints.shown(FIELDS))
        div.beside {
            div {
                section {
                    h2 { "Runs" }
                    (table(&runs))
                    (Pager {
                        path, query, page: runs.page, page_size: runs.page_size,
                        total: runs.total, things: ("run", "runs"),
                    }.show())
                }
            }
            aside {
                (starts(&schedule))
                section.panel aria-labelledby="change-title" {
                    h2 #change-title { "Change" }
                    form.stack method="post" action=(path) {
                        (person.form_token())
                        (when(&fields, complaints, ""))
                        div.head { button type="submit" { "Save" } }
                    }
                }
                section.panel aria-labelledby="request-title" {
                    h2 #request-title { "What it starts" }
                    pre.request tabindex="0" {
                        (serde_json::to_string_pretty(&schedule.request).unwrap_or_default())
                    }
                }
            }
        }
    }))
}

fn head(person: &Person, path: &str, schedule: &Schedule) -> Markup {
    let (deed, word) = if schedule.paused { ("resume", "Resume") } else { ("pause", "Pause") };
    let url = schedule.request.url.as_deref();
    html! {
        div.head {
            h1 { (schedule.name) }
            span.chip { (schedule.request.mode) }
            @if schedule.paused { span.chip.warn { "paused" } }
            div.actions {
                form method="post" action={ (path) "/run" } {
                    (person.form_token())
                    button.primary type="submit" { "Run now" }
                }
                form method="post" action={ (path) "/" (deed) } {
                    (person.form_token())
                    button type="submit" { (word) }
                }
                details.abort {
                    summary.button.danger { "Delete…" }
                    form method="post" action={ (path) "/delete" } {
                        (person.form_token())
                        p { "Nothing is started by it any more. Its runs stay." }
                        button.danger type="submit" { "Delete the schedule" }
                    }
                }
            }
        }
        p {
            @match url {
                Some(url) => (link_as(url, &site(Some(url)))),
                None => (site(None)),
            }
        }
    }
}

fn starts(schedule: &Schedule) -> Markup {
    html! {
        section.panel aria-labelledby="next-title" {
            h2 #next-title { "Next starts (UTC)" }
            p { code { (schedule.cron) } " in " (schedule.timezone) }
            @if schedule.next_runs.is_empty() {
                p { "None while it is paused." }
            } @else {
                ol { @for next in &schedule.next_runs { li { (time(*next)) } } }
            }
        }
    }
}

fn fields_of(schedule: &Schedule) -> Fields {
    let mut fields = Fields::default();
    fields.set("name", &schedule.name);
    fields.set("cron", &schedule.cron);
    fields.set("timezone", &schedule.timezone);
    fields
}
