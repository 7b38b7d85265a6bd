//! `PATCH /api-keys/{id}`: changes the name or the limits of a key.

use axum::Json;
use axum::extract::State;
use contract::{AccountKey, BodyFields, ChangeKey, KeyId};
use store::{KeyChange, LimitChange};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: InvalidJson, Unauthorized, NotFound, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Change an API key
///
/// Omitted members stay unchanged; null or an empty list removes a limit. The change applies from
/// the next call and the next result on: raise a budget, then confirm the job that waits for it.
#[utoipa::path(
    patch,
    path = "/api-keys/{id}",
    operation_id = "change_key",
    tag = "keys",
    params(("id" = KeyId, Path, description = "The key (its id, not its secret).")),
    request_body(content = ChangeKey, description = "The changes.",
        example = json!({"daily_credits": 10_000, "expires_at": null})),
    responses(
        (status = 200, description = "The key after the change.", body = AccountKey,
            example = json!(example::key())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn change_key(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    PathId(id): PathId<KeyId>,
    JsonBody(body): JsonBody,
) -> Result<Json<AccountKey>, ApiError> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let name = fields.label();
    let scopes = credential_limits::read_scopes(&mut fields);
    let limits = LimitChange { scopes, ..credential_limits::read(&mut fields, now) };
    let errors = fields.finish();
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let change = KeyChange { name, limits };
    let changed = caller.store(&state).change_key(&caller.account, &id, &change, now).await?;
    changed.map(Json).ok_or_else(ApiError::not_found)
}
