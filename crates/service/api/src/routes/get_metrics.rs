//! `GET /metrics`: the metrics of this process.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::api_error::ApiError;
use crate::openapi::problems;
use crate::{ApiState, Metrics, MetricsAccess};

problems!(RouteErrors: Unauthorized, NotFound, ValidationFailed, RateLimited);

/// Get metrics
///
/// Metrics of this process in the text format of Prometheus. Needs the operator's token; 404 if none
/// is configured.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "get_metrics",
    tag = "service",
    responses(
        (status = 200, description = "The metrics.", body = String, content_type = "text/plain",
            example = json!("trawl_queue 0\n")),
        RouteErrors,
    ),
    security(()),
)]
pub(crate) async fn get_metrics(
    State(state): State<ApiState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    match &state.settings().metrics {
        MetricsAccess::Token(token) if token.matches(&headers) => Ok(render(state.metrics())),
        MetricsAccess::Token(_) => Err(ApiError::unauthorized()),
        MetricsAccess::Elsewhere => Err(ApiError::not_found()),
    }
}

fn render(metrics: Option<&Metrics>) -> impl IntoResponse + use<> {
    let text = metrics.map(Metrics::render).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

/// A router with `GET /metrics` only, without authentication, for a separate listener.
pub fn metrics_router(metrics: Metrics) -> Router {
    let answer = move || {
        let metrics = metrics.clone();
        async move { render(Some(&metrics)) }
    };
    Router::new().route("/metrics", get(answer))
}
