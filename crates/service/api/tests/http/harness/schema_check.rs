//! Checks responses against the OpenAPI document.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use http::Method;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::ApiReply;

/// The document of a server, and the compiled schemas of its responses: compiling one takes longer
/// than most requests.
#[derive(Debug)]
pub struct SchemaCheck {
    document: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl SchemaCheck {
    pub fn new(document: Value) -> Self {
        Self { document, validators: Mutex::default() }
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().expect("no test panics with it");
        let compile = || {
            let mut schema = schema.clone();
            schema["components"] = self.document["components"].clone();
            let options = jsonschema::options().should_validate_formats(true);
            Arc::new(options.build(&schema).expect("the document's schemas are schemas"))
        };
        Arc::clone(validators.entry(schema.to_string()).or_insert_with(compile))
    }

    fn conforms(&self, schema: &Value, answer: &ApiReply) {
        let errors: Vec<_> = self
            .validator(schema)
            .iter_errors(&answer.body)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{} does not match the document: {errors:#?}", answer.text);
    }
}

/// Panics if the response does not match the document. Responses of paths and methods that are not
/// in the document are checked against the shape of errors only.
pub fn check_against_document(
    schemas: &SchemaCheck,
    method: &Method,
    path: &str,
    answer: &ApiReply,
) {
    let path = path.split('?').next().unwrap_or_default();
    let id = answer.header("x-request-id").expect("every answer has a request id");
    // HEAD has no body, and browsers get error pages of downloads as HTML.
    let is_page = path.starts_with("/downloads/")
        && answer.header("content-type") == Some("text/html; charset=utf-8");
    let has_json = *method != Method::HEAD && !is_page;
    // OAuth endpoints return OAuth errors; 404 and 405 are ordinary problems.
    let speaks_oauth = ["/oauth/token", "/oauth/register", "/oauth/revoke"].contains(&path)
        && !matches!(answer.status, 404 | 405);
    if answer.status >= 400 && speaks_oauth {
        schemas.conforms(&json!({"$ref": "#/components/schemas/OauthError"}), answer);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    } else if answer.status >= 400 && has_json {
        assert_eq!(answer.body["request_id"], id, "request_id equals X-Request-Id");
        let page = format!("https://trawl.example/docs/errors#{}", answer.body["code"]);
        assert_eq!(answer.body["docs"], page.replace('"', ""), "docs is the URL of the code");
        schemas.conforms(&json!({"$ref": "#/components/schemas/Problem"}), answer);
    }
    let Some(operation) = operation(&schemas.document, method, path) else { return };
    let response = &operation["responses"][answer.status.to_string()];
    assert!(
        response.is_object(),
        "{method} {path} returned {}, which is not in the document: {}",
        answer.status,
        answer.text
    );
    for (name, _) in response["headers"].as_object().into_iter().flatten() {
        let may_miss = name == "Idempotent-Replayed"
            // A suspended account does not lack a scope.
            || (name == "WWW-Authenticate" && answer.code() == "account_suspended")
            || (name.starts_with("RateLimit") && matches!(answer.status, 500 | 503));
        assert!(may_miss || answer.header(name).is_some(), "{method} {path} lacks {name}");
    }
    let Some(content) = response["content"].as_object().filter(|_| has_json) else { return };
    let media_type = answer.header("content-type").and_then(|kind| kind.split(';').next());
    let declared = media_type.and_then(|media_type| content.get(media_type));
    let declared = declared.unwrap_or_else(|| panic!("{method} {path} returned {media_type:?}"));
    if media_type == Some("application/json") {
        schemas.conforms(&declared["schema"], answer);
    }
}

fn operation<'d>(document: &'d Value, method: &Method, path: &str) -> Option<&'d Value> {
    let paths = document["paths"].as_object().expect("paths");
    let (_, item) = paths.iter().find(|(template, _)| matches(template, path))?;
    let operation = &item[method.as_str().to_lowercase()];
    operation.is_object().then_some(operation)
}

fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template
            .iter()
            .zip(&path)
            .all(|(part, given)| part == given || (part.starts_with('{') && !given.is_empty()))
}
