//! `GET /metrics`: the numbers of this process.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::{ApiState, Metrics};

/// The numbers of this process
///
/// In Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "get_metrics",
    tag = "service",
    responses((status = 200, description = "The numbers.", body = String, content_type = "text/plain",
        example = json!("trawl_queue 0\n"))),
    security(()),
)]
pub(crate) async fn get_metrics(State(state): State<ApiState>) -> impl IntoResponse {
    let text = state.metrics().map(Metrics::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
