//! `crawl`: a job of mode `markdown`.

use std::collections::HashSet;

use axum::Json;
use contract::{Account, JobAccepted, JobList, Status};
use serde_json::{Value, json};

use crate::crawl_request::{CrawlRequest, job_request, renamed};
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::{FirecrawlOrigin, JobKind};
use crate::request_body::FirecrawlBody;

pub(crate) async fn start_crawl(
    session: FirecrawlSession,
    FirecrawlBody(body): FirecrawlBody,
) -> FirecrawlResult<Json<Value>> {
    let CrawlRequest { mut job, warning, webhook } =
        job_request(body, session.state.settings.protected_rate)?;
    let secret = webhook.map(|webhook| webhook.add_to(&mut job, &session));
    let answer = session.post("/v1/jobs", &job.into()).await?;
    let accepted: JobAccepted = answer
        .json()
        .map_err(|error| FirecrawlError::of_call(error, renamed).with_headers(&answer.headers))?;
    let id = accepted.job_id;
    let url = session.url(&format!("/crawl/{id}"));
    let mut body = json!({"success": true, "id": id, "url": url});
    if let Some(secret) = secret {
        body["webhookSecret"] = secret.into();
    }
    if let Some(warning) = warning {
        body["warning"] = warning.into();
    }
    Ok(Json(body))
}

/// The crawls that have not ended, of each status the newest hundred.
pub(crate) async fn active_crawls(session: FirecrawlSession) -> FirecrawlResult<Json<Value>> {
    let account: Account = session.get("/v1/account").await?;
    let mut crawls = Vec::new();
    // A job that starts between two of the calls is in both answers.
    let mut seen = HashSet::new();
    for status in [Status::Queued, Status::Running, Status::Paused] {
        let jobs: JobList = session.get(&format!("/v1/jobs?mode=markdown&status={status}")).await?;
        for job in jobs.items {
            let Some(stored) = FirecrawlOrigin::of(&job) else { continue };
            // A job that waits for credits counts as failed.
            let waits = job.status == Status::Paused && !job.batch_ready;
            if stored.kind != JobKind::Crawl || waits || !seen.insert(job.job_id.clone()) {
                continue;
            }
            crawls.push(json!({
                "id": job.job_id,
                "teamId": account.account_id,
                "url": job.url,
                "created_at": job.created_at,
                "options": {"scrapeOptions": {"formats": stored.format_names()}},
            }));
        }
    }
    Ok(Json(json!({"success": true, "crawls": crawls})))
}
