//! Follows a job over a WebSocket, as the watchers of the official clients do.
//!
//! The first message is the state with the documents so far (`catchup`), then each further document
//! (`document`), and the end (`done`, or the state again if the job failed or was cancelled). The
//! events of the API say when to look, so that its limits of streams apply.

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use client::{ApiCall, SseStream};
use runtime::off_runtime;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::job_status::{DocumentRange, JobKind, JobSnapshot, find_job, snapshot};
use crate::firecrawl_error::FirecrawlResult;
use crate::firecrawl_session::FirecrawlSession;

/// Maximum bytes of a message from the client, which has nothing to say.
const MAX_MESSAGE: usize = 4 * 1024;

/// Shortest time between two looks at a job.
const PAUSE: Duration = Duration::from_secs(1);

/// Time in which a client must take a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

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
                Ok(false) if !are_events_over => {}
                Ok(_) | Err(WatchEnded) => return,
            }
            is_first = false;
            sleep(PAUSE).await;
            tokio::select! {
                event = timeout(SILENCE, events.next()) => {
                    are_events_over = matches!(event, Ok(None));
                }
                message = socket.recv() => match message {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                },
            }
        }
    }

    /// Sends what is new. Returns whether the job has ended.
    async fn report(&mut self, socket: &mut WebSocket, is_first: bool) -> Result<bool, WatchEnded> {
        let mut catches_up = is_first;
        loop {
            let range = DocumentRange { skip: self.sent, limit: None };
            let found = snapshot(&self.session, self.kind, &self.id, &range).await;
            let JobSnapshot { state, members, documents, has_more } = match found {
                Ok(found) => found,
                Err(error) => {
                    let message = json!({"type": "error", "error": error.message});
                    send(socket, message.to_string()).await?;
                    return Err(WatchEnded);
                }
            };
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

async fn send(socket: &mut WebSocket, message: String) -> Result<(), WatchEnded> {
    match timeout(SEND_TIMEOUT, socket.send(Message::Text(message.into()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(WatchEnded),
    }
}
