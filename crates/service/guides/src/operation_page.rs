//! The page of an operation.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::example_requests::curl;
use crate::openapi_document::{ApiOperation, members, pretty, text};
use crate::schema_page::{field_table, fields};
use crate::schema_text::{cell, limits_after, type_of};

/// Maximum bytes of an example of a response.
const MAX_EXAMPLE_BYTES: usize = 6 * 1024;

/// The Markdown of the page of an operation.
pub(crate) fn markdown(operation: &ApiOperation, described: &Value, openapi: &Value) -> String {
    let ApiOperation { method, path, summary, id, .. } = operation;
    let title = if summary.is_empty() { id } else { summary };
    let mut page = format!("# {title}\n\n`{method} {path}`\n\n");
    let about = text(&described["description"]);
    if !about.is_empty() {
        let _ = write!(page, "{about}\n\n");
    }
    page.push_str(&credential(operation, described));
    parameters(&mut page, described);
    request_body(&mut page, &described["requestBody"], openapi);
    let _ = write!(page, "\n## Example\n\n```sh\n{}\n```\n", curl(operation));
    responses(&mut page, &described["responses"]);
    page
}

/// The credential that an operation needs, as a sentence.
fn credential(operation: &ApiOperation, described: &Value) -> String {
    if !operation.is_secured {
        return "No credential is needed.\n".to_owned();
    }
    let needs = described["security"].as_array().into_iter().flatten();
    let mut names: Vec<String> = Vec::new();
    let mut scopes: Vec<String> = Vec::new();
    for (name, of_name) in needs.filter_map(Value::as_object).flat_map(Map::iter) {
        names.push(match name.as_str() {
            "api_key" => "an API key".to_owned(),
            "session" => "an account session".to_owned(),
            "oauth" => "an access token of an application".to_owned(),
            other => other.replace('_', " "),
        });
        scopes.extend(of_name.as_array().into_iter().flatten().map(|it| format!("`{}`", text(it))));
    }
    scopes.sort();
    scopes.dedup();
    let mut sentence = format!("Needs {}", names.join(", or "));
    if !scopes.is_empty() {
        let _ = write!(sentence, " (scope {})", scopes.join(", "));
    }
    sentence.push_str(".\n");
    sentence
}

fn parameters(page: &mut String, described: &Value) {
    let Some(parameters) = described["parameters"].as_array().filter(|list| !list.is_empty())
    else {
        return;
    };
    page.push_str("\n## Parameters\n\n| name | in | type | meaning |\n|---|---|---|---|\n");
    for parameter in parameters {
        let required = if parameter["required"] == true { "Required. " } else { "" };
        let schema = &parameter["schema"];
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {required}{}{} |",
            text(&parameter["name"]),
            text(&parameter["in"]),
            cell(&type_of(schema)),
            cell(&text(&parameter["description"])),
            limits_after(schema),
        );
    }
}

fn request_body(page: &mut String, body: &Value, openapi: &Value) {
    if body.is_null() {
        return;
    }
    page.push_str("\n## Request body\n\n");
    for (kind, content) in members(&body["content"]) {
        let schema = &content["schema"];
        let _ = write!(page, "`{kind}`: {}\n\n", type_of(schema));
        let table = field_table(&fields(resolved(schema, openapi)));
        page.push_str(&table);
    }
}

/// The schema that a reference names, or the schema itself.
fn resolved<'d>(schema: &'d Value, openapi: &'d Value) -> &'d Value {
    let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) else {
        return schema;
    };
    &openapi["components"]["schemas"][name]
}

fn responses(page: &mut String, responses: &Value) {
    page.push_str("\n## Responses\n\n| status | body | meaning |\n|---|---|---|\n");
    for (status, response) in members(responses) {
        let bodies: Vec<_> = members(&response["content"])
            .map(|(kind, content)| match type_of(&content["schema"]) {
                schema if kind == "application/json" && !schema.is_empty() => schema,
                _ => format!("`{kind}`"),
            })
            .collect();
        let about = text(&response["description"]);
        let _ = writeln!(page, "| {status} | {} | {} |", cell(&bodies.join(" or ")), cell(&about));
    }
    let good = members(responses).find(|(status, _)| status.starts_with('2'));
    let json = good.map(|(_, response)| &response["content"]["application/json"]);
    let Some(example) = json.and_then(example).map(|value| pretty(&value)) else { return };
    if example.len() <= MAX_EXAMPLE_BYTES {
        let _ = write!(page, "\n### Example of a response\n\n```json\n{example}\n```\n");
    }
}

/// The example of a body: its only one, or the first of several.
pub(crate) fn example(content: &Value) -> Option<Value> {
    let only = &content["example"];
    if !only.is_null() {
        return Some(only.clone());
    }
    let (_, first) = members(&content["examples"]).next()?;
    Some(first["value"].clone()).filter(|value| !value.is_null())
}
