//! `/` and `/runs`: the runs of the account.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::get;
use client::ApiCall;
use contract::{ExportFormat, JobList, Millis, Mode, PublicJob, Status};
use maud::{Markup, html};

use super::tags::shown_tags;
use crate::accept_header::wants_page;
use crate::assets::RUNS_JS;
use crate::number_format::{number, span, time};
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ConsolePage, ConsoleState, ConsoleUser, ListQuery, PageResult, Section, see_other};

/// Filters of the list, named as in the API.
const FILTERS: [&str; 7] = ["status", "mode", "source", "q", "tag", "from", "sort"];

/// The last day of the list; the API has the time before which runs were created.
const UNTIL: &str = "until";

const PAGE_SIZE: u64 = 50;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/", get(home)).route("/runs", get(list))
}

/// `/` is a page for browsers; programs get the response of the API.
async fn home(
    State(state): State<ConsoleState>,
    headers: HeaderMap,
    user: PageResult<ConsoleUser>,
    query: ListQuery,
) -> PageResult {
    if wants_page(&headers) {
        let user = user?;
        if super::welcome::is_new(&user).await? {
            return Ok(see_other("/welcome"));
        }
        return list(user, query).await;
    }
    Ok(state.client.open(ApiCall::get("/")).await.into_response())
}

async fn list(user: ConsoleUser, query: ListQuery) -> PageResult {
    let page_size = page_size_of(&query, PAGE_SIZE, user.state.settings.page_size_max);
    let asked = query.only(&FILTERS).with("page", page_of(&query)).with("page_size", page_size);
    let asked = asked.with("to", query.get(UNTIL).map(end_of).unwrap_or_default());
    let jobs: JobList = user.api().get(&asked.on("/v1/jobs")).await?;
    let page = ConsolePage::of(&user, "Runs").at(Section::Runs).script(RUNS_JS);
    Ok(page.show(html! {
        div.head {
            h1 { "Runs" }
            div.actions { a.button.primary href="/runs/new" { "New run" } }
        }
        (filters(&query, &user.state.settings.sources))
        form method="post" action="/runs/bulk" {
            (user.form_token())
            div #list { (table(&jobs)) }
            @if !jobs.items.is_empty() { (bulk_actions()) }
        }
        (Pager::new("/runs", &query, (jobs.page, jobs.page_size, jobs.total), ("run", "runs"))
            .show())
    }))
}

/// The time after a day; other texts are returned for the API to refuse.
fn end_of(day: &str) -> String {
    match Millis::parse_iso(day).filter(|_| day.len() == "2026-11-15".len()) {
        Some(start) => start.plus(Duration::from_secs(24 * 60 * 60)).to_string(),
        None => day.to_owned(),
    }
}

/// The actions on the selected runs. Each is confirmed on its own page.
fn bulk_actions() -> Markup {
    html! {
        fieldset.filters.bulk {
            legend.hidden-label { "Selected runs" }
            button type="submit" name="action" value="abort" { "Abort selected…" }
            button type="submit" name="action" value="delete" { "Delete selected…" }
            label for="bulk-format" { "Format" }
            select id="bulk-format" name="format" {
                @for format in ExportFormat::ALL { option value=(format) { (format) } }
            }
            button type="submit" name="action" value="export" { "Export selected" }
        }
    }
}

