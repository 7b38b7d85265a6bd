//! Rejects query parameters that the OpenAPI document does not list for the operation.
//!
//! Unknown parameters are errors, like unknown members of a body: a mistyped `pagesize` would
//! otherwise be ignored.

use std::collections::HashMap;

use axum::extract::MatchedPath;
use axum::http::Method;
use axum::http::request::Parts;
use contract::{FieldError, unknown_field};
use serde_json::Value;
use url::form_urlencoded;

use crate::api_error::{ApiError, ApiResult};
use crate::openapi::is_secured;

/// Paths where unknown parameters are ignored: OAuth requires it (RFC 6749, sections 3.1 and 3.2),
/// trackers add parameters to links to pages, and health checks add one against caches.
const LENIENT_PATHS: &[&str] = &[
    "/oauth/authorization",
    "/oauth/token",
    "/oauth/revoke",
    "/oauth/register",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/bot",
    "/top-up",
    "/healthz",
    "/readyz",
];

/// Maximum number of unknown parameters in an error.
const MAX_ERRORS: usize = 20;

/// The operations, by path and method.
#[derive(Debug, Default)]
pub(crate) struct QueryNames(HashMap<String, HashMap<String, QueryOperation>>);

#[derive(Debug)]
struct QueryOperation {
    names: Vec<String>,
    /// Parameters with keys, as `filter` of `filter[url]`. The handler checks the keys.
    keyed: Vec<String>,
    /// Whether it needs a credential: then parameters are checked after authentication.
    secured: bool,
}

impl QueryNames {
    /// Reads the query parameters of all operations from the OpenAPI document.
    pub fn of(document: &Value) -> Self {
        let paths = document["paths"].as_object().into_iter().flatten();
        let paths = paths.filter(|(path, _)| !LENIENT_PATHS.contains(&path.as_str()));
        let operations = paths.map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            let operations = methods.map(|(method, operation)| {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let query: Vec<_> =
                    parameters.filter(|parameter| parameter["in"] == "query").collect();
                let name = |parameter: &&Value| parameter["name"].as_str().map(str::to_owned);
                let names = query.iter().filter_map(name).collect();
                let keyed = query.iter().filter(|parameter| parameter["style"] == "deepObject");
                let keyed = keyed.filter_map(name).collect();
                let secured = is_secured(operation.get("security"));
                (method.to_uppercase(), QueryOperation { names, keyed, secured })
            });
            (path.clone(), operations.collect())
        });
        Self(operations.collect())
    }

    /// Rejects unknown parameters of the request, if the operation needs a credential (`secured`) or
    /// needs none (not `secured`).
    pub fn check(&self, parts: &Parts, secured: bool) -> ApiResult<()> {
        let (Some(query), Some(path)) = (parts.uri.query(), parts.extensions.get::<MatchedPath>())
        else {
            return Ok(());
        };
        let Some(methods) = self.0.get(path.as_str()) else { return Ok(()) };
        // HEAD requests are served by the operation of GET.
        let method = if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() };
        let Some(operation) = methods.get(method.as_str()) else { return Ok(()) };
        if operation.secured != secured {
            return Ok(());
        }
        let known = &operation.names;
        let given = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        let is_keyed = |name: &str| {
            name.split_once('[').is_some_and(|(name, _)| operation.keyed.iter().any(|k| k == name))
        };
        let unknown_names =
            given.filter(|name| !known.iter().any(|known| known == name) && !is_keyed(name));
        let errors: Vec<FieldError> = unknown_names
            .take(MAX_ERRORS)
            .map(|name| unknown_field(&name, known.iter().map(String::as_str)))
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(ApiError::invalid(errors)) }
    }
}
