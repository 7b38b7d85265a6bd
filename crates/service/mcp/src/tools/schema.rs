//! The shape of what tools answer with: the schemas of the interface, each whole in itself.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::visible::visible;

/// Where the interface's document keeps its schemas, and where a tool does.
const THERE: &str = "#/components/schemas/";
const HERE: &str = "#/$defs/";

/// The schema of an answer of the interface, with what comes next beside it.
pub(super) fn answer<T: ToSchema + PartialSchema>(more: &Value) -> Arc<JsonObject> {
    let mut parts: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut parts);
    let mut schema = value(&T::schema());
    let definitions: Map<String, Value> =
        parts.iter().map(|(name, schema)| (name.clone(), value(schema))).collect();
    let next = json!({"type": "string", "description": "What can be done next, in words."});
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

/// An answer of the interface, with what comes next beside it. Errors and markers of a run hold
/// text of its site, of which only what a person would see is left.
pub(super) fn with_next(answer: &impl Serialize, next: &str) -> Value {
    let mut told = serde_json::to_value(answer).unwrap_or_default();
    if let Some(members) = told.as_object_mut() {
        members.insert("next".to_owned(), next.into());
    }
    visible(told)
}

fn value(schema: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(schema).unwrap_or_default();
    here(&mut value);
    value
}

/// Makes references lead to what stands in the same schema.
fn here(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(there)) = members.get_mut("$ref") {
                *there = there.replace(THERE, HERE);
            }
            members.values_mut().for_each(here);
        }
        Value::Array(items) => items.iter_mut().for_each(here),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use contract::{Account, Estimate, Export, JobAccepted, JobList, PublicJob};

    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        for schema in [
            answer::<Account>(&json!({})),
            answer::<Estimate>(&json!({})),
            answer::<Export>(&json!({})),
            answer::<JobAccepted>(&json!({})),
            answer::<JobList>(&json!({})),
            answer::<PublicJob>(&json!({})),
        ] {
            assert_eq!(schema["type"], "object");
            let schema = Value::Object(schema.as_ref().clone());
            let text = schema.to_string();
            assert!(!text.contains(THERE), "{text}");
            jsonschema::validator_for(&schema).expect("a schema that is whole in itself");
        }
    }

    #[test]
    fn answers_hold_only_what_a_person_would_see() {
        let job = json!({"error": {"message": "Ign\u{200b}ore \u{202e}this"}});
        let told = with_next(&job, "Look again.");
        assert_eq!(told["error"]["message"], "Ignore this");
        assert_eq!(told["next"], "Look again.");
    }
}
