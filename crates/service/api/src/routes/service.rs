//! The service itself: health, metrics, documents and pages for people.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::middleware;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use axum::{Json, Router};
use contract::ProblemCode;
use serde_json::{Value, json};

use crate::api_error::{ApiError, ApiResult};
use crate::request_context::request_context;
use crate::{ApiState, Metrics, MetricsAccess};

pub(crate) async fn index(State(state): State<ApiState>) -> Json<Value> {
    let base = state.settings.public_url.trim_end_matches('/');
    Json(json!({
        "service": "trawl",
        "version": "1.0.0",
        "docs": format!("{base}/docs/"),
        "openapi": format!("{base}/openapi.json"),
    }))
}

/// Check liveness
///
/// Does not check the database; see `/readyz`.
#[utoipa::path(
    get, path = "/healthz", tag = "service",
    responses(
        (status = 200, description = "The process is alive.", body = String,
            content_type = "text/plain", example = json!("ok")),
    ),
    security(()),
)]
pub(crate) async fn healthz() -> &'static str {
    "ok"
}

/// Check readiness
///
/// 503 while the service starts or shuts down, and while the database is unavailable or its schema is
/// not up to date.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses(
        (status = 200, description = "The service is ready.", body = String,
            content_type = "text/plain", example = json!("ready")),
    ),
    extensions(("x-problems" = json!([ProblemCode::ServerError, ProblemCode::Unavailable]))),
    security(()),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> ApiResult<&'static str> {
    if state.is_stopping() {
        return Err(ApiError::stopping());
    }
    state.store.check().await?;
    if !state.is_started() {
        return Err(ApiError::starting());
    }
    Ok("ready")
}

/// Get metrics
///
/// Metrics of this process in the text format of Prometheus. Needs the operator's token; 404 if none
/// is configured.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses(
        (status = 200, description = "The metrics.", body = String, content_type = "text/plain",
            example = json!("trawl_queue 0\n")),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::Unauthorized, ProblemCode::NotFound, ProblemCode::ValidationFailed,
        ProblemCode::RateLimited,
    ]))),
    security(()),
)]
pub(crate) async fn get_metrics(
    State(state): State<ApiState>,
    headers: HeaderMap,
) -> ApiResult<impl IntoResponse> {
    match &state.settings.metrics {
        MetricsAccess::Token(token) if token.matches(&headers) => {
            Ok(render(state.metrics.as_ref()))
        }
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

/// A router with `/healthz`, `/readyz` and `/metrics` only, for nodes without an API.
pub fn health_router(state: ApiState) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(get_metrics))
        .fallback(async || ApiError::not_found())
        .with_state(state.clone())
        .layer(middleware::from_fn_with_state(state, request_context))
}

/// Get the OpenAPI document
///
/// The OpenAPI 3.1 document of this service, with the limits of its settings.
#[utoipa::path(
    get, path = "/openapi.json", tag = "service",
    responses(
        (status = 200, description = "The OpenAPI 3.1 document.", body = serde_json::Value,
            content_type = "application/json", example = json!({"openapi": "3.1.0"})),
    ),
    extensions(("x-problems" = json!([ProblemCode::ValidationFailed]))),
    security(()),
)]
pub(crate) async fn get_openapi(State(state): State<ApiState>) -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")];
    (headers, state.document())
}

/// About the crawler
///
/// A page for site owners: what the crawler does, and how to block it.
#[utoipa::path(
    get, path = "/bot", tag = "service",
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html",
            example = json!("<!doctype html>")),
    ),
    security(()),
)]
pub(crate) async fn bot() -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, Html(include_str!("bot.html")))
}

/// Page about buying credits
///
/// A page for users: how credits are bought at this service.
#[utoipa::path(
    get, path = "/top-up", tag = "service",
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html",
            example = json!("<!doctype html>")),
    ),
    security(()),
)]
pub(crate) async fn top_up(State(state): State<ApiState>) -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let headers =
        [(header::CONTENT_SECURITY_POLICY, policy), (header::CACHE_CONTROL, "public, max-age=300")];
    let page = match &state.settings.payments {
        None => include_str!("top_up/none.html").to_owned(),
        Some(price) => {
            // Both settings are validated: they contain no markup.
            include_str!("top_up/stripe.html")
                .replace("{price}", &price.per_thousand.to_string())
                .replace("{currency}", &price.currency.to_uppercase())
        }
    };
    (headers, Html(page))
}
