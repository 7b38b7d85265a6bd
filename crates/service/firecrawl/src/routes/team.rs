//! Credits and concurrency of the account.

use axum::Json;
use contract::{Account, JobList, Status};
use serde_json::{Value, json};

use crate::FirecrawlVersion;
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;

pub(crate) async fn credit_usage(session: FirecrawlSession) -> FirecrawlResult<Json<Value>> {
    let account: Account = session.get("/v1/account").await?;
    let credits = account.credits;
    // There are no plans and no billing periods: credits are bought.
    let data = match session.state.version {
        FirecrawlVersion::V2 => json!({
            "remainingCredits": credits, "planCredits": null,
            "billingPeriodStart": null, "billingPeriodEnd": null,
        }),
        FirecrawlVersion::V1 => json!({
            "remaining_credits": credits, "plan_credits": null,
            "billing_period_start": null, "billing_period_end": null,
        }),
    };
    Ok(Json(json!({"success": true, "data": data})))
}

pub(crate) async fn concurrency(session: FirecrawlSession) -> FirecrawlResult<Json<Value>> {
    let account: Account = session.get("/v1/account").await?;
    let running = jobs(&session, Status::Running).await?.total;
    let most = account.limits.running_jobs;
    Ok(Json(json!({"success": true, "concurrency": running, "maxConcurrency": most})))
}

/// Queued and running jobs of the account.
pub(crate) async fn queue_status(session: FirecrawlSession) -> FirecrawlResult<Json<Value>> {
    let account: Account = session.get("/v1/account").await?;
    let running = jobs(&session, Status::Running).await?.total;
    let waiting = jobs(&session, Status::Queued).await?.total;
    let ended = jobs(&session, Status::Completed).await?.items;
    Ok(Json(json!({
        "success": true,
        "jobsInQueue": running + waiting,
        "activeJobsInQueue": running,
        "waitingJobsInQueue": waiting,
        "maxConcurrency": account.limits.running_jobs,
        "mostRecentSuccess": ended.first().and_then(|job| job.finished_at),
    })))
}

/// The newest job with a status, and the number of all.
async fn jobs(session: &FirecrawlSession, status: Status) -> FirecrawlResult<JobList> {
    session.get(&format!("/v1/jobs?status={status}&page_size=1")).await
}
