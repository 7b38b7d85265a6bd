//! `GET /v1/jobs/{id}/events`: a job's progress as it happens.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::JobId;
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use tokio::time::timeout;

use crate::ApiState;
use crate::address::{forwarded_address, network};
use crate::audience::{Listener, StreamLimit};
use crate::caller::{Granted, JobsRead};
use crate::fault::Fault;
use crate::openapi::{example, problems};
use crate::path::Id;
use crate::serve::Closing;

problems!(Refusals: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Proxies that keep answers back until they are whole are told not to.
const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// How soon a client comes back when its connection breaks, in milliseconds. As the first
/// word it also makes the answer begin.
const GREETING: Bytes = Bytes::from_static(b"retry: 2000\n\n");

/// A comment, by which either side notices that the other is gone.
const HEARTBEAT: Bytes = Bytes::from_static(b":\n\n");
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// Seconds after which a place may be free.
const TRY_AGAIN: u64 = 10;

/// Watch a job
///
/// Server-sent events: the job's state at once, then whenever it changes, at most once a
/// second. `progress` tells of a job that is not over, `end` is the last event. Each is a
/// whole state, and its `id` moves with the state: with `Last-Event-ID` nothing comes that was
/// seen already, and what lay between is not repeated. After the end a client that has seen it
/// gets 204, so that browsers do not reconnect. The stream ends without `end` when its key or
/// session is revoked or expires, its application is disconnected, or the account is suspended.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/events",
    operation_id = "watch_job",
    tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        ("Last-Event-ID" = Option<String>, Header,
            description = "The id of the last event that was seen."),
    ),
    responses(
        (status = 200, description = "The events; `data` of each is a `JobProgress`.",
            body = String, content_type = "text/event-stream",
            example = json!(example::progress_event())),
        (status = 204, description = "The job is over, and its end was seen."),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn watch_job(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    Id(id): Id<JobId>,
    closing: Option<Extension<Closing>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let seen = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let now = state.store().progress(&id).await?;
    let now = now.filter(|now| now.job.account == caller.account).ok_or_else(Fault::not_found)?;
    if now.job.status.is_final() && seen == Some(now.revision) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let peer = peer.map(|Extension(peer)| peer.0.ip());
    let address = forwarded_address(&headers, state.settings()).or(peer).map(network);
    // Streams of rooms of this process are counted by account alone.
    let address = address.unwrap_or_else(|| caller.account.to_string());
    let listener = state
        .audience()
        .join(&(caller.account.clone(), caller.credential_id()), &address, &id)
        .map_err(|limit| Fault::rate_limited(refusal(limit), TRY_AGAIN))?;
    let closing = closing.map(|Extension(closing)| closing);
    let body = Body::from_stream(events(listener, seen, closing));
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(([kind, UNBUFFERED], body).into_response())
}

/// Which limit a refused stream broke, in words.
fn refusal(limit: StreamLimit) -> String {
    match limit {
        StreamLimit::Account(most) => {
            format!("account limit: {most} live streams of the account are open; close one")
        }
        StreamLimit::Address(most) => {
            format!("address limit: {most} live streams from this address are open; close one")
        }
        StreamLimit::Service => {
            "service limit: as many live streams are open as this service has; try again later"
                .to_owned()
        }
    }
}

/// Where a stream is.
struct Telling {
    listener: Listener,
    seen: Option<i64>,
    closing: Option<Closing>,
    stage: Stage,
}

enum Stage {
    Greeting,
    /// The state as it is, then every other one.
    Latest,
    Changes,
    Over,
}

fn events(
    listener: Listener,
    seen: Option<i64>,
    closing: Option<Closing>,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let telling = Telling { listener, seen, closing, stage: Stage::Greeting };
    let events = stream::unfold(telling, async |mut telling| {
        let bytes = telling.next().await?;
        Some((Ok(bytes), telling))
    });
    // Layers around the body ask once more after its end.
    events.fuse()
}

impl Telling {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.stage {
                Stage::Greeting => {
                    self.stage = Stage::Latest;
                    return Some(GREETING);
                }
                Stage::Latest => self.stage = Stage::Changes,
                Stage::Changes => match self.changed().await {
                    Changed::State => {}
                    Changed::Nothing => return Some(HEARTBEAT),
                    Changed::Over => return None,
                },
                Stage::Over => return None,
            }
            let frame = self.listener.latest.borrow_and_update().clone();
            let Some(frame) = frame else { continue };
            if frame.is_last {
                self.stage = Stage::Over;
            }
            if self.seen != Some(frame.revision) {
                self.seen = None;
                return Some(frame.text);
            }
        }
    }

    /// Waits for news, the end of the service or of the credential, or the time for a sign of
    /// life.
    async fn changed(&mut self) -> Changed {
        let Self { listener: Listener { latest, accepted, .. }, closing, .. } = self;
        let closed = async {
            match closing {
                Some(closing) => closing.begins().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = closed => Changed::Over,
            // Nothing is ever sent: it is closed.
            _ = accepted.changed() => Changed::Over,
            changed = timeout(HEARTBEAT_EVERY, latest.changed()) => match changed {
                Ok(Ok(())) => Changed::State,
                Ok(Err(_)) => Changed::Over,
                Err(_) => Changed::Nothing,
            },
        }
    }
}

enum Changed {
    State,
    Nothing,
    Over,
}
