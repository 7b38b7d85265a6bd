//! `list_skipped`: what a run left out, and why.

use contract::{JobId, SkipReason};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{job_id, read, read_results};
use crate::desk::Desk;
use crate::piece::{Cursor, Reading};
use crate::trouble::Trouble;

pub(super) const NAME: &str = "list_skipped";

const ABOUT: &str = "Lists the URLs that a run met and did not deliver, each with its reason, and \
    counts them by reason. Use it when something is missing from the results, or when a run found \
    nothing: the reasons tell which switch of scope or options would have let it in. Read in \
    pieces as with read_results. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    job_id: JobId,
    reason: Option<SkipReason>,
    cursor: Option<String>,
    max_chars: Option<usize>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "job_id": job_id(),
            "reason": {
                "type": "string",
                "enum": SkipReason::ALL,
                "description": "Only URLs that were left out for this reason.",
            },
            "cursor": read_results::cursor(),
            "max_chars": read_results::max_chars(),
        },
        "required": ["job_id"],
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(true);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("See what a run left out")
        .with_annotations(hints)
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let Arguments { job_id, reason, cursor, max_chars } = read(arguments)?;
    let only = reason.map_or_else(String::new, |reason| format!("reason={reason}&"));
    let reading = Reading {
        list: format!("/v1/jobs/{job_id}/skipped?{only}"),
        from: cursor.as_deref().map_or(Ok(Cursor::default()), str::parse)?,
        budget: read_results::budget(max_chars)?,
        fields: None,
        by_offset: false,
    };
    let told = read_results::told(desk, reading).await?;
    Ok(CallToolResult::success(vec![ContentBlock::text(told.to_string())]))
}
