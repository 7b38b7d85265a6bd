//! `delete_run`: deletes a run with its results.

use client::ApiCall;
use contract::JobId;
use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, job_id, read, writing};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "delete_run";

const ABOUT: &str = "Deletes a run that has ended, with its results, files and skipped URLs, at \
    once and for good; its credits stay charged. Only if the user asked to delete this run: ask \
    when in doubt. A run that has not ended must be stopped with abort_run first. list_runs has \
    the job_id.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteRunArguments {
    job_id: JobId,
}

pub(super) fn tool() -> Tool {
    let properties = json!({"job_id": job_id()});
    define(NAME, "Delete a run", ABOUT, &properties, &["job_id"])
        .with_annotations(writing().destructive(true).idempotent(true).open_world(false))
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let DeleteRunArguments { job_id } = read(arguments)?;
    session.answer(ApiCall::delete(&format!("/v1/jobs/{job_id}"))).await?.check()?;
    let next = "The run and its results are deleted. list_runs has the other runs.";
    Ok(CallToolResult::structured(json!({"job_id": job_id, "deleted": true, "next": next})))
}
