//! Every page, in one frame.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use client::ApiCall;

use crate::asker::wants_page;
use crate::frame::frame;
use crate::{ConsoleState, Failure, assets, pages};

/// The console over `state`, to be merged into the frame of the API. Whoever does not ask for
/// pages gets at `/`, and at paths that nobody knows, what the API says there.
pub fn router(state: ConsoleState) -> Router {
    pages::routes()
        .merge(assets::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(async || {
            let message = "this address does not take what was sent to it";
            Failure::said(StatusCode::METHOD_NOT_ALLOWED, message)
        })
        .layer(middleware::from_fn(frame))
        .with_state(state)
}

async fn unknown(State(state): State<ConsoleState>, request: Request) -> Response {
    if wants_page(request.headers()) {
        return Failure::NotFound.into_response();
    }
    let path = request.uri().path().to_owned();
    state.client().open(ApiCall::new(request.method().clone(), &path)).await
}
