//! The page of a schema of the OpenAPI document.

use std::fmt::Write;

use serde_json::Value;

use crate::openapi_document::{members, pretty, text};
use crate::schema_text::{cell, limits, limits_after, type_of};

/// Maximum depth of `allOf` in `allOf`.
const MAX_DEPTH: usize = 4;

/// A member of an object.
#[derive(Debug)]
pub(crate) struct SchemaField<'d> {
    name: &'d str,
    schema: &'d Value,
    is_required: bool,
}

/// The Markdown of the page of a schema.
pub(crate) fn markdown(name: &str, schema: &Value) -> String {
    let mut page = format!("# {name}\n\n");
    let about = text(&schema["description"]);
    if !about.is_empty() {
        let _ = write!(page, "{about}\n\n");
    }
    let fields = fields(schema);
    if fields.is_empty() {
        let (kind, limits) = (type_of(schema), limits(schema));
        if !kind.is_empty() || !limits.is_empty() {
            let _ = write!(page, "Type: {kind}.{limits}\n\n");
        }
    }
    for keyword in ["oneOf", "anyOf"] {
        for choice in schema[keyword].as_array().into_iter().flatten() {
            choice_of(&mut page, choice);
        }
    }
    let parts = schema["allOf"].as_array().into_iter().flatten();
    for part in parts.filter(|part| !part["$ref"].is_null()) {
        let _ = write!(page, "It has all members of {}.\n\n", type_of(part));
    }
    page.push_str(&field_table(&fields));
    if let Some(example) =
        [&schema["example"], &schema["examples"][0]].into_iter().find(|it| !it.is_null())
    {
        let _ = write!(page, "\n## Example\n\n```json\n{}\n```\n", pretty(example));
    }
    page
}

/// One of the shapes of a schema: its name and members.
fn choice_of(page: &mut String, choice: &Value) {
    let constants: Vec<_> = choice["enum"].as_array().into_iter().flatten().map(text).collect();
    let about = cell(&text(&choice["description"]));
    if constants.is_empty() {
        let _ = write!(page, "- {} {about}\n\n", type_of(choice));
    } else {
        let _ = write!(page, "- `{}` {about}\n\n", constants.join("`, `"));
    }
    let fields = fields(choice);
    if !fields.is_empty() {
        page.push_str(&field_table(&fields));
        page.push('\n');
    }
}

/// The members of an object, also those of the inline parts of `allOf`.
pub(crate) fn fields(schema: &Value) -> Vec<SchemaField<'_>> {
    let mut found = Vec::new();
    collect(schema, MAX_DEPTH, &mut found);
    found
}

fn collect<'d>(schema: &'d Value, depth: usize, found: &mut Vec<SchemaField<'d>>) {
    if depth == 0 {
        return;
    }
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|one| one == name));
    for (name, schema) in members(&schema["properties"]) {
        found.push(SchemaField { name, schema, is_required: is_required(name) });
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(part, depth - 1, found);
    }
}

/// A table of members; empty without members.
pub(crate) fn field_table(fields: &[SchemaField<'_>]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut table = "| field | type | meaning |\n|---|---|---|\n".to_owned();
    for SchemaField { name, schema, is_required } in fields {
        let required = if *is_required { "Required. " } else { "" };
        let about = cell(&text(&schema["description"]));
        let _ = writeln!(
            table,
            "| `{name}` | {} | {required}{about}{} |",
            cell(&type_of(schema)),
            limits_after(schema)
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_of_all_parts_are_listed() {
        let schema = json!({
            "description": "A thing.",
            "allOf": [
                {"$ref": "#/components/schemas/Base"},
                {"required": ["a"], "properties": {
                    "a": {"type": "string", "description": "The a | b.", "enum": ["x"]},
                }},
            ],
        });
        let page = markdown("Thing", &schema);
        assert!(page.contains("It has all members of [`Base`](/docs/api/objects/Base)."), "{page}");
        assert!(page.contains("| `a` | string | Required. The a \\| b. One of `x`. |"), "{page}");
    }
}
