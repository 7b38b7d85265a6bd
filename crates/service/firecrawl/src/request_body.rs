//! Bodies of requests: received within limits, and checked against the tables of fields.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use contract::{FieldError, unknown_field};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::FirecrawlState;
use crate::firecrawl_error::FirecrawlError;
use crate::request_field::{FieldTable, FieldTreatment};

/// The members of a JSON body.
#[derive(Debug)]
pub(crate) struct FirecrawlBody(pub Map<String, Value>);

impl FromRequest<Arc<FirecrawlState>> for FirecrawlBody {
    type Rejection = FirecrawlError;

    async fn from_request(
        request: Request,
        state: &Arc<FirecrawlState>,
    ) -> Result<Self, FirecrawlError> {
        let settings = &state.settings;
        let received = to_bytes(request.into_body(), settings.body_bytes);
        let bytes = match timeout(settings.body_timeout, received).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                let message = format!("the body is larger than {} bytes", settings.body_bytes);
                return Err(FirecrawlError::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "PAYLOAD_TOO_LARGE",
                    message,
                ));
            }
            Err(_) => {
                return Err(FirecrawlError::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "REQUEST_TIMEOUT",
                    "timeout while receiving the body",
                ));
            }
        };
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            Ok(_) | Err(_) => {
                let message = "the body is not a JSON object";
                Err(FirecrawlError::new(
                    StatusCode::BAD_REQUEST,
                    "BAD_REQUEST_INVALID_JSON",
                    message,
                ))
            }
        }
    }
}

/// The mapped members of `given`. Adds an error for each member that is in no table or that its
/// table refuses; `path` is the prefix of their names.
pub(crate) fn mapped_members(
    given: Map<String, Value>,
    tables: &[&FieldTable],
    path: &str,
    errors: &mut Vec<FieldError>,
) -> Map<String, Value> {
    let fields = || tables.iter().flat_map(|table| table.fields);
    let mut mapped = Map::new();
    for (name, value) in given {
        let Some(field) = fields().find(|field| field.name == name) else {
            let error = unknown_field(&name, fields().map(|field| field.name));
            errors.push(FieldError::new(format!("{path}{}", error.field), error.message));
            continue;
        };
        if is_empty(&value) {
            continue;
        }
        if !field.treatment.accepts(&value) {
            let message = match field.treatment {
                FieldTreatment::Only(accepted) => {
                    format!("is supported as {accepted} only: {}", field.meaning)
                }
                _ => format!("is not supported: {}", field.meaning),
            };
            errors.push(FieldError::new(format!("{path}{name}"), message));
        } else if field.treatment == FieldTreatment::Mapped {
            mapped.insert(name, value);
        }
    }
    mapped
}

/// Clients send empty values for fields that their users left out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request_field::{COMMON, SCRAPE};

    fn read(body: Value) -> (Value, Vec<String>) {
        let Value::Object(members) = body else { panic!("an object") };
        let mut errors = Vec::new();
        let mapped = mapped_members(members, &[&COMMON, &SCRAPE], "a.", &mut errors);
        let errors = errors.into_iter().map(|error| format!("{} {}", error.field, error.message));
        (Value::Object(mapped), errors.collect())
    }

    #[test]
    fn refused_and_unknown_fields_are_errors_with_their_names() {
        let (mapped, errors) =
            read(json!({"url": "u", "lockdown": true, "minAge": 5, "urll": 1, "origin": "x"}));
        assert_eq!(mapped, json!({"url": "u"}));
        assert_eq!(
            errors,
            [
                "a.lockdown is supported as false only: pages are not read from an index",
                "a.minAge is not supported: pages are not read from an index",
                "a.urll is not known; did you mean url?",
            ]
        );
    }

    #[test]
    fn empty_values_count_as_omitted() {
        let body = json!({"url": "u", "location": {}, "threatProtection": [], "minAge": null,
            "useMock": " ", "formats": []});
        assert_eq!(read(body), (json!({"url": "u"}), Vec::new()));
    }
}
