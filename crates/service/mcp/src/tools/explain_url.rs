//! `explain_url`: why a run delivered, skipped or never found a URL.

use contract::{ExplainUrl, JobId, UrlExplanation};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::json;

use super::{define, job_id, read, read_only, schema};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "explain_url";

const ABOUT: &str = "Explains what a run did with one URL: delivered, skipped with the reason, \
    pending, or never found, with the page that links to it and every rule of the run applied to \
    it: scope, filter by path, depth, traps, robots.txt. Use it when the user misses a page. \
    list_skipped shows all skipped URLs instead. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplainUrlArguments {
    job_id: JobId,
    url: String,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
        "job_id": job_id(),
        "url": {
            "type": "string",
            "maxLength": 8192,
            "description": "The URL, or a path of the site such as /blog/post.",
        },
    });
    define(NAME, "Explain a URL of a run", ABOUT, &properties, &["job_id", "url"])
        .with_annotations(read_only(true))
        .with_raw_output_schema(schema::response::<UrlExplanation>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let ExplainUrlArguments { job_id, url } = read(arguments)?;
    let body = ExplainUrl { url };
    let path = format!("/v1/jobs/{job_id}/explain");
    let explanation: UrlExplanation = session.post(&path, &body).await?;
    let next = "To include the URL, start_run again with the scope or options that the failing check \
                names. To read the results: read_results.";
    Ok(schema::result(&explanation, next))
}
