//! `export_results`: creates a download link for a file of the results.

use contract::{CreateExport, Export, ExportFormat, JobId};
use rmcp::model::{JsonObject, Tool};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::read_results::{filter, q};
use super::{define, job_id, read, schema, writing};
use crate::api_session::ApiSession;
use crate::tool_error::ToolResult;

pub(super) const NAME: &str = "export_results";

const ABOUT: &str = "Creates a download link for all results of a run as one file. Give the link to \
    the user: it works once, without a key, and only for a short time (expires_at). Do not open \
    it yourself, or it is used up; read_results is for you. Formats: xlsx and csv for \
    spreadsheets, json and jsonl for programs, parquet for DuckDB, pandas and other analysis \
    tools, md for Markdown documents or a table, xml for a sitemap (modes links and sitemap), llms_txt \
    and llms_full_txt for the files llms.txt and llms-full.txt (mode markdown), wacz and warc for a web \
    archive of the raw pages (cdxj is its index), if the run was started with formats raw_html. \
    Works while the run continues, with the results so far. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportResultsArguments {
    job_id: JobId,
    format: ExportFormat,
    table: Option<String>,
    q: Option<String>,
    filter: Option<Map<String, Value>>,
}

pub(super) fn tool() -> Tool {
    let properties = json!({
        "job_id": job_id(),
        "format": {
            "type": "string",
            "enum": ExportFormat::ALL,
            "description": "Format of the file.",
        },
        "table": {
            "type": "string",
            "enum": ["companies", "people", "products", "variants"],
            "description": "csv and parquet only: companies (the default) or people in contacts, \
                products (the default) or variants in products. xlsx has all of them.",
        },
        "q": q(),
        "filter": filter(),
    });
    // Each call creates another link; none of them changes the run.
    define(NAME, "Export the results as a file", ABOUT, &properties, &["job_id", "format"])
        .with_annotations(writing().destructive(false).idempotent(false).open_world(false))
        .with_raw_output_schema(schema::response::<Export>())
}

pub(super) async fn call(session: &ApiSession, arguments: JsonObject) -> ToolResult {
    let ExportResultsArguments { job_id, format, table, q, filter } = read(arguments)?;
    let body = CreateExport { format, table, q, filter };
    let export: Export = session.post(&format!("/v1/jobs/{job_id}/export"), &body).await?;
    let next = "Give url to the user unchanged: it works for one download.";
    Ok(schema::result(&export, next))
}
