//! `abort_run`: stops a run.

use contract::{JobId, PublicJob};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, get_run, job_id, read, schema, writing};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

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
    let properties = json!({"job_id": job_id()});
    define(NAME, "Stop a run", ABOUT, &properties, &["job_id"])
        .with_annotations(writing().destructive(true).idempotent(true).open_world(false))
        .with_raw_output_schema(schema::response::<PublicJob>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let AbortRunArguments { job_id } = read(arguments)?;
    let job: PublicJob = session.post(&format!("/v1/jobs/{job_id}/abort"), &json!({})).await?;
    Ok(get_run::result(&job))
}
