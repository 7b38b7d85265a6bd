//! Middleware of all pages: security headers and rendered error pages.

use std::panic::AssertUnwindSafe;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use client::RequestOrigin;
use contract::RequestId;
use futures_util::FutureExt;
use maud::html;

use crate::accept_header::wants_page;
use crate::{ConsolePage, ConsoleState, ConsoleUser, PageError, session};

/// Content security policy: only files of this server, no framing. Pages that need more set their
/// own policy.
pub(crate) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// The policy with images of crawled shops, https only.
pub(crate) const POLICY_WITH_PICTURES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

const FIXED: [(HeaderName, HeaderValue); 4] = [
    // For browsers without `frame-ancestors`.
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // The console checks the referrer of forms, which is a page of the console; other sites get none.
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

/// Adds headers to every response and renders errors as pages.
pub(crate) async fn page_middleware(
    State(state): State<ConsoleState>,
    request: Request,
    next: Next,
) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let session =
        session::token(request.headers(), &state).filter(|_| wants_page(request.headers()));
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|panic| {
        let cause = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let cause = cause.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        PageError::internal(format!("a panic: {cause}")).into_response()
    });
    if let Some(page_error) = response.extensions_mut().remove::<PageError>() {
        let user = match session.filter(|_| has_navigation(&page_error)) {
            Some(token) => ConsoleUser::of_session(token, RequestOrigin::default(), &state).await,
            None => Ok(None),
        };
        let mut page = page_of(&page_error, user.ok().flatten().as_ref(), id.as_ref());
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

/// Whether the error page of a signed-in user has the navigation: not after a failure of the
/// database, which would be asked for the user.
fn has_navigation(page_error: &PageError) -> bool {
    match page_error {
        PageError::NotFound | PageError::Rejected { .. } | PageError::ApiError { .. } => true,
        PageError::SignIn { .. }
        | PageError::SignedOut
        | PageError::InvalidFormToken
        | PageError::Unavailable { .. }
        | PageError::Internal { .. } => false,
    }
}

fn page_of(page_error: &PageError, user: Option<&ConsoleUser>, id: Option<&RequestId>) -> Response {
    match page_error {
        PageError::Internal { cause } => {
            tracing::error!(cause, "internal error while rendering a page")
        }
        PageError::Unavailable { cause } => {
            tracing::warn!(cause, "database unavailable while rendering a page");
        }
        PageError::SignIn { .. }
        | PageError::SignedOut
        | PageError::InvalidFormToken
        | PageError::NotFound
        | PageError::Rejected { .. }
        | PageError::ApiError { .. } => {}
    }
    // The API has logged the cause under its own request id.
    let id = match page_error {
        PageError::ApiError { problem, .. } => Some(&problem.request_id),
        _ => id,
    };
    let (title, message) = page_error.title_and_message();
    let page = match user {
        Some(user) => ConsolePage::of(user, title),
        None => ConsolePage::public(title),
    };
    page.status(page_error.status()).show(html! {
        section.notice {
            h1 { (title) }
            p { (message) }
            p { a.button href="/runs" { "Go to your runs" } }
            @if let Some(id) = id {
                p.quiet { "Request " code { (id) } }
            }
        }
    })
}
