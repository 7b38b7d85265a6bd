//! `GET /readyz`: requests can be answered.

use axum::extract::State;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::openapi::problems;

problems!(Refusals: ServerError, Unavailable);

/// Whether requests can be answered
///
/// 503 while the database cannot be reached or its tables are not up to date.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "service",
    responses(
        (status = 200, description = "They can.", body = String, content_type = "text/plain",
            example = json!("ready")),
        Refusals,
    ),
    security(()),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> Result<&'static str, ApiError> {
    state.store().check().await?;
    Ok("ready")
}
