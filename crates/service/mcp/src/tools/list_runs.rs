//! `list_runs`: the runs of the account.

use contract::{JobList, Mode, Status};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{read, schema};
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "list_runs";

/// Runs in an answer: as many as a model looks through.
const PAGE_SIZE: u64 = 20;

const ABOUT: &str = "Lists the runs of the account, newest first, twenty at a time: their job_id, \
    mode, URL, status, counts and credits. Use it when the user speaks of an earlier crawl, or \
    when a job_id was lost. Filter by status or mode; page 2 and on are older. Free. Next: get_run \
    or read_results with a job_id of the list.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    status: Option<Status>,
    mode: Option<Mode>,
    page: Option<u64>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "status": {
                "type": "string",
                "enum": Status::ALL,
                "description": "Only runs with this status.",
            },
            "mode": {
                "type": "string",
                "enum": Mode::ALL,
                "description": "Only runs of this mode.",
            },
            "page": {
                "type": "integer",
                "minimum": 1,
                "description": "Which page; 1 unless given.",
            },
        },
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new().read_only(true).idempotent(true).open_world(true);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("List runs")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<JobList>(&json!({})))
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let Arguments { status, mode, page } = read(arguments)?;
    let page = page.unwrap_or(1);
    let mut path = format!("/v1/jobs?page={page}&page_size={PAGE_SIZE}");
    if let Some(status) = status {
        path.push_str(&format!("&status={status}"));
    }
    if let Some(mode) = mode {
        path.push_str(&format!("&mode={mode}"));
    }
    let list: JobList = desk.get(&path).await?;
    let next = if page.saturating_mul(PAGE_SIZE) < list.total {
        format!("There are more: ask for page {}.", page.saturating_add(1))
    } else {
        "These are all. Look at one with get_run.".to_owned()
    };
    Ok(CallToolResult::structured(schema::with_next(&list, &next)))
}
