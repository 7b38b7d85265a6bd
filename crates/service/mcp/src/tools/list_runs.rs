//! `list_runs`: lists the runs of the account.

use contract::{JobLabels, JobList, Mode, Status};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;
use url::form_urlencoded;

use super::{define, read, read_only, schema};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "list_runs";

/// Page size of the list of runs.
const PAGE_SIZE: u64 = 20;

const ABOUT: &str = "Lists the runs of the account, newest first, twenty at a time: their job_id, \
    mode, URL, name, tags, status, counts and credits. Use it when the user mentions an earlier \
    crawl, or when a job_id was lost. Filter by status, mode, tag or a text; page 2 and later have older runs. Free. \
    Next: get_run or read_results with a job_id of the list.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListRunsArguments {
    status: Option<Status>,
    mode: Option<Mode>,
    tag: Option<String>,
    q: Option<String>,
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
        "tag": {
            "type": "string",
            "maxLength": JobLabels::MAX_TAG_CHARS,
            "description": "Only runs with this tag.",
        },
        "q": {
            "type": "string",
            "maxLength": 200,
            "description": "Only runs whose URL or name contains this text.",
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
    let ListRunsArguments { status, mode, tag, q, page } = read(arguments)?;
    let page = page.unwrap_or(1);
    let filter = [
        ("status", status.map(|status| status.to_string())),
        ("mode", mode.map(|mode| mode.to_string())),
        ("tag", tag),
        ("q", q),
    ];
    let list: JobList = session.get(&path(page, filter)).await?;
    let next = if page.saturating_mul(PAGE_SIZE) < list.total {
        format!("There are more runs on page {}.", page.saturating_add(1))
    } else {
        "These are all runs. Show one with get_run.".to_owned()
    };
    Ok(schema::result(&list, &next))
}

fn path(page: u64, filter: [(&str, Option<String>); 4]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("page", &page.to_string());
    query.append_pair("page_size", &PAGE_SIZE.to_string());
    for (name, value) in filter {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    }
    format!("/v1/jobs?{}", query.finish())
}
