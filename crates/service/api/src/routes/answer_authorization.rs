//! `POST /oauth/authorization`: the user approves or denies an authorization request.

use axum::Json;
use axum::extract::State;
use contract::{AnswerAuthorization, AuthorizationAnswered, BodyFields, OauthErrorCode};
use store::Approval;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::oauth::{AuthorizationOutcome, AuthorizationQuery, AuthorizationRequest};
use crate::openapi::{AuthorizationParams, example, problems};

problems!(RouteErrors: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Answer an authorization request
///
/// The parameters are those of the URL that the application sent the user to. The response has the
/// URL to redirect the user to; its code is valid for 60 seconds and for one use.
#[utoipa::path(
    post,
    path = "/oauth/authorization",
    operation_id = "answer_authorization",
    tag = "oauth",
    params(AuthorizationParams),
    request_body(content = AnswerAuthorization, description = "Whether the user approves.",
        example = json!({"approved": true})),
    responses(
        (status = 200, description = "The URL to redirect the user to.", body = AuthorizationAnswered,
            example = json!(example::authorization_answered())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn answer_authorization(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    query: AuthorizationQuery,
    JsonBody(body): JsonBody,
) -> Result<Json<AuthorizationAnswered>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let approved = fields.flag("approved");
    fields.require("approved");
    let now = state.now();
    let limits =
        fields.object("limits", |fields| credential_limits::read(fields, now)).unwrap_or_default();
    let errors = fields.finish();
    let (Some(approved), true) = (approved, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let redirect_to = match (query.validate(&state).await?, approved) {
        (AuthorizationOutcome::Redirect(redirect_to), _) => redirect_to,
        (AuthorizationOutcome::Valid(request), false) => {
            request.redirect.refused(OauthErrorCode::AccessDenied, "the user denied the request")
        }
        (AuthorizationOutcome::Valid(request), true) => {
            let AuthorizationRequest { application, scopes, challenge, mcp_only, redirect } =
                *request;
            let approval = Approval {
                account: caller.account.clone(),
                application: application.id,
                redirect_uri: redirect.redirect_uri.as_str().to_owned(),
                challenge,
                scopes,
                mcp_only,
                limits,
            };
            let code = caller.store(&state).approve(&approval, now).await?;
            redirect.approved(code.reveal())
        }
    };
    Ok(Json(AuthorizationAnswered { redirect_to }))
}
