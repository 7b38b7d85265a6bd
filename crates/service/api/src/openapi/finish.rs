//! Completes the OpenAPI document: common headers and responses, examples, links, and the limits of
//! the settings.

use serde_json::{Map, Value, json};

use super::{error_responses, examples};
use crate::ApiSettings;

/// Whether an operation of the document with this `security` needs a credential.
pub(crate) fn is_secured(security: Option<&Value>) -> bool {
    security.and_then(Value::as_array).is_some_and(|needs| {
        needs.iter().any(|need| need.as_object().is_some_and(|n| !n.is_empty()))
    })
}

/// Adds common headers, patterns and limits to the document.
pub(super) fn finish(mut document: Value, settings: &ApiSettings) -> Value {
    for operation in operations(&mut document) {
        let secured = is_secured(operation.get("security"));
        error_responses::add(operation, secured);
        common_headers(operation, secured);
        for parameter in array(operation.get_mut("parameters")) {
            remove_null(parameter);
            limit(parameter, settings);
        }
        // An optional body can be omitted; it cannot be null.
        let body = operation.get_mut("requestBody");
        let body = body.and_then(|body| body.pointer_mut("/content/application~1json"));
        if let Some(body) = body.and_then(Value::as_object_mut) {
            remove_null(body);
        }
        examples::add(operation);
    }
    add_links(&mut document);
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    if let Some(schemas) = schemas {
        request_schemas(schemas, settings);
    }
    document
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|methods| methods.values_mut())
        .filter_map(Value::as_object_mut)
}

fn array(value: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    value.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn property<'s>(
    schemas: &'s mut Map<String, Value>,
    schema: &str,
    name: &str,
) -> Option<&'s mut Map<String, Value>> {
    schemas.get_mut(schema)?.get_mut("properties")?.get_mut(name)?.as_object_mut()
}

fn common_headers(operation: &mut Map<String, Value>, secured: bool) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for (status, response) in responses.into_iter().flatten() {
        let Some(response) = response.as_object_mut() else { continue };
        let headers = response.entry("headers").or_insert_with(|| json!({}));
        let Some(headers) = headers.as_object_mut() else { continue };
        let mut add = |name: &str, about: &str| {
            let header = json!({"description": about, "schema": {"type": "string"}});
            headers.insert(name.to_owned(), header);
        };
        add("X-Request-Id", "The id of the request, as in error bodies and in the log.");
        if secured && status == "403" {
            add("WWW-Authenticate", "`Bearer` with the required scope.");
        }
        if secured && status != "401" {
            add("RateLimit", "Remaining requests, and seconds until the limit is reset.");
            add("RateLimit-Policy", "Requests per minute.");
        }
    }
}

/// Links from the responses that create something to the operations on it.
fn add_links(document: &mut Value) {
    for (response, id, next) in [
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "get_job"),
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "get_results"),
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "watch_job"),
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "get_skipped"),
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "confirm_job"),
        ("/paths/~1v1~1jobs/post/responses/202", "job_id", "abort_job"),
        ("/paths/~1v1~1lists/post/responses/201", "list_id", "get_list"),
        ("/paths/~1v1~1lists/post/responses/201", "list_id", "remove_list"),
        ("/paths/~1v1~1schedules/post/responses/201", "id", "get_schedule"),
        ("/paths/~1v1~1schedules/post/responses/201", "id", "change_schedule"),
        ("/paths/~1v1~1schedules/post/responses/201", "id", "run_schedule"),
        ("/paths/~1v1~1schedules/post/responses/201", "id", "remove_schedule"),
        ("/paths/~1api-keys/post/responses/201", "id", "revoke_key"),
        ("/paths/~1v1~1webhooks/post/responses/201", "id", "change_webhook"),
        ("/paths/~1v1~1webhooks/post/responses/201", "id", "list_deliveries"),
        ("/paths/~1v1~1webhooks/post/responses/201", "id", "test_webhook"),
        ("/paths/~1v1~1webhooks/post/responses/201", "id", "remove_webhook"),
    ] {
        let Some(response) = document.pointer_mut(response).and_then(Value::as_object_mut) else {
            continue;
        };
        let links = response.entry("links").or_insert_with(|| json!({}));
        let from = format!("$response.body#/{id}");
        links[next] = json!({"operationId": next, "parameters": {"id": from}});
    }
}

/// Removes null: a parameter can be omitted, but not null.
fn remove_null(place: &mut Map<String, Value>) {
    let Some(schema) = place.get_mut("schema") else { return };
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            schema["type"] = only;
        }
    }
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let choice = choices.and_then(|choices| choices.iter().find(|choice| choice["type"] != "null"));
    if let Some(choice) = choice.cloned() {
        *schema = choice;
    }
}

fn limit(parameter: &mut Map<String, Value>, settings: &ApiSettings) {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else { return };
    match name.as_str() {
        "page_size" => {
            schema.insert("maximum".to_owned(), json!(settings.limits.page_size_max));
        }
        "source" => {
            schema.insert("enum".to_owned(), json!(settings.sources));
        }
        "from" | "to" => {
            let either = json!([{"format": "date"}, {"format": "date-time"}]);
            schema.insert("anyOf".to_owned(), either);
        }
        _ => {}
    }
}

/// Constraints of request bodies.
fn request_schemas(schemas: &mut Map<String, Value>, settings: &ApiSettings) {
    let mut sources: Vec<Value> = settings.sources.iter().map(|word| json!(word)).collect();
    sources.push(Value::Null);
    let contacts = settings.modes.iter().any(|mode| mode.visits_domains());
    for (schema, member, keyword, value) in [
        ("CreateJob", "mode", "enum", json!(settings.modes)),
        ("CreateJob", "domains", "maxItems", json!(settings.limits.domains_per_job)),
        // The derive drops `minimum` of a member that refers to another schema.
        ("CreateJob", "max_credit_per_unit", "minimum", json!(1)),
        ("Confirm", "max_credit_per_unit", "minimum", json!(1)),
        ("CreateWebhook", "events", "uniqueItems", json!(true)),
        ("JobWebhook", "events", "uniqueItems", json!(true)),
        ("ChangeWebhook", "events", "uniqueItems", json!(true)),
        ("CreateKey", "source", "enum", Value::Array(sources)),
    ] {
        if let Some(property) = property(schemas, schema, member) {
            property.insert(keyword.to_owned(), value);
        }
    }
    if let Some(estimate) = schemas.get_mut("CreateEstimate") {
        let given = |member: &str, kind: &str| json!({"required": [member], "properties": {member: {"type": kind}}});
        estimate["if"] = json!({"properties": {"mode": {"const": "contacts"}}});
        estimate["then"] =
            json!({"anyOf": [given("url", "string"), given("domain_count", "integer")]});
        estimate["else"] = given("url", "string");
    }
    let Some(create) = schemas.get_mut("CreateJob") else { return };
    create["if"] = json!({
        "required": ["on_protected"],
        "properties": {"on_protected": {"const": "auto"}},
    });
    create["then"] = json!({
        "required": ["max_credit_per_unit"],
        "properties": {"max_credit_per_unit": {"type": "integer"}},
    });
    if !contacts {
        create["required"] = json!(["mode", "url"]);
        create["properties"]["url"]["type"] = json!("string");
        create["properties"]["domains"] = json!({
            "type": "null",
            "description": "`contacts` only, which this service does not offer.",
        });
    }
}
