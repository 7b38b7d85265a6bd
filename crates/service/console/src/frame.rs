//! The frame around every page: the policy that browsers keep, and a page for each failure.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::RequestId;
use futures_util::FutureExt;
use maud::html;

use crate::{Failure, Page};

/// Nothing runs, is shown or is asked that is not a file of ours, and nobody frames us. A page
/// that needs more says so itself.
pub(crate) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// Also pictures of crawled shops, by https alone.
pub(crate) const POLICY_WITH_PICTURES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

const FIXED: [(HeaderName, HeaderValue); 4] = [
    // For browsers that do not know `frame-ancestors`.
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // Our own pages need it to tell where a form comes from; nobody else learns anything.
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Dresses every answer of the console.
pub(crate) async fn frame(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Failure::ours(format!("a panic: {cause}")).into_response()
    });
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        let mut page = page_of(&failure, id.as_ref());
        for (name, value) in response.headers() {
            if name != header::CONTENT_LENGTH {
                page.headers_mut().insert(name, value.clone());
            }
        }
        response = page;
    }
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(POLICY);
    headers.extend(FIXED);
    response
}

fn page_of(failure: &Failure, id: Option<&RequestId>) -> Response {
    match failure {
        Failure::Ours { cause } => tracing::error!(cause, "a page failed on our side"),
        Failure::Away { cause } => {
            tracing::warn!(cause, "a page was asked for while the database was away");
        }
        Failure::SignIn { .. }
        | Failure::SignedOut
        | Failure::Foreign
        | Failure::NotFound
        | Failure::Said { .. }
        | Failure::Refused { .. } => {}
    }
    // The API has logged its own cause under its own id.
    let id = match failure {
        Failure::Refused { problem, .. } => Some(&problem.request_id),
        _ => id,
    };
    let (title, message) = failure.told();
    let page = Page::for_anybody(title).show(html! {
        section.notice {
            h1 { (title) }
            p { (message) }
            p { a.button href="/runs" { "Go to your runs" } }
            @if let Some(id) = id {
                p.quiet { "Request " code { (id) } }
            }
        }
    });
    let mut response = page.into_response();
    *response.status_mut() = failure.status();
    response
}
