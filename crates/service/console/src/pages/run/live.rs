//! `/runs/{id}/live`: the progress stream of the API, for browsers that have a cookie and no key.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse, Response};
use client::ApiCall;
use futures_util::StreamExt;

use super::RunPage;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) async fn stream(run: RunPage, headers: HeaderMap) -> Response {
    let mut call = ApiCall::get(&run.api_path("/events"));
    if let Some(seen) = headers.get(LAST_EVENT_ID) {
        call = call.header(LAST_EVENT_ID, seen.clone());
    }
    let (parts, body) = run.api().open(call).await.into_parts();
    // The browser reconnects on its own, so that a shutdown need not wait for streams.
    let over = Box::pin(run.user.state.stopped.clone().cancelled_owned());
    let events = body.into_data_stream().take_until(over);
    (parts, Body::from_stream(events)).into_response()
}
