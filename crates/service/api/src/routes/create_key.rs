//! `POST /api-keys`: creates a key and returns its secret once.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{BodyFields, CreateKey, CreatedKey, KeyPrefix, ProblemCode, comma_list};
use store::{LimitChange, NewKey};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::OptionalJsonBody;
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::openapi::{example, problems};

problems!(RouteErrors: InvalidJson, Unauthorized, RequestTimeout, Conflict, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

const DEFAULT_NAME: &str = "API key";
const DEFAULT_SOURCE: &str = "direct";

/// Create an API key
///
/// The secret is returned in this response only; the service stores its SHA-256. An empty body is
/// the same as `{}`. Without limits the key has all rights of the account. A call beyond its limits
/// is 403, an expired key is 401, and a job beyond the budget is 402 or paused with
/// `credits_exhausted`.
#[utoipa::path(
    post,
    path = "/api-keys",
    operation_id = "create_key",
    tag = "keys",
    request_body(content = Option<CreateKey>, description = "Name, channel and limits of the key.",
        example = json!({"name": "nightly inventory", "source": "direct", "test": false,
            "scopes": ["jobs:read", "jobs:write"], "modes": ["links"], "daily_credits": 5_000})),
    responses(
        (status = 201, description = "The key, with its secret.", body = CreatedKey,
            example = json!(example::created_key())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn create_key(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<(StatusCode, Json<CreatedKey>), ApiError> {
    let sources = &state.settings().sources;
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
    let errors = fields.finish();
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    match caller.store(&state).create_key(&caller.account, new, state.now()).await? {
        Some(created) => Ok((StatusCode::CREATED, Json(created))),
        None => Err(ApiError::new(
            ProblemCode::Conflict,
            format!(
                "account limit: the account has {} live keys; revoke one first",
                state.settings().limits.keys
            ),
        )),
    }
}
