//! `/schedules/{id}`: a schedule, its next starts and its runs.

use axum::Router;
use axum::extract::Path;
use axum::http::Method;
use axum::response::Response;
use axum::routing::{get, post};
use client::{ApiCall, ApiCallError};
use contract::{JobAccepted, JobList, PublicJob, Schedule, ScheduleId};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::new_run::{form, request};
use super::runs::{site, status};
use super::schedule_form::{self, when};
use crate::assets::SCHEDULE_JS;
use crate::link::link_as;
use crate::number_format::{number, span, time};
use crate::pager::{Pager, page_of, page_size_of};
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, FormFields, ListQuery, PageError,
    PageResult, PostedForm, Section, cron_preset, see_other,
};

const PAGE_SIZE: u64 = 25;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/schedules/{id}", get(show).post(change))
        .route("/schedules/{id}/request", get(ask_request).post(change_request))
        .route("/schedules/{id}/run", post(run))
        .route("/schedules/{id}/pause", post(pause))
        .route("/schedules/{id}/resume", post(resume))
        .route("/schedules/{id}/delete", post(delete))
}

/// The path of a schedule, in the console and in the API. An invalid identifier is not found.
fn path_of(id: &str) -> PageResult<String> {
    let id: ScheduleId = id.parse().map_err(|_| PageError::NotFound)?;
    Ok(format!("/schedules/{id}"))
}

async fn show(Path(id): Path<String>, user: ConsoleUser, query: ListQuery) -> PageResult {
    let path = path_of(&id)?;
    page(&user, &path, &query, None, &FormErrors::default()).await
}

async fn change(Path(id): Path<String>, PostedForm { user, fields }: PostedForm) -> PageResult {
    let path = path_of(&id)?;
    if fields.is_on("preview") {
        let query = ListQuery::default();
        return page(&user, &path, &query, Some(&fields), &FormErrors::default()).await;
    }
    let mut body = Map::new();
    body.insert("cron".to_owned(), json!(cron_preset::cron_of(&fields)));
    for name in ["name", "timezone"] {
        if let Some(text) = fields.text(name) {
            body.insert(name.to_owned(), json!(text));
        }
    }
    let call = ApiCall::new(Method::PATCH, &format!("/v1{path}")).json(&Value::Object(body));
    let changed = user.api().send(call).await?.check();
    done(&user, &path, Some(&fields), changed).await
}

/// The form with the request of the schedule.
async fn ask_request(Path(id): Path<String>, user: ConsoleUser) -> PageResult {
    let path = path_of(&id)?;
    let schedule: Schedule = user.api().get(&format!("/v1{path}")).await?;
    let fields = request::of_request(&schedule.request);
    Ok(request_page(&user, &path, &schedule.name, &fields, &FormErrors::default()))
}

async fn change_request(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let path = path_of(&id)?;
    let schedule: Schedule = user.api().get(&format!("/v1{path}")).await?;
    let mut wanted = request::body_of_schedule(&fields);
    // The form has no field for these members.
    let unchanged =
        json!({"external": schedule.request.external, "list_id": schedule.request.list_id});
    for (name, value) in unchanged.as_object().into_iter().flatten() {
        let is_replaced =
            name == "list_id" && (!wanted["url"].is_null() || !wanted["urls"].is_null());
        if !value.is_null() && !is_replaced {
            wanted[name.as_str()] = value.clone();
        }
    }
    let call = ApiCall::new(Method::PATCH, &format!("/v1{path}")).json(&json!({"request": wanted}));
    match user.api().send(call).await?.check() {
        Ok(()) => Ok(see_other(&path)),
        Err(refused) => {
            let form_errors = FormErrors::of(refused)?.strip_prefix("request");
            Ok(request_page(&user, &path, &schedule.name, &fields, &form_errors))
        }
    }
}

fn request_page(
    user: &ConsoleUser,
    path: &str,
    name: &str,
    fields: &FormFields,
    form_errors: &FormErrors,
) -> Response {
    let page = ConsolePage::of(user, format!("{name} · Request")).at(Section::Schedules);
    page.status(form_errors.status()).show(html! {
        h1 { "Request of " (name) }
        p { "The next runs use the new request. Secrets are not shown: enter them again." }
        (form_errors.shown(&form::names()))
        form.stack method="post" action={ (path) "/request" } {
            (user.form_token())
            (form::of_request(fields, form_errors))
            div.row {
                button.primary type="submit" { "Save request" } " "
                a.button href=(path) { "Cancel" }
            }
        }
    })
}

async fn run(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let path = path_of(&id)?;
    let call = format!("/v1{path}/run");
    match user.api().post::<JobAccepted>(&call, &json!({})).await {
        Ok(job) => Ok(see_other(&format!("/runs/{}", job.job_id))),
        Err(refused) => done(&user, &path, None, Err(refused)).await,
    }
}

async fn pause(Path(id): Path<String>, posted: PostedForm) -> PageResult {
    set_paused(&id, posted, true).await
}

async fn resume(Path(id): Path<String>, posted: PostedForm) -> PageResult {
    set_paused(&id, posted, false).await
}

async fn set_paused(id: &str, PostedForm { user, .. }: PostedForm, paused: bool) -> PageResult {
    let path = path_of(id)?;
    let call = ApiCall::new(Method::PATCH, &format!("/v1{path}")).json(&json!({"paused": paused}));
    let changed = user.api().send(call).await?.check();
    done(&user, &path, None, changed).await
}

