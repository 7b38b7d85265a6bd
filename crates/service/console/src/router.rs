//! Every page, in one frame.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use client::Call;

use crate::accept_header::wants_page;
use crate::page_middleware::page_middleware;
use crate::{ConsoleState, PageError, assets, pages};

/// The console over `state`, to be merged into the frame of the API. Whoever does not ask for
/// pages gets at `/`, and at paths that nobody knows, what the API says there.
pub fn router(state: ConsoleState) -> Router {
    pages::routes()
        .merge(assets::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(async || {
            let message = "this address does not take what was sent to it";
            PageError::said(StatusCode::METHOD_NOT_ALLOWED, message)
        })
        .layer(middleware::from_fn(page_middleware))
        .with_state(state)
}

async fn unknown(State(state): State<ConsoleState>, request: Request) -> Response {
    if wants_page(request.headers()) {
        return PageError::NotFound.into_response();
    }
    let path = request.uri().path().to_owned();
    state.client().open(Call::new(request.method().clone(), &path)).await
}
