//! OAuth error responses in the OpenAPI document.

use std::collections::BTreeMap;

use contract::{OauthError, OauthErrorCode};
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

/// Declares the OAuth errors of an endpoint, for its `responses(…)`. Errors of all endpoints are
/// added.
macro_rules! oauth_refusals {
    ($name:ident: $($code:ident),+ $(,)?) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                crate::openapi::oauth_responses(&[$(contract::OauthErrorCode::$code),+])
            }
        }
    };
}
pub(crate) use oauth_refusals;

/// The responses with their examples.
pub(crate) fn oauth_responses(wrong: &[OauthErrorCode]) -> BTreeMap<String, RefOr<Response>> {
    let common: [(u16, &[OauthErrorCode]); 6] = [
        (408, &[OauthErrorCode::InvalidRequest]),
        (413, &[OauthErrorCode::InvalidRequest]),
        (415, &[OauthErrorCode::InvalidRequest]),
        (429, &[OauthErrorCode::TemporarilyUnavailable]),
        (500, &[OauthErrorCode::ServerError]),
        (503, &[OauthErrorCode::TemporarilyUnavailable]),
    ];
    let unauthenticated = wrong.contains(&OauthErrorCode::InvalidClient);
    let unauthenticated = unauthenticated.then_some((401, [OauthErrorCode::InvalidClient]));
    let wrong: Vec<_> =
        wrong.iter().copied().filter(|code| *code != OauthErrorCode::InvalidClient).collect();
    let mut all: Vec<(u16, &[OauthErrorCode])> = vec![(400, &wrong)];
    all.extend(unauthenticated.as_ref().map(|(status, codes)| (*status, codes.as_slice())));
    all.extend(common);
    all.into_iter()
        .map(|(status, codes)| (status.to_string(), RefOr::T(response(status, codes))))
        .collect()
}

fn response(status: u16, codes: &[OauthErrorCode]) -> Response {
    let meanings: Vec<_> =
        codes.iter().map(|code| format!("`{code}`: {}", meaning(*code))).collect();
    let examples = codes.iter().map(|code| {
        let error = OauthError { error: *code, error_description: meaning(*code).to_owned() };
        let value = serde_json::to_value(error).ok();
        (code.as_str(), ExampleBuilder::new().summary(meaning(*code)).value(value).build())
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("OauthError")))
        .examples_from_iter(examples)
        .build();
    let response =
        ResponseBuilder::new().description(meanings.join(" ")).content("application/json", content);
    let header = match status {
        401 => Some(("WWW-Authenticate", Type::String, "`Basic`.")),
        429 | 503 => Some(("Retry-After", Type::Integer, "Seconds to wait.")),
        _ => None,
    };
    let Some((name, kind, about)) = header else { return response.build() };
    let schema = ObjectBuilder::new().schema_type(kind).build();
    let header = HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build();
    response.header(name, header).build()
}

/// The description of a code.
fn meaning(code: OauthErrorCode) -> &'static str {
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
