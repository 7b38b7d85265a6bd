//! The tools, one file each: description, schemas and call.

mod abort_run;
mod confirm_run;
mod delete_run;
mod estimate_run;
mod explain_url;
mod export_results;
mod get_account;
mod get_run;
mod list_runs;
mod list_skipped;
mod map_site;
mod read_page;
pub(crate) mod read_results;
mod run_arguments;
mod schema;
mod start_run;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::api_session::ApiSession;
use crate::progress_reporter::ProgressReporter;
use crate::tool_error::{ToolError, ToolResult};

/// All tools, in the order in which a run needs them.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        read_page::tool(),
        map_site::tool(),
        estimate_run::tool(),
        start_run::tool(),
        get_run::tool(),
        confirm_run::tool(),
        abort_run::tool(),
        read_results::tool(),
        list_skipped::tool(),
        explain_url::tool(),
        export_results::tool(),
        list_runs::tool(),
        delete_run::tool(),
        get_account::tool(),
    ]
}

/// Calls a tool; `None` if the name is unknown.
pub(crate) async fn call(
    name: &str,
    arguments: JsonObject,
    session: &ApiSession,
    progress: &mut ProgressReporter,
) -> Option<ToolResult> {
    Some(match name {
        read_page::NAME => read_page::call(session, arguments).await,
        map_site::NAME => map_site::call(session, arguments).await,
        estimate_run::NAME => estimate_run::call(session, arguments).await,
        start_run::NAME => start_run::call(session, arguments).await,
        get_run::NAME => get_run::call(session, arguments, progress).await,
        confirm_run::NAME => confirm_run::call(session, arguments).await,
        abort_run::NAME => abort_run::call(session, arguments).await,
        read_results::NAME => read_results::call(session, arguments).await,
        list_skipped::NAME => list_skipped::call(session, arguments).await,
        explain_url::NAME => explain_url::call(session, arguments).await,
        export_results::NAME => export_results::call(session, arguments).await,
        delete_run::NAME => delete_run::call(session, arguments).await,
        list_runs::NAME => list_runs::call(session, arguments).await,
        get_account::NAME => get_account::call(session, arguments).await,
        _ => return None,
    })
}

/// A tool whose input is an object with these members.
fn define(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    properties: &Value,
    required: &[&str],
) -> Tool {
    let mut input =
        json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        input["required"] = json!(required);
    }
    Tool::new(name, about, rmcp::model::object(input)).with_title(title)
}

/// The annotations of a tool that changes something.
fn writing() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false)
}

/// The annotations of a tool that changes nothing.
fn read_only(is_open_world: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).idempotent(true).open_world(is_open_world)
}

/// A result as text only: structured content would repeat it and fill the context of some clients
/// twice.
fn as_text(result: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(result.to_string())])
}

/// Deserializes the arguments of a tool.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> ToolResult<T> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::Arguments(error.to_string()))
}

/// The schema of the argument `job_id`.
fn job_id() -> Value {
    json!({
        "type": "string",
        "pattern": "^job_[0-9a-f]{32}$",
        "description": "The run, as returned by start_run or list_runs.",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_tool_has_description_title_and_schema() {
        let names: BTreeSet<_> = all().iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names.len(), all().len(), "a name is given twice");
        for tool in all() {
            let name = tool.name.as_ref();
            let about = tool.description.as_deref().unwrap_or_default();
            assert!(about.len() > 120, "{name} says too little");
            assert!(tool.title.is_some(), "{name}");
            let hints = tool.annotations.as_ref().expect("hints");
            assert!(hints.read_only_hint.is_some() && hints.open_world_hint.is_some(), "{name}");
            let schema = tool.schema_as_json_value();
            jsonschema::validator_for(&schema).expect("a schema");
            assert_eq!(schema["additionalProperties"], false, "{name}");
            for (member, about) in schema["properties"].as_object().expect("members") {
                assert!(about["description"].is_string(), "{name}: {member} is not described");
            }
            // Every tool that a description mentions exists.
            for word in about.split(|c: char| !(c.is_ascii_lowercase() || c == '_')) {
                let is_tool =
                    ["estimate_", "start_", "get_", "confirm_", "abort_", "delete_", "read_"]
                        .iter()
                        .any(|verb| word.starts_with(verb));
                assert!(!is_tool || names.contains(word), "{name} speaks of {word}");
            }
        }
    }

    #[test]
    fn documentation_lists_every_tool_and_prompt() {
        let page = include_str!("../../../../docs/mcp.md");
        for tool in all() {
            assert!(page.contains(&format!("| `{}` |", tool.name)), "{} is missing", tool.name);
        }
        for prompt in crate::prompts::all() {
            assert!(page.contains(&format!("`{}`", prompt.name)), "{} is missing", prompt.name);
        }
    }

    #[test]
    fn tool_annotations_match_snapshot() {
        let annotations: Vec<_> = all()
            .into_iter()
            .map(|tool| {
                let hints = tool.annotations.expect("hints");
                json!({
                    "name": tool.name,
                    "read_only": hints.read_only_hint,
                    "destructive": hints.destructive_hint,
                    "idempotent": hints.idempotent_hint,
                    "open_world": hints.open_world_hint,
                    "has_output_schema": tool.output_schema.is_some(),
                })
            })
            .collect();
        insta::assert_json_snapshot!(annotations);
    }
}
