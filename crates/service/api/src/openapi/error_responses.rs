//! Error responses in the OpenAPI document.
//!
//! Most errors of an operation follow from its credential, path and body. A route lists its other
//! problems in the extension `x-problems`, and an OAuth endpoint its errors in `x-oauth-errors`.

use std::collections::BTreeMap;

use contract::{OauthErrorCode, ProblemCode};
use serde_json::{Map, Value, json};

use super::examples;
use crate::api_error::{docs_url, status};

/// Adds the error responses of an operation: one per status, with an example per code.
pub(super) fn add(operation: &mut Map<String, Value>, secured: bool) {
    let mut listed = |name: &str| operation.shift_remove(name).unwrap_or_default();
    let own: Vec<ProblemCode> = serde_json::from_value(listed("x-problems")).unwrap_or_default();
    let oauth: Vec<OauthErrorCode> =
        serde_json::from_value(listed("x-oauth-errors")).unwrap_or_default();
    let mut codes = if secured { common_problems(operation) } else { Vec::new() };
    codes.extend(own);
    // Authentication also checks the account.
    if codes.contains(&ProblemCode::Unauthorized) {
        codes.push(ProblemCode::AccountSuspended);
    }
    let mut by_status: BTreeMap<u16, Vec<ProblemCode>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status(code).as_u16()).or_default().push(code);
    }
    let mut added: BTreeMap<u16, Value> = by_status
        .into_iter()
        .map(|(status, codes)| (status, problem_response(status, &codes)))
        .collect();
    added.extend(oauth_responses(&oauth));
    // Requests of one address are limited, except health checks.
    let id = operation.get("operationId").and_then(Value::as_str);
    if !matches!(id, Some("healthz" | "readyz")) {
        added.entry(429).or_insert_with(|| problem_response(429, &[ProblemCode::RateLimited]));
    }
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    if let Some(responses) = responses {
        responses
            .extend(added.into_iter().map(|(status, response)| (status.to_string(), response)));
    }
}

/// The problems of every operation with such a credential, path and body. All of them reject
/// unknown query parameters.
fn common_problems(operation: &Map<String, Value>) -> Vec<ProblemCode> {
    let entries = |name: &str| operation.get(name).and_then(Value::as_array).into_iter().flatten();
    let mut codes = vec![
        ProblemCode::Unauthorized,
        ProblemCode::ValidationFailed,
        ProblemCode::RateLimited,
        ProblemCode::ServerError,
        ProblemCode::Unavailable,
    ];
    // Keys have scopes and limits, sessions have none.
    if entries("security").any(|need| need.get("api_key").is_some()) {
        codes.push(ProblemCode::Forbidden);
    }
    if entries("parameters").any(|parameter| parameter["in"] == "path") {
        codes.push(ProblemCode::NotFound);
    }
    if operation.contains_key("requestBody") {
        codes.extend([
            ProblemCode::InvalidJson,
            ProblemCode::RequestTimeout,
            ProblemCode::PayloadTooLarge,
            ProblemCode::UnsupportedMediaType,
        ]);
    }
    codes
}

fn problem_response(status: u16, codes: &[ProblemCode]) -> Value {
    let examples = codes.iter().map(|code| {
        let meaning = code.guide().meaning;
        let mut problem = Map::from_iter([
            ("code".to_owned(), json!(code)),
            ("message".to_owned(), json!(meaning)),
            ("request_id".to_owned(), json!("req_01a1de8ac9c07b2bab2b2b2b2b2b2b2b")),
            ("docs".to_owned(), json!(docs_url("https://trawl.example", *code))),
        ]);
        problem.extend(examples::problem_members(*code));
        (code.as_str(), meaning, Value::Object(problem))
    });
    response(status, "Problem", "`Bearer`.", examples)
}

/// The errors of an OAuth endpoint, and those that all of them have.
fn oauth_responses(listed: &[OauthErrorCode]) -> impl Iterator<Item = (u16, Value)> {
    let (client, wrong): (Vec<_>, Vec<_>) =
        listed.iter().copied().partition(|code| *code == OauthErrorCode::InvalidClient);
    let common = [
        (408, vec![OauthErrorCode::InvalidRequest]),
        (413, vec![OauthErrorCode::InvalidRequest]),
        (415, vec![OauthErrorCode::InvalidRequest]),
        (429, vec![OauthErrorCode::TemporarilyUnavailable]),
        (500, vec![OauthErrorCode::ServerError]),
        (503, vec![OauthErrorCode::TemporarilyUnavailable]),
    ];
    let common = common.into_iter().filter(|_| !wrong.is_empty());
    let all: Vec<_> = [(400, wrong.clone()), (401, client)].into_iter().chain(common).collect();
    all.into_iter().filter(|(_, codes)| !codes.is_empty()).map(|(status, codes)| {
        let examples = codes.into_iter().map(|code| {
            let meaning = oauth_meaning(code);
            (code.as_str(), meaning, json!({"error": code, "error_description": meaning}))
        });
        (status, response(status, "OauthError", "`Basic`.", examples))
    })
}

/// A response whose examples are a code, its meaning and a body each.
fn response(
    status: u16,
    schema: &str,
    challenge: &str,
    examples: impl Iterator<Item = (&'static str, &'static str, Value)>,
) -> Value {
    let (mut meanings, mut shown) = (Vec::new(), Map::new());
    for (code, meaning, value) in examples {
        meanings.push(format!("`{code}`: {meaning}"));
        shown.insert(code.to_owned(), json!({"summary": meaning, "value": value}));
    }
    let content = json!({
        "schema": {"$ref": format!("#/components/schemas/{schema}")},
        "examples": shown,
    });
    let mut response =
        json!({"description": meanings.join(" "), "content": {"application/json": content}});
    let header = match status {
        401 => Some(("WWW-Authenticate", "string", challenge)),
        429 | 503 => Some(("Retry-After", "integer", "Seconds to wait.")),
        _ => None,
    };
    if let Some((name, kind, about)) = header {
        response["headers"] = json!({name: {"description": about, "schema": {"type": kind}}});
    }
    response
}

/// The description of a code.
fn oauth_meaning(code: OauthErrorCode) -> &'static str {
    match code {
        OauthErrorCode::InvalidRequest => "The request is malformed, too large or too slow.",
        OauthErrorCode::InvalidClient => "The application is unknown, or its secret is wrong.",
        OauthErrorCode::InvalidGrant => {
            "The code or token is unknown, expired, used or of another application."
        }
        OauthErrorCode::UnauthorizedClient => "The application may not do this.",
        OauthErrorCode::UnsupportedGrantType => "The grant_type is not supported.",
        OauthErrorCode::UnsupportedResponseType => "The response_type is not supported.",
        OauthErrorCode::InvalidScope => "A scope that is unknown or was not granted.",
        OauthErrorCode::InvalidTarget => "A resource that is not of this service.",
        OauthErrorCode::InvalidRedirectUri => "A redirect URI that cannot be registered.",
        OauthErrorCode::InvalidClientMetadata => "Client metadata that cannot be registered.",
        OauthErrorCode::AccessDenied => "The user denied the request.",
        OauthErrorCode::ServerError => "Internal error; give the request id to the operator.",
        OauthErrorCode::TemporarilyUnavailable => "Temporarily unavailable; retry later.",
    }
}
