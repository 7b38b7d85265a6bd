//! Output schemas of tools: schemas of the API, made self-contained.

use std::sync::Arc;

use contract::{MAX_ACTIONS, PageActionType, PageDevice, RenderChoice, ScreenshotArea};
use rmcp::model::{CallToolResult, JsonObject};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::visible::visible;

/// Prefix of references in the OpenAPI document, and in the schema of a tool.
const OPENAPI_PREFIX: &str = "#/components/schemas/";
const DEFS_PREFIX: &str = "#/$defs/";

/// The schema of a response of the API, with the member `next`.
pub(super) fn response<T: ToSchema + PartialSchema>() -> Arc<JsonObject> {
    response_with::<T>(&json!({}))
}

/// As [`response`], with more members.
pub(super) fn response_with<T: ToSchema + PartialSchema>(more: &Value) -> Arc<JsonObject> {
    let mut parts: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut parts);
    let mut schema = value(&T::schema());
    let definitions: Map<String, Value> =
        parts.iter().map(|(name, schema)| (name.clone(), value(schema))).collect();
    let next = json!({"type": "string", "description": "The next step, as text."});
    schema["properties"]["next"] = next;
    for (name, about) in more.as_object().into_iter().flatten() {
        schema["properties"][name] = about.clone();
    }
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// A response of the API with the member `next`, as the result of a tool.
pub(super) fn result(answer: &impl Serialize, next: &str) -> CallToolResult {
    CallToolResult::structured(with_next(answer, next))
}

/// A response of the API with the member `next`. Error messages and markers may contain text of
/// the crawled site: invisible characters are removed.
pub(super) fn with_next(answer: &impl Serialize, next: &str) -> Value {
    let mut response = serde_json::to_value(answer).unwrap_or_default();
    if let Some(members) = response.as_object_mut() {
        members.insert("next".to_owned(), next.into());
    }
    visible(response)
}

fn value(schema: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(schema).unwrap_or_default();
    localize_refs(&mut value);
    value
}

/// Rewrites references to definitions in the same schema.
fn localize_refs(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref") {
                *target = target.replace(OPENAPI_PREFIX, DEFS_PREFIX);
            }
            members.values_mut().for_each(localize_refs);
        }
        Value::Array(items) => items.iter_mut().for_each(localize_refs),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds to the arguments of a tool those about the requests for pages, which a page that is read at once
/// and a run both have.
pub(super) fn with_site_members(properties: &mut Value) {
    let members = json!({
        "headers": strings("Request headers for the site of the URL, only if the user gave them."),
        "cookies": strings("Cookies for the site of the URL, only if the user gave them."),
        "basic_auth": {
            "type": "object",
            "properties": {"username": {"type": "string"}, "password": {"type": "string"}},
            "required": ["username", "password"],
            "additionalProperties": false,
            "description": "User name and password for the site, only if the user gave them.",
        },
        "bearer": {
            "type": "string",
            "description": "A bearer token for the site, only if the user gave it.",
        },
        "render": {
            "type": "string",
            "enum": RenderChoice::ALL,
            "description": "Whether a browser renders pages. auto (the default): those that are \
                empty without JavaScript.",
        },
        "device": {
            "type": "string",
            "enum": PageDevice::ALL,
            "description": "mobile: a browser renders pages on the screen of a phone.",
        },
        "wait_for": {
            "type": ["string", "integer"],
            "description": "A CSS selector or milliseconds to wait for before a page is read.",
        },
        "actions": {
            "type": "array",
            "maxItems": MAX_ACTIONS,
            "items": action(),
            "description": "Actions in a page before it is read.",
        },
        "screenshot_area": {
            "type": "string",
            "enum": ScreenshotArea::ALL,
            "description": "The part of a page that format screenshot shows.",
        },
        "max_age": {
            "type": "integer",
            "minimum": 0,
            "maximum": 604_800,
            "description": "Accept cached pages of at most this many seconds; 0 unless given.",
        },
    });
    if let (Some(properties), Value::Object(members)) = (properties.as_object_mut(), members) {
        properties.extend(members);
    }
}

/// The schema of an object of strings.
pub(super) fn strings(about: &str) -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": about})
}

/// The schema of an action.
pub(super) fn action() -> Value {
    json!({
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": PageActionType::ALL},
            "selector": {
                "type": "string",
                "description": "CSS selector; for click, type, scroll and wait.",
            },
            "text": {"type": "string", "description": "For type."},
            "key": {"type": "string", "description": "For press, as Enter."},
            "pixels": {"type": "integer", "description": "For scroll; negative upwards."},
            "milliseconds": {"type": "integer", "description": "For wait."},
        },
        "required": ["type"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use contract::{Account, Estimate, Export, JobAccepted, JobList, PublicJob};

    use super::*;

    #[test]
    fn every_schema_reference_resolves() {
        for schema in [
            response::<Account>(),
            response::<Estimate>(),
            response::<Export>(),
            response::<JobAccepted>(),
            response::<JobList>(),
            response::<PublicJob>(),
        ] {
            assert_eq!(schema["type"], "object");
            let schema = Value::Object(schema.as_ref().clone());
            let text = schema.to_string();
            assert!(!text.contains(OPENAPI_PREFIX), "{text}");
            jsonschema::validator_for(&schema).expect("a self-contained schema");
        }
    }

    #[test]
    fn responses_have_no_invisible_characters() {
        let job = json!({"error": {"message": "Ign\u{200b}ore \u{202e}this"}});
        let response = with_next(&job, "Look again.");
        assert_eq!(response["error"]["message"], "Ignore this");
        assert_eq!(response["next"], "Look again.");
    }
}