async fn delete(Path(id): Path<String>, PostedForm { user, .. }: PostedForm) -> PageResult {
    let path = path_of(&id)?;
    user.api().perform(Method::DELETE, &format!("/v1{path}")).await?;
    Ok(see_other("/schedules"))
}

/// Redirects to the schedule, or shows it with the error.
async fn done(
    user: &ConsoleUser,
    path: &str,
    typed: Option<&FormFields>,
    outcome: Result<(), ApiCallError>,
) -> PageResult {
    match outcome {
        Ok(()) => Ok(see_other(path)),
        Err(refused) => {
            let form_errors = FormErrors::of(refused)?;
            page(user, path, &ListQuery::default(), typed, &form_errors).await
        }
    }
}

async fn page(
    user: &ConsoleUser,
    path: &str,
    query: &ListQuery,
    typed: Option<&FormFields>,
    form_errors: &FormErrors,
) -> PageResult {
    let api = user.api();
    let schedule: Schedule = api.get(&format!("/v1{path}")).await?;
    let size = page_size_of(query, PAGE_SIZE, user.state.settings.page_size_max);
    let asked = ListQuery::default()
        .with("schedule", &schedule.id)
        .with("page", page_of(query))
        .with("page_size", size);
    let runs: JobList = api.get(&asked.on("/v1/jobs")).await?;
    let fields = typed.cloned().unwrap_or_else(|| fields_of(&schedule));
    let title = format!("{} · Schedule", schedule.name);
    let page = ConsolePage::of(user, title).at(Section::Schedules).script(SCHEDULE_JS);
    let page = page.status(form_errors.status());
    Ok(page.show(html! {
        (head(user, path, &schedule))
        @if let Some(creator) = &schedule.created_by {
            p.quiet { "Created by " code { (creator) } "." }
        }
        (form_errors.shown(schedule_form::FIELDS))
        div.beside {
            div {
                section {
                    h2 { "Runs" }
                    (run_table(&runs))
                    (Pager::new(path, query, (runs.page, runs.page_size, runs.total), ("run", "runs"))
                        .show())
                }
                section.panel.after aria-labelledby="request-title" {
                    h2 #request-title { "Request" }
                    pre.request tabindex="0" {
                        (serde_json::to_string_pretty(&schedule.request).unwrap_or_default())
                    }
                    p { a.button href={ (path) "/request" } { "Change the request" } }
                }
            }
            aside {
                (starts(&schedule))
                section.panel aria-labelledby="change-title" {
                    h2 #change-title { "Change" }
                    form.stack method="post" action=(path) {
                        (user.form_token())
                        (when(&fields, form_errors, "", user.state.now()))
                        div.head { button type="submit" { "Save" } }
                    }
                }
            }
        }
    }))
}

/// The runs without what all of them have: site, mode and source.
fn run_table(runs: &JobList) -> Markup {
    let row = |job: &PublicJob| {
        html! { tr {
            td { a href={ "/runs/" (job.job_id) } { (time(job.created_at)) } }
            td { (status(job.status)) }
            td.number { (number(job.counts.results)) }
            td.number { (number(job.credits_used.0)) }
            td.wide {
                @if let Some(end) = job.finished_at { (span(end.since(job.created_at).as_secs())) }
            }
        } }
    };
    let columns = "Started, Status, Results:number, Credits:number, Duration:wide";
    let empty = html! { "No runs yet. " b { "Run now" } " starts one." };
    crate::table("Runs of this schedule", columns, &runs.items, row, &empty)
}

fn head(user: &ConsoleUser, path: &str, schedule: &Schedule) -> Markup {
    let (action, word) = if schedule.paused { ("resume", "Resume") } else { ("pause", "Pause") };
    let url = schedule.request.url.as_deref();
    html! {
        div.head {
            h1 { (schedule.name) }
            span.chip { (schedule.request.mode) }
            @if schedule.paused { span.chip.warn { "paused" } }
            div.actions {
                form method="post" action={ (path) "/run" } {
                    (user.form_token())
                    button.primary type="submit" { "Run now" }
                }
                form method="post" action={ (path) "/" (action) } {
                    (user.form_token())
                    button type="submit" { (word) }
                }
                details.abort {
                    summary.button.danger { "Delete…" }
                    form method="post" action={ (path) "/delete" } {
                        (user.form_token())
                        p { "The schedule will not start runs again. Its runs stay." }
                        button.danger type="submit" { "Delete the schedule" }
                    }
                }
            }
        }
        p {
            @match url {
                Some(url) => (link_as(url, &site(Some(url), schedule.request.mode))),
                None => (site(None, schedule.request.mode)),
            }
        }
    }
}

fn starts(schedule: &Schedule) -> Markup {
    html! {
        section.panel aria-labelledby="next-title" {
            h2 #next-title { "Next starts" }
            p title=(schedule.cron) { (cron_preset::sentence(&schedule.cron, &schedule.timezone)) }
            @if schedule.next_runs.is_empty() {
                p { "None while the schedule is paused." }
            } @else {
                ol { @for next in &schedule.next_runs { li { (time(*next)) } } }
            }
        }
    }
}

fn fields_of(schedule: &Schedule) -> FormFields {
    let mut fields = FormFields::default();
    fields.set("name", &schedule.name);
    cron_preset::fill(&mut fields, &schedule.cron, &schedule.timezone);
    fields
}
