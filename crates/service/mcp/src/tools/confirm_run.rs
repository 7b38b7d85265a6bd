//! `confirm_run`: continues a run that waits for confirmation.

use contract::{Confirm, Credits, JobId, PublicJob};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, get_run, job_id, read, schema, writing};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "confirm_run";

const ABOUT: &str = "Continues a run that waits for confirmation. There are three cases. Status \
    awaiting_confirmation: the site is behind bot protection, and continuing costs the higher \
    credit_per_unit that get_run shows. Status paused with batch_ready true: a batch is full; \
    pass continue_batch true for the next one. Status paused with error credits_exhausted: \
    call this after credits were added. Continuing spends credits: ask the user before you call this, and name the \
    price. To stop instead, call abort_run. Next: get_run with wait_seconds.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfirmRunArguments {
    job_id: JobId,
    continue_batch: Option<bool>,
    max_credit_per_unit: Option<Credits>,
    max_credits: Option<Credits>,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
        "job_id": job_id(),
        "continue_batch": {
            "type": "boolean",
            "description": "True to start the next batch; only when batch_ready is true.",
        },
        "max_credit_per_unit": {
            "type": "integer",
            "minimum": 1,
            "description": "Raises the maximum credits per unit, so that a later stop \
                for bot protection is not needed.",
        },
        "max_credits": {
            "type": "integer",
            "minimum": 1,
            "description": "Raises the budget of the run; required when the run waits because \
                its max_credits is used up.",
        },
    });
    // A second call is rejected because the run no longer waits.
    define(NAME, "Continue a waiting run", ABOUT, &properties, &["job_id"])
        .with_annotations(writing().destructive(false).idempotent(false).open_world(true))
        .with_raw_output_schema(schema::response::<PublicJob>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let ConfirmRunArguments { job_id, continue_batch, max_credit_per_unit, max_credits } =
        read(arguments)?;
    let confirm = Confirm { continue_batch, max_credit_per_unit, max_credits };
    let job: PublicJob = session.post(&format!("/v1/jobs/{job_id}/confirm"), &confirm).await?;
    Ok(get_run::result(&job))
}
