//! `DELETE /api-keys/{id}`: revokes a key.

use axum::Json;
use axum::extract::State;
use contract::{AccountKey, KeyId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};
use crate::path::PathId;
use crate::query::Params;

problems!(RouteErrors: Unauthorized, NotFound, ValidationFailed, RateLimited, ServerError,
    Unavailable);

/// Revoke an API key
///
/// The key is invalid at once. Revoking it again changes nothing. Its jobs continue; with
/// `pause=true` the schedules that it created are paused and its webhooks are disabled.
#[utoipa::path(
    delete,
    path = "/api-keys/{id}",
    operation_id = "revoke_key",
    tag = "keys",
    params(
        ("id" = KeyId, Path, description = "The key (its id, not its secret)."),
        ("pause" = Option<bool>, Query,
            description = "Pause the schedules and webhooks that the key created; false when omitted."),
    ),
    responses(
        (status = 200, description = "The key, revoked.", body = AccountKey,
            example = json!(example::revoked_key())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn revoke_key(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    PathId(id): PathId<KeyId>,
    mut params: Params,
) -> Result<Json<AccountKey>, ApiError> {
    let pause = params.one_of("pause", &[true, false]).unwrap_or(false);
    params.finish()?;
    let (store, now) = (caller.store(&state), state.now());
    let revoked = match pause {
        true => store.revoke_key_and_pause(&caller.account, &id, now).await?,
        false => store.revoke_key(&caller.account, &id, now).await?,
    };
    revoked.map(Json).ok_or_else(ApiError::not_found)
}
