//! `GET /v1/jobs/{id}/events`: the progress of a job as server-sent events (SSE).

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::JobId;
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use runtime::ServerShutdown;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::ApiState;
use crate::address::{forwarded_address, network};
use crate::api_error::{ApiError, ApiResult};
use crate::caller::{ApiCaller, Granted, JobsRead};
use crate::guarded_body::UNBUFFERED;
use crate::path::PathId;
use crate::progress_hub::{ProgressSubscription, StreamChange, StreamLimitReached};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Milliseconds after which a client reconnects. Sent first, so that the response starts at once.
const RETRY_HINT: Bytes = Bytes::from_static(b"retry: 2000\n\n");

/// An SSE comment, by which both sides notice a broken connection.
const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");
pub(crate) const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// `Retry-After` of a stream over the limit, in seconds.
const RETRY_AFTER: u64 = 10;

/// Watch a job
///
/// Server-sent events: the state of the job at once, then whenever it changes, at most once per
/// second. `progress` events report a job that has not ended; `end` is the last event. Each event
/// contains the whole state, and its `id` changes with the state: with `Last-Event-ID` a state that
/// the client has seen is not sent again, and intermediate states are not repeated. A client that
/// has seen `end` gets 204, so that browsers do not reconnect. The stream ends without `end` when
/// its key or session is revoked or expires, its application is disconnected, or the account is
/// suspended.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/events", tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        ("Last-Event-ID" = Option<String>, Header,
            description = "The id of the last event that the client has seen."),
    ),
    responses(
        (status = 200, description = "The events; `data` of each is a `JobProgress`.",
            body = String, content_type = "text/event-stream"),
        (status = 204, description = "The job has ended, and the client has seen its `end` event."),
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn watch_job(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    shutdown: Option<Extension<ServerShutdown>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let seen = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let now = state.store.progress(&id).await?;
    let now =
        now.filter(|now| now.job.account == caller.account).ok_or_else(ApiError::not_found)?;
    if now.job.status.is_final() && seen == Some(now.revision) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let subscription = subscribe(&state, &caller, &id, peer, &headers)?;
    let shutdown = shutdown.map(|Extension(ServerShutdown(token))| token);
    let body = Body::from_stream(events(subscription, seen, shutdown));
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(([kind, UNBUFFERED], body).into_response())
}

/// Subscribes the caller to a job, or 429 if a limit of live streams is reached.
pub(crate) fn subscribe(
    state: &ApiState,
    caller: &ApiCaller,
    job: &JobId,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: &HeaderMap,
) -> ApiResult<ProgressSubscription> {
    let peer = peer.map(|Extension(peer)| peer.0.ip());
    let address = forwarded_address(headers, &state.settings).or(peer).map(network);
    // Streams of the console and of MCP have no peer address: the account limit applies.
    let address = address.unwrap_or_else(|| caller.account.to_string());
    let holder = (caller.account.clone(), caller.credential_id());
    let subscribed = state.progress_hub.subscribe(&holder, &address, job);
    subscribed.map_err(|limit| ApiError::rate_limited(limit_message(limit), RETRY_AFTER))
}

fn limit_message(limit: StreamLimitReached) -> String {
    match limit {
        StreamLimitReached::Account(most) => {
            format!("account limit: {most} live streams of the account are open; close one")
        }
        StreamLimitReached::Address(most) => {
            format!("address limit: {most} live streams from this address are open; close one")
        }
        StreamLimitReached::Service => {
            "service limit: the maximum number of live streams is open; try again later".to_owned()
        }
    }
}

/// The state of one response stream.
struct ProgressStream {
    subscription: ProgressSubscription,
    seen: Option<i64>,
    shutdown: Option<CancellationToken>,
    stage: StreamStage,
}

enum StreamStage {
    RetryHint,
    /// The current state is sent next.
    Latest,
    Changes,
    Over,
}

fn events(
    subscription: ProgressSubscription,
    seen: Option<i64>,
    shutdown: Option<CancellationToken>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let stream = ProgressStream { subscription, seen, shutdown, stage: StreamStage::RetryHint };
    let events = stream::unfold(stream, async |mut stream| {
        let bytes = stream.next().await?;
        Some((Ok(bytes), stream))
    });
    // Layers around the body poll it again after its end.
    events.fuse()
}

impl ProgressStream {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.stage {
                StreamStage::RetryHint => {
                    self.stage = StreamStage::Latest;
                    return Some(RETRY_HINT);
                }
                StreamStage::Latest => self.stage = StreamStage::Changes,
                StreamStage::Changes => match self
                    .subscription
                    .changed(self.shutdown.as_ref(), Instant::now() + HEARTBEAT_EVERY)
                    .await
                {
                    StreamChange::State => {}
                    StreamChange::Nothing => return Some(HEARTBEAT),
                    StreamChange::Over => return None,
                },
                StreamStage::Over => return None,
            }
            let frame = self.subscription.latest.borrow_and_update().clone();
            let Some(frame) = frame else { continue };
            if frame.is_last {
                self.stage = StreamStage::Over;
            }
            if self.seen != Some(frame.revision) {
                self.seen = None;
                return Some(frame.text);
            }
        }
    }
}
