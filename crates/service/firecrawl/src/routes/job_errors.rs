//! Pages of a crawl or batch that failed.

use axum::Json;
use axum::extract::Path;
use contract::{SkipReason, SkippedPage, SkippedUrl, Status};
use serde_json::{Value, json};

use super::job_snapshot::find_job;
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::JobKind;

/// Maximum URLs of each reason.
const MAX_ENTRIES: usize = 1_000;

/// The reasons that are failures of a page. The others are rules that the request or the service has.
const FAILURES: [SkipReason; 4] =
    [SkipReason::Broken, SkipReason::Blocked, SkipReason::NoText, SkipReason::TooComplex];

pub(crate) async fn crawl_errors(
    session: FirecrawlSession,
    Path(id): Path<String>,
) -> FirecrawlResult<Json<Value>> {
    errors(session, JobKind::Crawl, &id).await
}

pub(crate) async fn batch_errors(
    session: FirecrawlSession,
    Path(id): Path<String>,
) -> FirecrawlResult<Json<Value>> {
    errors(session, JobKind::Batch, &id).await
}

async fn errors(
    session: FirecrawlSession,
    kind: JobKind,
    id: &str,
) -> FirecrawlResult<Json<Value>> {
    let (job, _) = find_job(&session, kind, id).await?;
    let id = &job.job_id;
    let mut errors = Vec::new();
    if let Some(error) = job.error.as_ref().filter(|_| job.status == Status::Failed) {
        errors.push(json!({
            "id": format!("{id}-job"),
            "url": job.url.as_deref().unwrap_or_default(),
            "code": error.code,
            "error": error.message,
        }));
    }
    for reason in FAILURES {
        for skipped in skipped(&session, id.as_str(), reason).await? {
            errors.push(json!({
                "id": format!("{id}-{}", errors.len()),
                "url": skipped.url,
                "code": code(&skipped),
                "error": message(&skipped),
            }));
        }
    }
    let blocked = skipped(&session, id.as_str(), SkipReason::Robots).await?;
    let blocked: Vec<_> = blocked.into_iter().map(|skipped| skipped.url).collect();
    Ok(Json(json!({"success": true, "errors": errors, "robotsBlocked": blocked})))
}

/// The skipped URLs of a reason, up to the maximum.
async fn skipped(
    session: &FirecrawlSession,
    id: &str,
    reason: SkipReason,
) -> FirecrawlResult<Vec<SkippedUrl>> {
    let mut found = Vec::new();
    for page in 1.. {
        let path = format!("/v1/jobs/{id}/skipped?reason={reason}&page={page}");
        let part: SkippedPage = session.get(&path).await?;
        found.extend(part.items);
        if !part.has_more || found.len() >= MAX_ENTRIES {
            break;
        }
    }
    found.truncate(MAX_ENTRIES);
    Ok(found)
}

/// The code of a failed action is that of `scrape`.
fn code(skipped: &SkippedUrl) -> &'static str {
    match skipped.failed_action {
        Some(_) => "SCRAPE_ACTION_ERROR",
        None => skipped.reason.as_str(),
    }
}

fn message(skipped: &SkippedUrl) -> String {
    if let Some(failed) = &skipped.failed_action {
        return failed.to_string();
    }
    match (skipped.reason, skipped.status_code, skipped.cause) {
        (SkipReason::NoText, ..) => "the page has no readable text".to_owned(),
        (SkipReason::TooComplex, ..) => "the page exceeds the limits of a page".to_owned(),
        (_, Some(status), _) => format!("the site answered with status {status}"),
        (_, None, Some(cause)) => format!("the page could not be fetched: {cause}"),
        (_, None, None) => "the page could not be fetched".to_owned(),
    }
}
