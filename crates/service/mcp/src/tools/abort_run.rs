//! `abort_run`: stops a run.

use contract::{JobId, PublicJob};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{get_run, job_id, read, schema};
use crate::api_session::ApiSession;
use crate::tool_error::ToolError;

pub(super) const NAME: &str = "abort_run";

const ABOUT: &str = "Stops a run for good. Delivered results stay readable with \
    read_results; nothing more is fetched or charged. A stopped run cannot be continued, \
    only started again. Use it when the user has seen enough, or instead of confirm_run when the price \
    is too high. Stopping a stopped run again changes nothing; a run that is completed \
    or failed cannot be stopped.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AbortRunArguments {
    job_id: JobId,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {"job_id": job_id()},
        "required": ["job_id"],
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Stop a run")
        .with_annotations(hints)
        .with_raw_output_schema(schema::response::<PublicJob>(&json!({})))
}

pub(super) async fn call(
    session: &ApiSession,
    arguments: JsonObject,
) -> Result<CallToolResult, ToolError> {
    let AbortRunArguments { job_id } = read(arguments)?;
    let job: PublicJob = session.post(&format!("/v1/jobs/{job_id}/abort"), &json!({})).await?;
    Ok(get_run::result(&job))
}
