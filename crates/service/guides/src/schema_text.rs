//! Types and limits of JSON schemas as Markdown.

use serde_json::Value;

use crate::API_REFERENCE;
use crate::openapi_document::text;

/// Maximum depth of nested types in one line.
const MAX_DEPTH: usize = 4;

/// The address of the page of a schema.
pub(crate) fn schema_url(name: &str) -> String {
    format!("{API_REFERENCE}/objects/{name}")
}

/// Text for a cell of a table: one line, with `|` escaped.
pub(crate) fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The type of a schema; empty if it has none.
pub(crate) fn type_of(schema: &Value) -> String {
    type_at(schema, MAX_DEPTH)
}

fn type_at(schema: &Value, depth: usize) -> String {
    if depth == 0 {
        return "object".to_owned();
    }
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[`{name}`]({})", schema_url(name));
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let Some(choices) = schema[keyword].as_array() else { continue };
        let mut types: Vec<_> = choices.iter().map(|choice| type_at(choice, depth - 1)).collect();
        types.retain(|kind| !kind.is_empty());
        types.dedup();
        if !types.is_empty() && schema["type"].is_null() {
            return types.join(if keyword == "allOf" { " with " } else { " or " });
        }
    }
    let names: Vec<_> = match &schema["type"] {
        Value::Array(names) => names.iter().map(text).collect(),
        name => vec![text(name)],
    };
    let names = names.into_iter().map(|name| match name.as_str() {
        "array" => match type_at(&schema["items"], depth - 1) {
            items if items.is_empty() => "list".to_owned(),
            items => format!("list of {items}"),
        },
        "object" => match type_at(&schema["additionalProperties"], depth - 1) {
            values if values.is_empty() => "object".to_owned(),
            values => format!("object of {values}"),
        },
        _ => name,
    });
    names.collect::<Vec<_>>().join(" or ")
}

/// Limits, default and allowed values of a schema as sentences that begin with a space.
pub(crate) fn limits(schema: &Value) -> String {
    let mut sentences = String::new();
    let mut add = |sentence: String| {
        sentences.push(' ');
        sentences.push_str(&sentence);
    };
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<_> = values
            .iter()
            .filter(|value| !value.is_null())
            .map(|value| format!("`{}`", plain(value)))
            .collect();
        add(format!("One of {}.", values.join(", ")));
    }
    for (keyword, words) in [
        ("minimum", "At least"),
        ("maximum", "At most"),
        ("minLength", "Minimum characters:"),
        ("maxLength", "Maximum characters:"),
        ("minItems", "Minimum entries:"),
        ("maxItems", "Maximum entries:"),
    ] {
        if !schema[keyword].is_null() {
            add(format!("{words} {}.", plain(&schema[keyword])));
        }
    }
    if !schema["pattern"].is_null() {
        add(format!("Pattern `{}`.", plain(&schema["pattern"])));
    }
    if !schema["default"].is_null() {
        add(format!("Default: `{}`.", plain(&schema["default"])));
    }
    sentences
}

/// Limits of a schema and of the entries of a list, for the end of a cell.
pub(crate) fn limits_after(schema: &Value) -> String {
    let text = cell(&format!("{}{}", limits(schema), limits(&schema["items"])));
    if text.is_empty() { text } else { format!(" {text}") }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_read_aloud() {
        for (schema, expected) in [
            (json!({"type": "string"}), "string"),
            (json!({"type": ["string", "null"]}), "string or null"),
            (json!({"type": "array", "items": {"type": "integer"}}), "list of integer"),
            (json!({"$ref": "#/components/schemas/Job"}), "[`Job`](/docs/api/objects/Job)"),
            (
                json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/A"}]}),
                "null or [`A`](/docs/api/objects/A)",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                "object of string",
            ),
            (json!({}), ""),
        ] {
            assert_eq!(type_of(&schema), expected, "{schema}");
        }
        let limited = json!({"enum": ["a", null], "maximum": 5, "default": 3});
        assert_eq!(limits(&limited), " One of `a`. At most 5. Default: `3`.");
        assert_eq!(cell("a |\n b"), "a \\| b");
    }
}
