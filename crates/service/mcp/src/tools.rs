//! The tools, a file each: how a model is told of it, and what it does.

mod abort_run;
mod confirm_run;
mod estimate_run;
mod export_results;
mod get_account;
mod get_run;
mod list_runs;
mod list_skipped;
pub(crate) mod read_results;
mod schema;
mod start_run;

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::line::Line;
use crate::trouble::Trouble;

/// Every tool, in the order in which a run needs them.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        estimate_run::tool(),
        start_run::tool(),
        get_run::tool(),
        confirm_run::tool(),
        abort_run::tool(),
        read_results::tool(),
        list_skipped::tool(),
        export_results::tool(),
        list_runs::tool(),
        get_account::tool(),
    ]
}

/// Calls a tool; `None` when there is none of that name.
pub(crate) async fn call(
    name: &str,
    arguments: JsonObject,
    desk: &Desk,
    line: &mut Line,
) -> Option<Result<CallToolResult, Trouble>> {
    Some(match name {
        estimate_run::NAME => estimate_run::call(desk, arguments).await,
        start_run::NAME => start_run::call(desk, arguments).await,
        get_run::NAME => get_run::call(desk, arguments, line).await,
        confirm_run::NAME => confirm_run::call(desk, arguments).await,
        abort_run::NAME => abort_run::call(desk, arguments).await,
        read_results::NAME => read_results::call(desk, arguments).await,
        list_skipped::NAME => list_skipped::call(desk, arguments).await,
        export_results::NAME => export_results::call(desk, arguments).await,
        list_runs::NAME => list_runs::call(desk, arguments).await,
        get_account::NAME => get_account::call(desk, arguments).await,
        _ => return None,
    })
}

/// The arguments of a tool as it reads them.
fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Trouble::Arguments(error.to_string()))
}

/// The one argument that most tools have.
fn job_id() -> Value {
    json!({
        "type": "string",
        "pattern": "^job_[0-9a-f]{32}$",
        "description": "The run, as start_run or list_runs named it.",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_tool_explains_itself() {
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
            // What a description sends a model to is there.
            for word in about.split(|c: char| !(c.is_ascii_lowercase() || c == '_')) {
                let is_tool = ["estimate_", "start_", "get_", "confirm_", "abort_", "read_"]
                    .iter()
                    .any(|verb| word.starts_with(verb));
                assert!(!is_tool || names.contains(word), "{name} speaks of {word}");
            }
        }
    }

    #[test]
    fn the_documentation_names_every_tool_and_every_prompt() {
        let page = include_str!("../../../../docs/mcp.md");
        for tool in all() {
            assert!(page.contains(&format!("| `{}` |", tool.name)), "{} is missing", tool.name);
        }
        for prompt in crate::prompts::all() {
            assert!(page.contains(&format!("`{}`", prompt.name)), "{} is missing", prompt.name);
        }
    }

    #[test]
    fn tools_are_told_as_they_were() {
        let told: Vec<_> = all()
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
        insta::assert_json_snapshot!(told);
    }
}
