//! `POST /oauth/revoke`: revokes a token (RFC 7009).

use axum::extract::State;
use axum::http::StatusCode;
use contract::{OauthErrorCode, RevokeToken};
use store::TokenRevocation;

use crate::ApiState;
use crate::oauth::{OauthClient, OauthForm, OauthRejection, authenticated};
use crate::openapi::oauth_refusals;

oauth_refusals!(RouteErrors: InvalidRequest, InvalidClient, InvalidGrant);

/// Revoke a token
///
/// Revokes an access token, or with a refresh token the whole authorization. An unknown token is
/// treated as revoked.
#[utoipa::path(
    post,
    path = "/oauth/revoke",
    operation_id = "revoke_token",
    tag = "oauth",
    request_body(content = RevokeToken, content_type = "application/x-www-form-urlencoded",
        description = "The token and the application."),
    responses((status = 200, description = "The token is revoked; the body is empty."), RouteErrors),
    security(()),
)]
pub(crate) async fn revoke_token(
    State(state): State<ApiState>,
    client: OauthClient,
    form: OauthForm,
) -> Result<StatusCode, OauthRejection> {
    let token = form.required("token")?;
    let application = authenticated(&state, &form).await?;
    let store = client.acting(&state, &application.id);
    match store.revoke_token(&application.id, token).await? {
        TokenRevocation::Revoked => Ok(StatusCode::OK),
        TokenRevocation::WrongApplication => Err(OauthRejection::new(
            OauthErrorCode::InvalidGrant,
            "the token belongs to another application",
        )),
    }
}
