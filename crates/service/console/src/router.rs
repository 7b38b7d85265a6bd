//! The router of all pages.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use client::ApiCall;

use crate::accept_header::wants_page;
use crate::page_middleware::page_middleware;
use crate::{ConsoleState, PageError, assets, pages};

/// The console, to be merged into the router of the API. Clients that do not accept HTML get the
/// response of the API at `/` and at unknown paths.
pub fn router(state: ConsoleState) -> Router {
    pages::routes()
        .merge(assets::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(async || {
            let message = "this page does not accept the request method";
            PageError::rejected(StatusCode::METHOD_NOT_ALLOWED, message)
        })
        .layer(middleware::from_fn_with_state(state.clone(), page_middleware))
        .with_state(state)
}

async fn unknown(State(state): State<ConsoleState>, request: Request) -> Response {
    if wants_page(request.headers()) {
        return PageError::NotFound.into_response();
    }
    let path = request.uri().path().to_owned();
    state.client.open(ApiCall::new(request.method().clone(), &path)).await
}
