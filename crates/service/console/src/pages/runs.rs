//! `/` and `/runs`: the runs of the account.

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::get;
use client::ApiCall;
use contract::{JobList, Mode, PublicJob, Status};
use maud::{Markup, html};

use crate::accept_header::wants_page;
use crate::assets::RUNS_JS;
use crate::number_format::{number, span, time};
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ConsolePage, ConsoleState, ConsoleUser, ListQuery, PageResult, Section, see_other};

/// Filters of the list, named as in the API.
const FILTERS: [&str; 3] = ["status", "mode", "source"];

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
    let jobs: JobList = user.api().get(&asked.on("/v1/jobs")).await?;
    let page = ConsolePage::of(&user, "Runs").at(Section::Runs).script(RUNS_JS);
    Ok(page.show(html! {
        div.head {
            h1 { "Runs" }
            div.actions { a.button.primary href="/runs/new" { "New run" } }
        }
        (filters(&query, &user.state.settings.sources))
        div #list { (table(&jobs)) }
        (Pager::new("/runs", &query, (jobs.page, jobs.page_size, jobs.total), ("run", "runs"))
            .show())
    }))
}

fn filters(query: &ListQuery, sources: &[String]) -> Markup {
    let spaced = |word: &str| word.replace('_', " ");
    let statuses = Status::ALL.iter().map(|word| word.as_str());
    let modes = Mode::ALL.iter().map(|word| word.as_str());
    let sources = sources.iter().map(String::as_str);
    html! {
        form.filters method="get" action="/runs" {
            (choice(query, "status", "Status", statuses, spaced))
            (choice(query, "mode", "Mode", modes, spaced))
            (choice(query, "source", "Source", sources, spaced))
            button type="submit" { "Filter" }
            @if FILTERS.iter().any(|name| query.get(name).is_some()) {
                a href="/runs" { "Show all" }
            }
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
pub(crate) fn table(jobs: &JobList) -> Markup {
    crate::table(
        "Runs",
        "Site, Mode, Status, Pages:number wide, Results:number, Credits:number wide, Source:wide, \
         Started (UTC):wide, Took:wide",
        &jobs.items,
        row,
        &html! {
            "No runs. " a href="/runs/new" { "Start one" } ", or see the "
            a href="/welcome" { "first steps" } "."
        },
    )
}

fn row(job: &PublicJob) -> Markup {
    html! {
        tr data-live[!job.status.is_final()] {
            td.url { a href={ "/runs/" (job.job_id) } { (site(job.url.as_deref(), job.mode)) } }
            td { (job.mode) }
            td { (status(job.status)) @if job.protected { " " span.chip.warn { "protected" } } }
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
