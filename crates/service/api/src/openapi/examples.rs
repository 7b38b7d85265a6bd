//! Examples of the OpenAPI document, all about one job.
//!
//! `examples.json` has an example of each schema of a body, and of operations whose example
//! differs. A string `$Name` stands for the example of that schema.

use std::sync::LazyLock;

use contract::ProblemCode;
use serde_json::{Map, Value, json};

/// Invalid JSON would leave the document without examples, which a test rejects.
static EXAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

pub(super) fn of_schema(name: &str) -> Value {
    resolved(&EXAMPLES["schemas"][name])
}

/// A page of results of a mode.
pub(crate) fn results(mode: &str) -> Value {
    resolved(&EXAMPLES["results"][mode])
}

/// The members that only some problems have.
pub(super) fn problem_members(code: ProblemCode) -> Map<String, Value> {
    EXAMPLES["problems"][code.as_str()].as_object().cloned().unwrap_or_default()
}

/// Adds the examples of request and response, unless the route has its own.
pub(super) fn add(operation: &mut Map<String, Value>) {
    let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
    let own = EXAMPLES["operations"].get(id).map(resolved);
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(Map::values_mut) {
        add_to_body(response, own.as_ref());
    }
    if let Some(body) = operation.get_mut("requestBody") {
        add_to_body(body, None);
    }
}

fn add_to_body(body: &mut Value, own: Option<&Value>) {
    let contents = body.get_mut("content").and_then(Value::as_object_mut);
    for content in contents.into_iter().flat_map(Map::values_mut) {
        if content.get("example").or(content.get("examples")).is_some() {
            continue;
        }
        let schema = &content["schema"];
        let of = |schema: &Value| {
            let name = schema["$ref"].as_str()?.rsplit('/').next()?;
            Some(of_schema(name)).filter(|example| !example.is_null())
        };
        let of_list = || of(&schema["items"]).map(|example| json!([example]));
        if let Some(example) = own.cloned().or_else(|| of(schema)).or_else(of_list) {
            content["example"] = example;
        }
    }
}

fn resolved(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$') {
            Some(name) => of_schema(name),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(resolved).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), resolved(member))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
