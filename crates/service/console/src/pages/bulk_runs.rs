//! `/runs/bulk`: an action on several runs. Those that cannot be undone are confirmed first.

use axum::Router;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::post;
use client::ApiCallError;
use contract::{Export, JobId, PublicJob};
use maud::{Markup, html};
use serde_json::json;

use super::runs::{site, status};
use crate::number_format::count;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, PageError, PageResult, PostedForm, Section, see_other,
};

/// Maximum runs of an action, as on a page of the list. Each is a request of the account.
const MAX_RUNS: usize = 50;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/runs/bulk", post(act))
}

/// What is done with the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BulkAction {
    Abort,
    Delete,
    Export,
}

impl BulkAction {
    fn of(name: &str) -> PageResult<Self> {
        match name {
            "abort" => Ok(Self::Abort),
            "delete" => Ok(Self::Delete),
            "export" => Ok(Self::Export),
            _ => Err(PageError::rejected(StatusCode::UNPROCESSABLE_ENTITY, "unknown action")),
        }
    }

    /// The name in the form, the title, and what happens.
    const fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Abort => (
                "abort",
                "Abort runs",
                "Delivered results stay readable. Aborted runs cannot be continued.",
            ),
            Self::Delete => (
                "delete",
                "Delete runs",
                "The runs and their results are deleted at once and cannot be restored. Their \
                 credits stay charged.",
            ),
            Self::Export => ("export", "Export runs", ""),
        }
    }

    /// Whether the action is possible with a run.
    fn suits(self, job: &PublicJob) -> bool {
        match self {
            Self::Abort => !job.status.is_final(),
            Self::Delete => job.status.is_final(),
            Self::Export => true,
        }
    }
}

async fn act(PostedForm { user, fields }: PostedForm) -> PageResult {
    let action = BulkAction::of(fields.raw("action"))?;
    let mut ids: Vec<JobId> = Vec::new();
    for id in fields.all("id") {
        let id: JobId = id.parse().map_err(|_| PageError::NotFound)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() || ids.len() > MAX_RUNS {
        let message = format!("Select 1 to {MAX_RUNS} runs in the list.");
        return Err(PageError::rejected(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let mut jobs = Vec::new();
    for id in &ids {
        let job = user.state.store.job_of(&user.account, id).await?;
        jobs.push(job.ok_or(PageError::NotFound)?.public());
    }
    if action == BulkAction::Export {
        return export(&user, &jobs, fields.raw("format")).await;
    }
    let (jobs, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| action.suits(job));
    if !fields.is_on("confirmed") {
        return Ok(ask(&user, action, &jobs, &others));
    }
    let mut failed = Vec::new();
    for job in &jobs {
        let path = format!("/v1/jobs/{}", job.job_id);
        let done = match action {
            BulkAction::Abort => user.api().perform(Method::POST, &format!("{path}/abort")).await,
            BulkAction::Delete | BulkAction::Export => {
                user.api().perform(Method::DELETE, &path).await
            }
        };
        if let Err(error) = done {
            failed.push((job, message_of(error)?));
        }
    }
    if failed.is_empty() {
        return Ok(see_other("/runs"));
    }
    Ok(page(
        &user,
        action,
        &html! {
            div.complaint role="alert" {
                p { (count(failed.len() as u64, "run was", "runs were")) " left unchanged:" }
                ul { @for (job, message) in &failed { li { (name(job)) ": " (message) } } }
            }
            p { a.button href="/runs" { "Go to your runs" } }
        },
    ))
}

/// The message of a refusal that concerns one run.
fn message_of(error: ApiCallError) -> PageResult<String> {
    match error {
        ApiCallError::Problem { problem, .. } => Ok(problem.message),
        other @ ApiCallError::Unexpected(_) => Err(other.into()),
    }
}

fn ask(
    user: &ConsoleUser,
    action: BulkAction,
    jobs: &[PublicJob],
    others: &[PublicJob],
) -> Response {
    let (value, title, about) = action.texts();
    let (verb, _) = title.split_once(' ').unwrap_or((title, ""));
    page(
        user,
        action,
        &html! {
            @if jobs.is_empty() {
                p {
                    @if action == BulkAction::Abort { "All selected runs have ended." }
                    @else { "No selected run has ended: abort them first." }
                }
            } @else {
                p { (about) }
                ul { @for job in jobs { li { (name(job)) } } }
            }
            @if !others.is_empty() && !jobs.is_empty() {
                p.quiet {
                    (count(others.len() as u64, "other run stays", "other runs stay"))
                    @if action == BulkAction::Abort { ": ended." } @else { ": not ended." }
                }
            }
            form.toolbar method="post" action="/runs/bulk" {
                (user.form_token())
                input type="hidden" name="action" value=(value);
                input type="hidden" name="confirmed" value="on";
                @for job in jobs { input type="hidden" name="id" value=(job.job_id); }
                @if !jobs.is_empty() {
                    button.danger type="submit" {
                        (verb) " " (count(jobs.len() as u64, "run", "runs"))
                    }
                }
                a.button href="/runs" { "Cancel" }
            }
        },
    )
}

/// A link for one download of each run.
async fn export(user: &ConsoleUser, jobs: &[PublicJob], format: &str) -> PageResult {
    let mut links = Vec::new();
    for job in jobs {
        let path = format!("/v1/jobs/{}/export", job.job_id);
        let made = user.api().post::<Export>(&path, &json!({"format": format})).await;
        links.push((
            job,
            match made {
                Ok(export) => Ok(export.url),
                Err(error) => Err(message_of(error)?),
            },
        ));
    }
    let local = |url: &str| url.find("/downloads/").and_then(|at| url.get(at..)).map(str::to_owned);
    Ok(page(
        user,
        BulkAction::Export,
        &html! {
            p { "Each link works for one download, and for a short time." }
            ul {
                @for (job, link) in &links {
                    li {
                        @match link {
                            Ok(url) => a href=(local(url).unwrap_or_default()) download { (name(job)) },
                            Err(message) => { (name(job)) ": " (message) }
                        }
                    }
                }
            }
            p { a.button href="/runs" { "Go to your runs" } }
        },
    ))
}

fn name(job: &PublicJob) -> Markup {
    html! {
        (site(job.url.as_deref(), job.mode)) " · " (job.mode) " · " (status(job.status)) " "
        code { (job.job_id) }
    }
}

fn page(user: &ConsoleUser, action: BulkAction, content: &Markup) -> Response {
    let (_, title, _) = action.texts();
    ConsolePage::of(user, title).at(Section::Runs).show(html! { h1 { (title) } (content) })
}
