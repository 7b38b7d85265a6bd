//! `list_skipped`: lists the URLs that a run skipped, with reasons.

use contract::{JobId, SkipReason};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{as_text, define, job_id, read, read_only, read_results};
use crate::api_session::ApiSession;
use crate::result_chunk::{ChunkCursor, ChunkPaging, ChunkRequest};
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "list_skipped";

const ABOUT: &str = "Lists the URLs that a run found and did not deliver, each with its reason, and \
    counts them by reason. Use it when something is missing from the results, or when a run found \
    nothing: the reasons show which member of scope or options would include it. Read in \
    chunks as with read_results. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListSkippedArguments {
    job_id: JobId,
    reason: Option<SkipReason>,
    cursor: Option<String>,
    max_chars: Option<usize>,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
        "job_id": job_id(),
        "reason": {
            "type": "string",
            "enum": SkipReason::ALL,
            "description": "Only URLs that were skipped for this reason.",
        },
        "cursor": read_results::cursor(),
        "max_chars": read_results::max_chars(),
    });
    define(NAME, "List the skipped URLs of a run", ABOUT, &properties, &["job_id"])
        .with_annotations(read_only(true))
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let ListSkippedArguments { job_id, reason, cursor, max_chars } = read(arguments)?;
    let only = reason.map_or_else(String::new, |reason| format!("reason={reason}&"));
    let request = ChunkRequest {
        list: format!("/v1/jobs/{job_id}/skipped?{only}"),
        from: ChunkCursor::parse(cursor.as_deref())?,
        budget: read_results::budget(max_chars)?,
        fields: None,
        paging: ChunkPaging::Number,
    };
    Ok(as_text(&read_results::read_chunk(session, request).await?))
}
