//! `export_results`: a file for the user.

use contract::{CreateExport, Export, ExportFormat, JobId};
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::{job_id, read, schema};
use crate::desk::Desk;
use crate::trouble::Trouble;

pub(super) const NAME: &str = "export_results";

const ABOUT: &str = "Makes a download link for all results of a run as one file. Give the link to \
    the user: it works once, without a key, and only for a short time (expires_at). Do not open \
    it yourself, or it is used up; read_results is for you. Formats: xlsx and csv for \
    spreadsheets, json for programs, md for Markdown documents or a table, xml for a sitemap \
    (modes links and sitemap). Works while the run goes on, with what there is. Free.";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    job_id: JobId,
    format: ExportFormat,
    table: Option<String>,
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "job_id": job_id(),
            "format": {
                "type": "string",
                "enum": ExportFormat::ALL,
                "description": "What the file is.",
            },
            "table": {
                "type": "string",
                "enum": ["companies", "people", "products", "variants"],
                "description": "csv only: companies (the default) or people in contacts, products \
                    (the default) or variants in products. xlsx holds all of them.",
            },
        },
        "required": ["job_id", "format"],
        "additionalProperties": false,
    });
    // Each call makes another link; none of them changes the run.
    let hints = ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false);
    Tool::new(NAME, ABOUT, rmcp::model::object(input))
        .with_title("Make a file of the results")
        .with_annotations(hints)
        .with_raw_output_schema(schema::answer::<Export>(&json!({})))
}

pub(super) async fn call(desk: &Desk, arguments: JsonObject) -> Result<CallToolResult, Trouble> {
    let Arguments { job_id, format, table } = read(arguments)?;
    let body = CreateExport { format, table };
    let export: Export = desk.post(&format!("/v1/jobs/{job_id}/export"), &body).await?;
    let next = "Give url to the user as it is: it is good for one download.";
    Ok(CallToolResult::structured(schema::with_next(&export, next)))
}
