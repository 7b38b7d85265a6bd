//! `GET /readyz`: readiness probe.

use axum::extract::State;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::openapi::problems;

problems!(RouteErrors: ServerError, Unavailable);

/// Check readiness
///
/// 503 while the database is unavailable or its schema is not up to date.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "service",
    responses(
        (status = 200, description = "The service is ready.", body = String, content_type = "text/plain",
            example = json!("ready")),
        RouteErrors,
    ),
    security(()),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> Result<&'static str, ApiError> {
    state.store().check().await?;
    Ok("ready")
}
