//! `trawl watch` against a server: the events of a job.

use std::io::ErrorKind;
use std::time::Duration;

use axum::http::StatusCode;
use client::{ApiCallError, SseStream};
use contract::{JobId, JobProgress};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::cli::WatchArgs;
use crate::commands::Exit;
use crate::commands::connection::{ServerConnection, is_transient};
use crate::commands::job;
use crate::commands::watch::{ProgressDisplay, exit_of};

/// Time without an event after which the stream is opened again: the connection may be broken.
const SILENCE: Duration = Duration::from_secs(60);

/// Time before the stream is opened again.
const RECONNECT: Duration = Duration::from_secs(2);

pub async fn watch(server: &ServerConnection, args: &WatchArgs) -> anyhow::Result<Exit> {
    let id: JobId = args.id.parse().map_err(|_| job::missing(&args.id))?;
    let mut display = ProgressDisplay::new(args.json);
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        last = follow(server, &id, &mut display, |now| now.status.is_final()) => {
            let exit = last?.and_then(|last| exit_of(last.status));
            // Without a last state, the reader closed the pipe, as `head` does.
            Ok(exit.unwrap_or(Exit::Done))
        }
        _ = interrupt.recv() => Ok(display.interrupted(&args.id)),
    }
}

/// Shows the progress of a job until `is_last`; returns the last state, or nothing if the reader of
/// standard output is gone. Waits for a server that was reached before.
pub async fn follow(
    server: &ServerConnection,
    id: &JobId,
    display: &mut ProgressDisplay,
    is_last: fn(&JobProgress) -> bool,
) -> anyhow::Result<Option<JobProgress>> {
    let path = format!("/v1/jobs/{id}/events");
    let (mut was_reached, mut is_unavailable) = (false, false);
    loop {
        match server.open_stream(&path, "text/event-stream").await {
            Ok(response) => {
                (was_reached, is_unavailable) = (true, false);
                let mut events = SseStream::of(response);
                while let Ok(Some(event)) = timeout(SILENCE, events.next()).await {
                    let Ok(now) = serde_json::from_str::<JobProgress>(&event.data) else {
                        continue;
                    };
                    match display.show(&now) {
                        Ok(()) => {}
                        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(None),
                        Err(error) => return Err(error.into()),
                    }
                    if is_last(&now) {
                        return Ok(Some(now));
                    }
                }
            }
            Err(ApiCallError::Problem { status: StatusCode::NOT_FOUND, .. }) => {
                return Err(job::missing(id.as_str()).into());
            }
            Err(error) if was_reached && is_transient(&error) => {
                if !is_unavailable {
                    eprintln!("trawl: waiting for the server: {error}");
                }
                is_unavailable = true;
            }
            Err(error) => return Err(server.failure(error)),
        }
        sleep(RECONNECT).await;
    }
}
