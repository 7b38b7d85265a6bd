//! `DELETE /api-keys/{id}`: a key that is refused from now on.

use axum::Json;
use axum::extract::State;
use contract::{AccountKey, KeyId};

use crate::ApiState;
use crate::caller::{Granted, Session};
use crate::fault::Fault;
use crate::openapi::{example, problems};
use crate::path::Id;

problems!(Refusals: Unauthorized, NotFound, RateLimited, ServerError, Unavailable);

/// Revoke an API key
///
/// From this answer on the key is refused. Revoking it again changes nothing.
#[utoipa::path(
    delete,
    path = "/api-keys/{id}",
    operation_id = "revoke_key",
    tag = "keys",
    params(("id" = KeyId, Path, description = "The key (its id, not its secret).")),
    responses(
        (status = 200, description = "The key, revoked.", body = AccountKey,
            example = json!(example::revoked_key())),
        Refusals,
    ),
    security(("session" = [])),
)]
pub(crate) async fn revoke_key(
    State(state): State<ApiState>,
    caller: Granted<Session>,
    Id(id): Id<KeyId>,
) -> Result<Json<AccountKey>, Fault> {
    let revoked = caller.store(&state).revoke_key(&caller.account, &id, state.now()).await?;
    revoked.map(Json).ok_or_else(Fault::not_found)
}
