//! `get_run`: where a run is, and waiting for it.

use std::time::Duration;

use contract::{JobId, JobProgress, PublicJob, Status};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::{job_id, read, schema};
use crate::advice;
use crate::desk::Desk;
use crate::line::Line;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "get_run";

/// Nobody waits longer in one call.
const LONGEST: u64 = 300;

const ABOUT: &str = "Tells where a run is: status, pages found, results ready, credits used, and \
    in next what to do about it. With wait_seconds it waits, reports progress meanwhile, and \
    returns as soon as the run is over or needs an answer: use that instead of calling again and \
    again. Status queued and running: it goes on. awaiting_confirmation and paused: it waits for \
    confirm_run or abort_run. completed, failed and aborted: it is over. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    job_id: JobId,
    wait_seconds: Option<u64>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "job_id": job_id(),
            "wait_seconds": {
                "type": "integer",
                "minimum": 0,
                "maximum": LONGEST,
                "description": "How long to wait for the run to end or to need an answer; 0 unless \
                    given. Many clients give up on a tool after 60 seconds: 50 is a good value.",
            },
        },
        "required": ["job_id"],
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(true);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Look at a run, or wait for it")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<PublicJob>(&json!({})))
}

pub(super) async fn call(
    desk: &Desk,
    arguments: JsonObject,
    line: &mut Line,
) -> Result<CallToolResult, Trouble> {
    let Arguments { job_id, wait_seconds } = read(arguments)?;
    let wait = wait_seconds.unwrap_or(0);
    if wait > LONGEST {
        return Err(Trouble::Arguments(format!("wait_seconds: at most {LONGEST}; call again")));
    }
    let job = if wait > 0 {
        settled(desk, &job_id, Duration::from_secs(wait), line).await?
    } else {
        look(desk, &job_id).await?
    };
    Ok(told(&job))
}

async fn look(desk: &Desk, job: &JobId) -> Result<PublicJob, Trouble> {
    desk.get(&format!("/v1/jobs/{job}")).await
}

/// A run with what comes next, as every tool tells it that has one in its hands.
pub(super) fn told(job: &PublicJob) -> CallToolResult {
    CallToolResult::structured(schema::with_next(job, &advice::on_run(job)))
}

/// The run when it is over or needs an answer, or as it is when `patience` ends, the client does
/// not want to know any more, or this process ends.
async fn settled(
    desk: &Desk,
    job: &JobId,
    patience: Duration,
    line: &mut Line,
) -> Result<PublicJob, Trouble> {
    let until = Instant::now() + patience;
    let Some(mut events) = desk.watch(job).await? else { return look(desk, job).await };
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = sleep_until(until) => None,
            () = line.hung_up() => None,
            () = desk.closes() => None,
        };
        let Some(event) = event else { return look(desk, job).await };
        // An event that cannot be read tells nothing.
        let Ok(progress) = serde_json::from_str::<JobProgress>(&event.data) else { continue };
        if goes_on(progress.status) {
            line.tell(&progress).await;
            continue;
        }
        // Just after an answer, the first event may still tell of the stop before it.
        let now = look(desk, job).await?;
        if progress.status == now.status {
            line.tell(&progress).await;
        }
        if !goes_on(now.status) {
            return Ok(now);
        }
    }
}

fn goes_on(status: Status) -> bool {
    match status {
        Status::Queued | Status::Running => true,
        Status::AwaitingConfirmation
        | Status::Paused
        | Status::Completed
        | Status::Failed
        | Status::Aborted => false,
    }
}
