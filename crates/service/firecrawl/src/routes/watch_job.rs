//! Follows a job over a WebSocket, as the watchers of the official clients do.
//!
//! The first message is the state with the documents so far (`catchup`), then each further document
//! (`document`), and the end (`done`, or the state again if the job failed or was cancelled). The
//! events of the API say when to look, so that its limits of streams apply. If a look is refused because
//! of the rate limit, it is repeated after the time that the API names.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use client::{ApiCall, SseStream};
use runtime::off_runtime;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::job_snapshot::{DocumentRange, JobSnapshot, find_job, snapshot};
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::JobKind;

/// Maximum bytes of a message from the client, which has nothing to say.
const MAX_MESSAGE: usize = 4 * 1024;

/// Shortest time between two looks at a job.
const PAUSE: Duration = Duration::from_secs(1);

/// Time in which a client must take a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// Longest pause after which a refused look is repeated.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The code of a connection that the client may open again (RFC 6455 registry: Service Restart).
const RESTART: u16 = 1012;

/// Time without an event after which the job is looked at anyway.
const SILENCE: Duration = Duration::from_secs(30);

/// Accepts the connection if the caller may read the job and has a free stream.
pub(super) async fn watch(
    session: FirecrawlSession,
    kind: JobKind,
    id: &str,
    upgrade: WebSocketUpgrade,
) -> FirecrawlResult<Response> {
    let (job, _) = find_job(&session, kind, id).await?;
    let id = job.job_id.to_string();
    let events = session.open(ApiCall::get(&format!("/v1/jobs/{id}/events"))).await?;
    let events = SseStream::of(events);
    // A client that offers protocols fails if none of them is accepted.
    let upgrade = match session.protocol() {
        Some(protocol) => upgrade.protocols([protocol]),
        None => upgrade,
    };
    let upgrade = upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE);
    let watcher = JobWatcher { session, kind, id, sent: 0 };
    Ok(upgrade.on_upgrade(|socket| watcher.follow(socket, events)))
}

/// A connection that follows a job.
struct JobWatcher {
    session: FirecrawlSession,
    kind: JobKind,
    id: String,
    /// The number of documents that were sent.
    sent: u64,
}

/// Why a connection ends early: the client is gone, or the job cannot be read any more.
struct WatchEnded;

impl JobWatcher {
    async fn follow(mut self, mut socket: WebSocket, mut events: SseStream) {
        let mut are_events_over = false;
        let mut is_first = true;
        loop {
            match self.report(&mut socket, is_first).await {
                // The API has ended the stream of a job that goes on, for example at a shutdown. The
                // clients poll after a close, and fail if the connection breaks without one.
                Ok(false) if are_events_over => {
                    let frame = CloseFrame { code: RESTART, reason: "".into() };
                    let close = socket.send(Message::Close(Some(frame)));
                    let _ = timeout(SEND_TIMEOUT, close).await;
                    return;
                }
                Ok(false) => {}
                Ok(true) | Err(WatchEnded) => return,
            }
            is_first = false;
            let earliest = Instant::now() + PAUSE;
            tokio::select! {
                event = timeout(SILENCE, events.next()) => {
                    are_events_over = matches!(event, Ok(None));
                }
                message = socket.recv() => if is_over(message.as_ref()) { return },
            }
            if !are_events_over {
                sleep_until(earliest).await;
            }
        }
    }

    /// The job from the first document that was not sent. Waits as long as the account has used up its
    /// requests.
    async fn look(&self, socket: &mut WebSocket) -> Result<JobSnapshot, WatchEnded> {
        loop {
            let range = DocumentRange { skip: self.sent, limit: None };
            let error = match snapshot(&self.session, self.kind, &self.id, &range).await {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            let Some(pause) = error.repeat_after() else {
                let message = json!({"type": "error", "error": error.message});
                send(socket, message.to_string()).await?;
                return Err(WatchEnded);
            };
            let pause = sleep(pause.min(MAX_PAUSE));
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    message = socket.recv() => if is_over(message.as_ref()) { return Err(WatchEnded) },
                }
            }
        }
    }

    /// Sends what is new. Returns whether the job has ended.
    async fn report(&mut self, socket: &mut WebSocket, is_first: bool) -> Result<bool, WatchEnded> {
        let mut catches_up = is_first;
        loop {
            let JobSnapshot { state, members, documents, has_more } = self.look(socket).await?;
            self.sent += documents.len() as u64;
            let status = |data: Value| {
                let mut all = members.clone();
                all.remove("next");
                all.insert("data".to_owned(), data);
                Value::Object(all)
            };
            if catches_up {
                // The end has its own message: a client stops at a state that is final.
                let mut first = status(json!(documents));
                first["status"] = "scraping".into();
                let message = off_runtime(|| json!({"type": "catchup", "data": first}).to_string());
                send(socket, message).await?;
                catches_up = false;
            } else {
                for document in &documents {
                    let message =
                        off_runtime(|| json!({"type": "document", "data": document}).to_string());
                    send(socket, message).await?;
                }
            }
            if has_more {
                continue;
            }
            if state == "scraping" {
                return Ok(false);
            }
            let kind = if state == "completed" { "done" } else { "catchup" };
            send(socket, json!({"type": kind, "data": status(json!([]))}).to_string()).await?;
            let _ = timeout(SEND_TIMEOUT, socket.send(Message::Close(None))).await;
            return Ok(true);
        }
    }
}

/// Whether the client has closed the connection.
fn is_over(message: Option<&Result<Message, axum::Error>>) -> bool {
    matches!(message, Some(Ok(Message::Close(_)) | Err(_)) | None)
}

async fn send(socket: &mut WebSocket, message: String) -> Result<(), WatchEnded> {
    match timeout(SEND_TIMEOUT, socket.send(Message::Text(message.into()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(WatchEnded),
    }
}
