//! Authorization requests: the data of the consent page and the answer of the user.

use axum::Json;
use axum::extract::State;
use contract::{
    AnswerAuthorization, AuthorizationAnswered, AuthorizationAsked, AuthorizationView, BodyFields,
    OauthErrorCode, ProblemCode,
};
use store::Approval;

use crate::api_error::ApiResult;
use crate::body::{JsonBody, finish};
use crate::caller::{AccountSession, Granted};
use crate::oauth::{AuthorizationOutcome, AuthorizationQuery, AuthorizationRequest};
use crate::openapi::AuthorizationParams;
use crate::{ApiState, credential_limits};

/// Get an authorization request
///
/// The application and the scopes that it requests from the user. The parameters are those of the
/// URL that the application sent the user to. An invalid `client_id` or `redirect_uri` is an error;
/// for other errors the response has the URL that returns the error to the application.
#[utoipa::path(
    get, path = "/oauth/authorization", tag = "oauth",
    params(AuthorizationParams),
    responses(
        (status = 200,
            description = "The request, or the URL that returns the error to the application.",
            body = AuthorizationView),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::ValidationFailed, ProblemCode::ServerError, ProblemCode::Unavailable,
    ]))),
    security(()),
)]
pub(crate) async fn ask_authorization(
    State(state): State<ApiState>,
    query: AuthorizationQuery,
) -> ApiResult<Json<AuthorizationView>> {
    let view = match query.validate(&state).await? {
        AuthorizationOutcome::Redirect(redirect_to) => AuthorizationView::Back { redirect_to },
        AuthorizationOutcome::Valid(request) => AuthorizationView::Asked {
            asked: AuthorizationAsked {
                application_id: request.application.id,
                application_name: request.application.name,
                application_uri: request.application.uri,
                redirect_uri: request.redirect.redirect_uri.as_str().to_owned(),
                scopes: request.access.scopes.iter().collect(),
            },
        },
    };
    Ok(Json(view))
}

/// Answer an authorization request
///
/// The parameters are those of the URL that the application sent the user to. The response has the
/// URL to redirect the user to; its code is valid for 60 seconds and for one use.
#[utoipa::path(
    post, path = "/oauth/authorization", tag = "oauth",
    params(AuthorizationParams),
    request_body(content = AnswerAuthorization, description = "Whether the user approves."),
    responses(
        (status = 200, description = "The URL to redirect the user to.",
            body = AuthorizationAnswered),
    ),
    security(("session" = [])),
)]
pub(crate) async fn answer_authorization(
    Granted { state, caller, .. }: Granted<AccountSession>,
    query: AuthorizationQuery,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<AuthorizationAnswered>> {
    let mut fields = BodyFields::of(&body)?;
    let approved = fields.flag("approved");
    fields.require("approved");
    let now = state.now();
    let limits =
        fields.object("limits", |fields| credential_limits::read(fields, now)).unwrap_or_default();
    let approved = finish(fields, approved)?;
    let redirect_to = match (query.validate(&state).await?, approved) {
        (AuthorizationOutcome::Redirect(redirect_to), _) => redirect_to,
        (AuthorizationOutcome::Valid(request), false) => {
            request.redirect.refused(OauthErrorCode::AccessDenied, "the user denied the request")
        }
        (AuthorizationOutcome::Valid(request), true) => {
            let AuthorizationRequest { application, access, redirect } = *request;
            let approval = Approval {
                account: caller.account.clone(),
                application: application.id,
                redirect_uri: redirect.redirect_uri.as_str().to_owned(),
                challenge: access.challenge,
                scopes: access.scopes,
                mcp_only: access.mcp_only,
                limits,
            };
            let code = caller.store(&state).approve(&approval, now).await?;
            redirect.approved(code.reveal())
        }
    };
    Ok(Json(AuthorizationAnswered { redirect_to }))
}
