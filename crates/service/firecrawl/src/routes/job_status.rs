//! State and documents of a crawl or batch, and its cancellation.

use axum::Json;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, RawQuery};
use axum::response::{IntoResponse, Response};
use client::ApiCall;
use runtime::off_runtime;
use serde_json::{Value, json};

use super::job_snapshot::{DocumentRange, JobSnapshot, find_job, snapshot};
use super::watch_job;
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::JobKind;

/// The status as JSON, or a WebSocket that follows it.
pub(crate) async fn crawl_status(
    session: FirecrawlSession,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> FirecrawlResult<Response> {
    status(session, JobKind::Crawl, &id, query, socket.ok()).await
}

pub(crate) async fn batch_status(
    session: FirecrawlSession,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> FirecrawlResult<Response> {
    status(session, JobKind::Batch, &id, query, socket.ok()).await
}

pub(crate) async fn cancel_crawl(
    session: FirecrawlSession,
    Path(id): Path<String>,
) -> FirecrawlResult<Json<Value>> {
    cancel(session, JobKind::Crawl, &id).await
}

pub(crate) async fn cancel_batch(
    session: FirecrawlSession,
    Path(id): Path<String>,
) -> FirecrawlResult<Json<Value>> {
    cancel(session, JobKind::Batch, &id).await
}

async fn status(
    session: FirecrawlSession,
    kind: JobKind,
    id: &str,
    query: Option<String>,
    socket: Option<WebSocketUpgrade>,
) -> FirecrawlResult<Response> {
    let range = DocumentRange::of(query.as_deref())?;
    if let Some(socket) = socket {
        return watch_job::watch(session, kind, id, socket).await;
    }
    let JobSnapshot { mut members, documents, .. } = snapshot(&session, kind, id, &range).await?;
    let answer = off_runtime(|| {
        members.insert("data".to_owned(), json!(documents));
        Value::Object(members)
    });
    Ok(Json(answer).into_response())
}

async fn cancel(
    session: FirecrawlSession,
    kind: JobKind,
    id: &str,
) -> FirecrawlResult<Json<Value>> {
    let (job, _) = find_job(&session, kind, id).await?;
    let path = format!("/v1/jobs/{}/abort", job.job_id);
    let answer = session.send(ApiCall::post(&path)).await?;
    answer.check()?;
    Ok(Json(json!({"success": true, "status": "cancelled"})))
}
