//! `confirm_run`: the answer to what a run waits for.

use contract::{Confirm, Credits, JobId, PublicJob};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{get_run, job_id, read, schema};
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "confirm_run";

const ABOUT: &str = "Lets a run go on that stopped to ask. Three stops are answered by it. Status \
    awaiting_confirmation: the site is behind bot protection, and going on costs the higher \
    credit_per_unit that get_run shows. Status paused with batch_ready true: a batch is full; \
    pass continue_batch true for the next one. Status paused with error credits_exhausted: \
    credits were added. Going on spends credits: ask the user before you call this, and name the \
    price. To stop instead, call abort_run. Next: get_run with wait_seconds.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    job_id: JobId,
    continue_batch: Option<bool>,
    max_credit_per_unit: Option<Credits>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "job_id": job_id(),
            "continue_batch": {
                "type": "boolean",
                "description": "True to start the next batch; only when batch_ready is true.",
            },
            "max_credit_per_unit": {
                "type": "integer",
                "minimum": 1,
                "description": "Raises what a unit may cost from now on, so that a later stop \
                    for bot protection is not needed.",
            },
        },
        "required": ["job_id"],
        "additionalProperties": false,
    });
    // A second call finds a run that does not wait any more, and is refused.
    let hints = ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(true);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Let a waiting run go on")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<PublicJob>(&json!({})))
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let Arguments { job_id, continue_batch, max_credit_per_unit } = read(arguments)?;
    let confirm = Confirm { continue_batch, max_credit_per_unit };
    let job: PublicJob = desk.post(&format!("/v1/jobs/{job_id}/confirm"), &confirm).await?;
    Ok(get_run::told(&job))
}
