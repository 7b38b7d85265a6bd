//! `POST /session/password`: changes the password of the account.

use axum::Json;
use axum::extract::State;
use contract::{BodyFields, ChangePassword, FieldError, SessionsEnded};

use super::open_session::{MAX_CHARS, SignInClient};
use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;

problems!(RouteErrors: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Change the password
///
/// Ends all other sessions of the account. API keys and connected applications stay valid: revoke
/// those that may be compromised. Wrong passwords count as failed sign-ins.
#[utoipa::path(
    post,
    path = "/session/password",
    operation_id = "change_password",
    tag = "session",
    request_body(content = ChangePassword, description = "The old password and the new one.",
        example = json!({"current_password": "correct horse", "new_password": "battery staple"})),
    responses(
        (status = 200, description = "The password is changed.", body = SessionsEnded,
            example = json!({"ended": 2})),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn change_password(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    client: SignInClient,
    JsonBody(body): JsonBody,
) -> Result<Json<SessionsEnded>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let (current, new) = (fields.text("current_password"), fields.text("new_password"));
    for (name, value) in [("current_password", current), ("new_password", new)] {
        fields.require(name);
        if value.is_some_and(|value| value.chars().count() > MAX_CHARS) {
            fields.wrong(name, format!("must have at most {MAX_CHARS} characters"));
        }
    }
    let errors = fields.finish();
    let (Some(current), Some(new), true) = (current, new, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let account =
        state.store().account(&caller.account).await?.ok_or_else(ApiError::unauthorized)?;
    let attempt = client.attempt(&account.email);
    let attempts = client.admitted(&state, &attempt).await?;
    let store = caller.store(&state);
    // Held until the new password is hashed, which uses as much memory as the check.
    let _checking = state.passwords().acquire().await;
    if !store.is_password(&caller.account, current).await? {
        store.record_refused_sign_in(&account.email, attempts, state.now()).await?;
        let message = "is not the password of this account";
        return Err(ApiError::invalid(vec![FieldError::new("current_password", message)]));
    }
    store.clear_sign_ins(&attempt).await?;
    let set = store.set_password(&caller.account, new, caller.session(), state.now()).await?;
    match set {
        Ok(Some(ended)) => Ok(Json(SessionsEnded { ended })),
        Ok(None) => Err(ApiError::unauthorized()),
        Err(refused) => {
            Err(ApiError::invalid(vec![FieldError::new("new_password", refused.to_string())]))
        }
    }
}
