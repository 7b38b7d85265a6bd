//! `get_run`: shows a run, or waits until it stops.

use std::time::Duration;

use contract::{JobId, JobProgress, PublicJob, Status};
use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{define, job_id, read, read_only, schema};
use crate::api_session::ApiSession;
use crate::next_steps;
use crate::progress_reporter::ProgressReporter;
use crate::tool_error::{ToolError, ToolResult};

pub(super) const NAME: &str = "get_run";

/// Maximum seconds that one call waits.
const MAX_WAIT_SECONDS: u64 = 300;

const ABOUT: &str = "Shows the state of a run: status, pages found, results ready, credits used, and \
    in next what to do about it. With wait_seconds it waits, reports progress meanwhile, and \
    returns as soon as the run ends or needs an answer: use that instead of calling again and \
    again. Status queued and running: it continues. awaiting_confirmation and paused: it waits for \
    confirm_run or abort_run. completed, failed and aborted: it has ended. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GetRunArguments {
    job_id: JobId,
    wait_seconds: Option<u64>,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
        "job_id": job_id(),
        "wait_seconds": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_WAIT_SECONDS,
            "description": "Seconds to wait for the run to end or to need an answer; 0 unless \
                given. Many clients give up on a tool after 60 seconds: 50 is a good value.",
        },
    });
    define(NAME, "Show a run, or wait for it", ABOUT, &properties, &["job_id"])
        .with_annotations(read_only(true))
        .with_raw_output_schema(schema::response::<PublicJob>())
}

pub(super) async fn call(
    session: &ApiSession,
    arguments: JsonObject,
    reporter: &mut ProgressReporter,
) -> ToolResult {
    let GetRunArguments { job_id, wait_seconds } = read(arguments)?;
    let wait = wait_seconds.unwrap_or(0);
    if wait > MAX_WAIT_SECONDS {
        return Err(ToolError::Arguments(format!(
            "wait_seconds: at most {MAX_WAIT_SECONDS}; call again"
        )));
    }
    let job = if wait > 0 {
        wait_until_stopped(session, &job_id, Duration::from_secs(wait), reporter).await?
    } else {
        fetch_job(session, &job_id).await?
    };
    Ok(result(&job))
}

async fn fetch_job(session: &ApiSession, job: &JobId) -> ToolResult<PublicJob> {
    session.get(&format!("/v1/jobs/{job}")).await
}

/// The result of all tools that return a run: the job and the next step.
pub(super) fn result(job: &PublicJob) -> CallToolResult {
    schema::result(job, &next_steps::for_run(job))
}

/// Waits until the run ends or needs an answer. Returns its current state after `timeout`, when
/// the client cancels, or when this process shuts down.
async fn wait_until_stopped(
    session: &ApiSession,
    job: &JobId,
    timeout: Duration,
    reporter: &mut ProgressReporter,
) -> ToolResult<PublicJob> {
    let until = Instant::now() + timeout;
    let Some(mut events) = session.watch(job).await? else { return fetch_job(session, job).await };
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = sleep_until(until) => None,
            () = reporter.cancelled() => None,
            () = session.closing.cancelled() => None,
        };
        let Some(event) = event else { return fetch_job(session, job).await };
        // Ignore events of an unknown format.
        let Ok(progress) = serde_json::from_str::<JobProgress>(&event.data) else { continue };
        if is_active(progress.status) {
            reporter.report(&progress).await;
            continue;
        }
        // Just after a confirmation, the first event may still report the stop before it.
        let now = fetch_job(session, job).await?;
        if progress.status == now.status {
            reporter.report(&progress).await;
        }
        if !is_active(now.status) {
            return Ok(now);
        }
    }
}

fn is_active(status: Status) -> bool {
    match status {
        Status::Queued | Status::Running => true,
        Status::AwaitingConfirmation
        | Status::Paused
        | Status::Completed
        | Status::Failed
        | Status::Aborted => false,
    }
}
