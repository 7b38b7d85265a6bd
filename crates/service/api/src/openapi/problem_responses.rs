//! Error responses in the OpenAPI document.

use std::collections::BTreeMap;

use contract::{Credits, FieldError, Problem, ProblemCode};
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use super::example;
use crate::api_error::{docs_url, status};

/// Declares the error codes of a route, for its `responses(…)`.
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

/// One response per status, with an example per code.
pub(crate) fn responses(codes: &[ProblemCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<ProblemCode>> = BTreeMap::new();
    // Authentication also checks the account.
    let suspended = codes.contains(&ProblemCode::Unauthorized)
        && !codes.contains(&ProblemCode::AccountSuspended);
    for code in codes.iter().chain(suspended.then_some(&ProblemCode::AccountSuspended)) {
        by_status.entry(status(*code).as_u16()).or_default().push(*code);
    }
    by_status
        .into_iter()
        .map(|(status, codes)| (status.to_string(), RefOr::T(response(status, &codes))))
        .collect()
}

fn response(status: u16, codes: &[ProblemCode]) -> Response {
    let meanings: Vec<_> =
        codes.iter().map(|code| format!("`{code}`: {}", code.guide().meaning)).collect();
    let examples = codes.iter().map(|code| {
        let value = serde_json::to_value(problem(*code)).ok();
        (code.as_str(), ExampleBuilder::new().summary(code.guide().meaning).value(value).build())
    });
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .examples_from_iter(examples)
        .build();
    let mut response =
        ResponseBuilder::new().description(meanings.join(" ")).content("application/json", content);
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

fn problem(code: ProblemCode) -> Problem {
    let mut problem = Problem {
        code,
        message: code.guide().meaning.to_owned(),
        request_id: example::request_id(),
        docs: docs_url(example::PUBLIC_URL, code),
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