fn filters(query: &ListQuery, sources: &[String]) -> Markup {
    let spaced = |word: &str| word.replace('_', " ");
    let statuses = Status::ALL.iter().map(|word| word.as_str());
    let modes = Mode::ALL.iter().map(|word| word.as_str());
    let sources = sources.iter().map(String::as_str);
    html! {
        form.filters method="get" action="/runs" {
            div.field {
                label for="q" { "Site or name contains" }
                input id="q" name="q" type="search" maxlength="200"
                    value=(query.get("q").unwrap_or_default());
            }
            (choice(query, "status", "Status", statuses, spaced))
            (choice(query, "mode", "Mode", modes, spaced))
            (choice(query, "source", "Source", sources, spaced))
            @if let Some(tag) = query.get("tag") {
                div.field {
                    label for="tag" { "Tag" }
                    input id="tag" name="tag" type="text" value=(tag);
                }
            }
            (day(query, "from", "From"))
            (day(query, UNTIL, "Until"))
            (choice(query, "sort", "Order", SORTS.into_iter(), |word| match word {
                "results" => "most results".to_owned(),
                "credits" => "most credits".to_owned(),
                other => format!("{other} first"),
            }))
            button type="submit" { "Filter" }
            @if FILTERS.iter().chain([&UNTIL]).any(|name| query.get(name).is_some()) {
                a.button.plain href="/runs" { "Show all" }
            }
        }
    }
}

/// The orders of the list, named as in the API.
const SORTS: [&str; 4] = ["newest", "oldest", "results", "credits"];

fn day(query: &ListQuery, name: &str, label: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input id=(name) name=(name) type="date" value=(query.get(name).unwrap_or_default());
        }
    }
}

pub(crate) fn choice<'w>(
    query: &ListQuery,
    name: &str,
    label: &str,
    words: impl Iterator<Item = &'w str>,
    shown: impl Fn(&str) -> String,
) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { "any" }
                @for word in words {
                    option value=(word) selected[query.get(name) == Some(word)] { (shown(word)) }
                }
            }
        }
    }
}

/// A table with one row per run.
fn table(jobs: &JobList) -> Markup {
    crate::table(
        "Runs",
        "Select, Site, Mode:wide, Status, Pages:number wide, Results:number, Credits:number wide, \
            Source:wide, Started:wide, Duration:wide",
        &jobs.items,
        row,
        &html! {
            "No runs. Try a sample site on the " a href="/welcome" { "welcome page" } ", or "
            a href="/runs/new" { "enter a URL" } "."
        },
    )
}

fn row(job: &PublicJob) -> Markup {
    let site = site(job.url.as_deref(), job.mode);
    html! {
        tr data-live[!job.status.is_final()] {
            td.select {
                input type="checkbox" name="id" value=(job.job_id)
                    aria-label={ "Select the run of " (site) " (" (job.job_id) ")" };
            }
            td.url {
                a href={ "/runs/" (job.job_id) } { (site) }
                span.hint.phone-only { " " (job.mode) }
                @if let Some(name) = &job.name { br; b { (name) } }
                @if !job.tags.is_empty() { br; (shown_tags(&job.tags)) }
            }
            td.wide { (job.mode) }
            td {
                (status(job.status)) @if job.protected { " " span.chip.warn { "protected" } }
                @if let (Status::Failed, Some(error)) = (job.status, &job.error) {
                    br; span.hint title=(error.message) {
                        @match error.cause { Some(cause) => (cause), None => (error.code) }
                    }
                }
            }
            td.number.wide { (number(job.counts.pages)) }
            td.number { (number(job.counts.results)) }
            td.number.wide { (number(job.credits_used.0)) }
            td.wide { (job.source) }
            td.wide { (time(job.created_at)) }
            td.wide {
                @if let Some(end) = job.finished_at { (span(end.since(job.created_at).as_secs())) }
            }
        }
    }
}

/// The URL without its scheme, as the title of a run.
pub(crate) fn site(url: Option<&str>, mode: Mode) -> String {
    match url {
        Some(url) => {
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            rest.strip_suffix('/').unwrap_or(rest).to_owned()
        }
        None if mode.visits_domains() => "List of domains".to_owned(),
        None => "List of URLs".to_owned(),
    }
}

/// A status as a coloured label.
pub(crate) fn status(status: Status) -> Markup {
    let tone = match status {
        Status::Queued => "chip",
        Status::Running => "chip live",
        Status::AwaitingConfirmation | Status::Paused => "chip warn",
        Status::Completed => "chip good",
        Status::Failed => "chip bad",
        Status::Aborted => "chip",
    };
    html! { span class=(tone) { (status.as_str().replace('_', " ")) } }
}
