//! `list_runs`: lists the runs of the account.

use contract::{JobList, Mode, Status};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, read, read_only, schema};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "list_runs";

/// Page size of the list of runs.
const PAGE_SIZE: u64 = 20;

const ABOUT: &str = "Lists the runs of the account, newest first, twenty at a time: their job_id, \
    mode, URL, status, counts and credits. Use it when the user mentions an earlier crawl, or \
    when a job_id was lost. Filter by status or mode; page 2 and later have older runs. Free. \
    Next: get_run or read_results with a job_id of the list.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListRunsArguments {
    status: Option<Status>,
    mode: Option<Mode>,
    page: Option<u64>,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
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
            "description": "Page number; 1 unless given.",
        },
    });
    define(NAME, "List runs", ABOUT, &properties, &[])
        .with_annotations(read_only(true))
        .with_raw_output_schema(schema::response::<JobList>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let ListRunsArguments { status, mode, page } = read(arguments)?;
    let page = page.unwrap_or(1);
    let mut path = format!("/v1/jobs?page={page}&page_size={PAGE_SIZE}");
    if let Some(status) = status {
        path.push_str(&format!("&status={status}"));
    }
    if let Some(mode) = mode {
        path.push_str(&format!("&mode={mode}"));
    }
    let list: JobList = session.get(&path).await?;
    let next = if page.saturating_mul(PAGE_SIZE) < list.total {
        format!("There are more runs on page {}.", page.saturating_add(1))
    } else {
        "These are all runs. Show one with get_run.".to_owned()
    };
    Ok(schema::result(&list, &next))
}
