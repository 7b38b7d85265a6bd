//! How the document tells of refusals.

use std::collections::BTreeMap;

use contract::{Credits, FieldError, Problem, ProblemCode};
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use super::example;
use crate::fault::status;

/// Names the refusals of a route, for its `responses(…)`.
macro_rules! problems {
    ($name:ident: $($code:ident),+ $(,)?) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                crate::openapi::responses(&[$(contract::ProblemCode::$code),+])
            }
        }
    };
}
pub(crate) use problems;

/// One answer for each status, with an example for each code.
pub(crate) fn responses(codes: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<ProblemCode>> = BTreeMap::new();
    for code in codes {
        by_status.entry(status(*code).as_u16()).or_default().push(*code);
    }
    by_status
        .into_iter()
        .map(|(status, codes)| (status.to_string(), RefOr::T(response(status, &codes))))
        .collect()
}

fn response(status: u16, codes: &[ProblemCode]) -> Response {
    let told: Vec<_> = codes.iter().map(|code| format!("`{code}`: {}", meaning(*code))).collect();
    let examples = codes.iter().map(|code| {
        let value = serde_json::to_value(problem(*code)).ok();
        (code.as_str(), ExampleBuilder::new().summary(meaning(*code)).value(value).build())
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .examples_from_iter(examples)
        .build();
    let mut response =
        ResponseBuilder::new().description(told.join(" ")).content("application/json", content);
    let header = match status {
        401 => Some(("WWW-Authenticate", Type::String, "`Bearer`.")),
        429 | 503 => Some(("Retry-After", Type::Integer, "Seconds to wait.")),
        _ => None,
    };
    if let Some((name, kind, about)) = header {
        let schema = ObjectBuilder::new().schema_type(kind).build();
        let header = HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build();
        response = response.header(name, header);
    }
    response.build()
}

/// What a code says, in a sentence.
fn meaning(code: ProblemCode) -> &'static str {
    match code {
        ProblemCode::InvalidJson => "The body is not JSON, or is nested too deeply.",
        ProblemCode::Unauthorized => "The credential is missing, unknown, revoked or expired.",
        ProblemCode::InsufficientCredits => "The balance does not cover the job.",
        ProblemCode::Forbidden => "The credential does not carry the scope.",
        ProblemCode::NotFound => "There is no such thing, or it is not yours.",
        ProblemCode::MethodNotAllowed => "The path exists, the method does not.",
        ProblemCode::Gone => "It can be had no more.",
        ProblemCode::Conflict => "It does not fit the state of things.",
        ProblemCode::AwaitingConfirmation => "A job for this site waits for confirm.",
        ProblemCode::IdempotencyInProgress => "A twin of the request is being answered.",
        ProblemCode::IdempotencyKeyReused => "The Idempotency-Key was used for another body.",
        ProblemCode::PayloadTooLarge => "The body is larger than 1 MiB.",
        ProblemCode::UnsupportedMediaType => "The body is not announced as application/json.",
        ProblemCode::ValidationFailed => "Fields or parameters are wrong; errors names each.",
        ProblemCode::UrlNotResolved => "The name does not exist.",
        ProblemCode::LegalBasisRequired => "Mode contacts without legal_basis_accepted.",
        ProblemCode::RateLimited => "Too many requests, tries or jobs; retry with backoff.",
        ProblemCode::RequestTimeout => "The body took too long to arrive.",
        ProblemCode::ServerError => "Our fault; the request id helps to find out.",
        ProblemCode::Unavailable => "The database cannot be reached; try again.",
    }
}

fn problem(code: ProblemCode) -> Problem {
    let mut problem = Problem {
        code,
        message: meaning(code).to_owned(),
        request_id: example::request_id(),
        required: None,
        available: None,
        top_up_url: None,
        job_id: None,
        errors: None,
    };
    match code {
        ProblemCode::InsufficientCredits => {
            problem.required = Some(Credits(1));
            problem.available = Some(Credits::ZERO);
            problem.top_up_url = Some(example::TOP_UP_URL.to_owned());
        }
        ProblemCode::AwaitingConfirmation => problem.job_id = Some(example::job_id()),
        ProblemCode::ValidationFailed => {
            problem.errors =
                Some(vec![FieldError::new("page", "must be an integer from 1 to 1000")]);
        }
        ProblemCode::LegalBasisRequired => {
            problem.errors = Some(vec![FieldError::new("legal_basis_accepted", "must be true")]);
        }
        _ => {}
    }
    problem
}
