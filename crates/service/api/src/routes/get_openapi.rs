//! `GET /openapi.json`: the OpenAPI document.

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::ApiState;
use crate::openapi::problems;

problems!(RouteErrors: ValidationFailed);

/// Get the OpenAPI document
///
/// The OpenAPI 3.1 document of this service, with the limits of its settings.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "get_openapi",
    tag = "service",
    responses(
        (status = 200, description = "The OpenAPI 3.1 document.", body = serde_json::Value,
            content_type = "application/json", example = json!({"openapi": "3.1.0"})),
        RouteErrors,
    ),
    security(()),
)]
pub(crate) async fn get_openapi(State(state): State<ApiState>) -> impl IntoResponse {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")];
    (headers, state.document())
}
