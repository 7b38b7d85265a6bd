//! API keys. A key can be created and changed only with an account session.

use axum::Json;
use axum::http::StatusCode;
use contract::{
    AccountKey, BodyFields, ChangeKey, CreateKey, CreatedKey, KeyId, KeyPrefix, ProblemCode,
    comma_list,
};
use store::{KeyChange, LimitChange, NewKey};

use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, OptionalJsonBody, finish};
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::path::PathId;
use crate::query::Params;

/// List API keys
///
/// Every key of the account, newest first, the revoked ones too.
#[utoipa::path(
    get, path = "/api-keys", tag = "keys",
    responses((status = 200, description = "The keys.", body = Vec<AccountKey>)),
    security(("session" = [])),
)]
pub(crate) async fn list_keys(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<Vec<AccountKey>>> {
    Ok(Json(state.store.keys(&caller.account, state.now()).await?))
}

const DEFAULT_NAME: &str = "API key";
const DEFAULT_SOURCE: &str = "direct";

/// Create an API key
///
/// The secret is returned in this response only; the service stores its SHA-256. An empty body is
/// the same as `{}`. Without limits the key has all rights of the account. A call beyond its limits
/// is 403, an expired key is 401, and a job beyond the budget is 402 or paused with
/// `credits_exhausted`.
#[utoipa::path(
    post, path = "/api-keys", tag = "keys",
    request_body(content = Option<CreateKey>, description = "Name, channel and limits of the key."),
    responses((status = 201, description = "The key, with its secret.", body = CreatedKey)),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("session" = [])),
)]
pub(crate) async fn create_key(
    Granted { state, caller, .. }: Granted<AccountSession>,
    OptionalJsonBody(body): OptionalJsonBody,
) -> ApiResult<(StatusCode, Json<CreatedKey>)> {
    let sources = &state.settings.sources;
    let mut fields = BodyFields::of(&body)?;
    let name = fields.label().unwrap_or_else(|| DEFAULT_NAME.to_owned());
    let source = fields.text("source").unwrap_or(DEFAULT_SOURCE);
    if !sources.iter().any(|known| known == source) {
        fields.wrong("source", format!("must be one of {}", comma_list(sources)));
    }
    let prefix = match fields.flag("test") {
        Some(true) => KeyPrefix::Test,
        Some(false) | None => KeyPrefix::Live,
    };
    let scopes = credential_limits::read_scopes(&mut fields);
    let limits = LimitChange { scopes, ..credential_limits::read(&mut fields, state.now()) };
    let new = NewKey { name, source: source.to_owned(), prefix, limits };
    finish(fields, Some(()))?;
    let created = caller.store(&state).create_key(&caller.account, new, state.now()).await?;
    let limit = state.settings.limits.keys;
    created
        .map(|created| (StatusCode::CREATED, Json(created)))
        .ok_or_else(|| ApiError::account_limit(limit, "live keys", "revoke one"))
}

/// Change an API key
///
/// Omitted members stay unchanged; null or an empty list removes a limit. The change applies from
/// the next call and the next result on: raise a budget, then confirm the job that waits for it.
#[utoipa::path(
    patch, path = "/api-keys/{id}", tag = "keys",
    params(("id" = KeyId, Path, description = "The key (its id, not its secret).")),
    request_body(content = ChangeKey, description = "The changes."),
    responses((status = 200, description = "The key after the change.", body = AccountKey)),
    security(("session" = [])),
)]
pub(crate) async fn change_key(
    Granted { state, caller, .. }: Granted<AccountSession>,
    PathId(id): PathId<KeyId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<AccountKey>> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let name = fields.label();
    let scopes = credential_limits::read_scopes(&mut fields);
    let limits = LimitChange { scopes, ..credential_limits::read(&mut fields, now) };
    finish(fields, Some(()))?;
    let change = KeyChange { name, limits };
    let changed = caller.store(&state).change_key(&caller.account, &id, &change, now).await?;
    changed.map(Json).ok_or_else(ApiError::not_found)
}

/// Revoke an API key
///
/// The key is invalid at once. Revoking it again changes nothing. Its jobs continue; with
/// `pause=true` the schedules that it created are paused and its webhooks are disabled.
#[utoipa::path(
    delete, path = "/api-keys/{id}", tag = "keys",
    params(
        ("id" = KeyId, Path, description = "The key (its id, not its secret)."),
        ("pause" = Option<bool>, Query,
            description = "Pause the schedules and webhooks that the key created; false when omitted."),
    ),
    responses((status = 200, description = "The key, revoked.", body = AccountKey)),
    security(("session" = [])),
)]
pub(crate) async fn revoke_key(
    Granted { state, caller, .. }: Granted<AccountSession>,
    PathId(id): PathId<KeyId>,
    mut params: Params,
) -> ApiResult<Json<AccountKey>> {
    let pause = params.one_of("pause", &[true, false]).unwrap_or(false);
    params.finish()?;
    let (store, now) = (caller.store(&state), state.now());
    let revoked = match pause {
        true => store.revoke_key_and_pause(&caller.account, &id, now).await?,
        false => store.revoke_key(&caller.account, &id, now).await?,
    };
    revoked.map(Json).ok_or_else(ApiError::not_found)
}
