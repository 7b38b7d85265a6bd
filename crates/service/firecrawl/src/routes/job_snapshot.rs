//! The state of a crawl or batch with a part of its documents.

use axum::http::StatusCode;
use client::{ApiCall, ApiCallError};
use contract::{
    ErrorCode, FieldError, JobId, MarkdownItem, Millis, Mode, ProblemCode, PublicJob, ResultsPage,
    Status,
};
use runtime::off_runtime;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::page_content::documents;
use crate::FirecrawlVersion;
use crate::document::FirecrawlDocument;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::{FirecrawlOrigin, JobKind};

const DAY: u64 = 24 * 60 * 60;

/// The part of the documents that a request asks for.
#[derive(Debug, Default)]
pub(super) struct DocumentRange {
    pub skip: u64,
    pub limit: Option<u64>,
}

impl DocumentRange {
    pub fn of(query: Option<&str>) -> FirecrawlResult<Self> {
        let mut range = Self::default();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let number = value.parse();
            match (&*name, number) {
                ("skip", Ok(number)) => range.skip = number,
                ("limit", Ok(number)) if number > 0 => range.limit = Some(number),
                ("skip" | "limit", _) => return Err(wrong(&name, "must be a number")),
                _ => return Err(wrong(&name, "is not known; supported are skip and limit")),
            }
        }
        Ok(range)
    }
}

fn wrong(name: &str, message: &str) -> FirecrawlError {
    let name: String = name.chars().take(100).collect();
    FirecrawlError::fields(vec![FieldError::new(name, message)])
}

/// The job with this id, if the operation can have started it.
pub(super) async fn find_job(
    session: &FirecrawlSession,
    kind: JobKind,
    id: &str,
) -> FirecrawlResult<(PublicJob, FirecrawlOrigin)> {
    let missing = || FirecrawlError::new(StatusCode::NOT_FOUND, "NOT_FOUND", "Job not found");
    let id: JobId = id.parse().map_err(|_| missing())?;
    let job: PublicJob = session.get(&format!("/v1/jobs/{id}")).await?;
    // A crawl that another client of the service started can be read, too.
    let stored = FirecrawlOrigin::of(&job).unwrap_or_default();
    // The npm client of version 1 follows a batch as a crawl.
    let is_followed = session.state.version == FirecrawlVersion::V1 && kind == JobKind::Crawl;
    if job.mode != Mode::PAGE_DEFAULT || (stored.kind != kind && !is_followed) {
        return Err(missing());
    }
    Ok((job, stored))
}

/// The state of a job with a part of its documents.
pub(super) struct JobSnapshot {
    /// `scraping`, `completed`, `failed` or `cancelled`.
    pub state: &'static str,
    /// All members but `data`.
    pub members: Map<String, Value>,
    pub documents: Vec<FirecrawlDocument>,
    /// Whether further documents are there.
    pub has_more: bool,
}

pub(super) async fn snapshot(
    session: &FirecrawlSession,
    kind: JobKind,
    id: &str,
    range: &DocumentRange,
) -> FirecrawlResult<JobSnapshot> {
    let (job, stored) = find_job(session, kind, id).await?;
    let (state, note) = state_of(session, &job).await?;
    let id = &job.job_id;
    let limit = range.limit.map(|limit| format!("&page_size={limit}")).unwrap_or_default();
    let path = format!("/v1/jobs/{id}/results?offset={}{limit}", range.skip);
    let answer = session.send(ApiCall::get(&path)).await?;
    // A page of results has up to 16 MiB.
    let page = off_runtime(|| answer.json::<ResultsPage<MarkdownItem>>());
    let page = page.map_err(|error| {
        let rename = |field: &str| field.replace("page_size", "limit").replace("offset", "skip");
        FirecrawlError::of_call(error, rename).with_headers(&answer.headers)
    })?;
    let found = page.items.len();
    let documents = documents(session, page.items, &stored.formats).await;
    let has_more = page.has_more || documents.len() < found;
    let next = range.skip + documents.len() as u64;
    let mut body = Map::new();
    let completed = job.counts.results;
    let total = if job.finished_at.is_some() { completed } else { completed.max(job.counts.pages) };
    body.insert("success".to_owned(), true.into());
    body.insert("status".to_owned(), state.into());
    body.insert("completed".to_owned(), completed.into());
    body.insert("total".to_owned(), total.into());
    body.insert("creditsUsed".to_owned(), json!(job.credits_used));
    body.insert("expiresAt".to_owned(), json!(expiry(session, &job)));
    // Absent while the job runs and its later documents are not there yet: a client that follows
    // `next` without a pause would repeat the same request.
    if has_more {
        let limit = range.limit.map(|limit| format!("&limit={limit}")).unwrap_or_default();
        let path = format!("{}/{id}?skip={next}{limit}", kind.path());
        body.insert("next".to_owned(), session.url(&path).into());
    }
    let mut warnings = stored.warnings;
    if let Some(note) = note {
        if state == "failed" {
            body.insert("error".to_owned(), note.clone().into());
        }
        warnings.push(note);
    }
    if !warnings.is_empty() {
        body.insert("warning".to_owned(), warnings.join("; ").into());
    }
    Ok(JobSnapshot { state, members: body, documents, has_more })
}

fn expiry(session: &FirecrawlSession, job: &PublicJob) -> Millis {
    let days = u64::from(session.state.settings.results_days);
    let end = job.finished_at.unwrap_or(job.created_at);
    end.plus(std::time::Duration::from_secs(days * DAY))
}

/// The status, with its reason. A crawl on a boundary of its batches is continued: the client named
/// the number of documents with `limit`.
async fn state_of(
    session: &FirecrawlSession,
    job: &PublicJob,
) -> FirecrawlResult<(&'static str, Option<String>)> {
    let error = job.error.as_ref().map(|error| error.message.clone());
    Ok(match job.status {
        Status::Queued | Status::Running => ("scraping", None),
        Status::Completed => {
            let is_limit =
                job.error.as_ref().is_some_and(|error| error.code == ErrorCode::SampleStopped);
            ("completed", error.filter(|_| !is_limit))
        }
        Status::Failed => ("failed", error),
        Status::Aborted => ("cancelled", None),
        Status::Paused if job.batch_ready && FirecrawlOrigin::of(job).is_some() => {
            let call = ApiCall::post(&format!("/v1/jobs/{}/confirm", job.job_id));
            let call = call.json(&json!({"continue_batch": true}));
            match session.send(call).await?.check() {
                Ok(()) => ("scraping", None),
                // Another request has continued it, or the job has changed in the meantime.
                Err(ApiCallError::Problem { problem, .. })
                    if problem.code == ProblemCode::Conflict =>
                {
                    ("scraping", None)
                }
                Err(refused) => ("failed", Some(refused.to_string())),
            }
        }
        Status::Paused | Status::AwaitingConfirmation => {
            let message = error.unwrap_or_else(|| "the job waits for a confirmation".to_owned());
            let remedy = "continue it with POST /v1/jobs/{id}/confirm, or cancel it";
            ("failed", Some(format!("{message}; {remedy}")))
        }
    })
}
