//! OAuth tokens: exchange and revocation (RFC 6749, RFC 7009).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{Millis, OauthErrorCode, OauthScopes, RevokeToken, TokenAnswer, TokenRequest};
use store::{Application, CodeExchange, RefreshExchange, Store, TokenRevocation};

use crate::ApiState;
use crate::oauth::{
    OauthClient, OauthForm, OauthRejection, OauthResult, authenticated, mcp_only, token_response,
};

/// Get tokens
///
/// Exchanges a code, once and within 60 seconds, with the verifier of its PKCE challenge; or a
/// refresh token, once. Reusing a code or a refresh token revokes the whole authorization. An
/// access token is valid for an hour.
#[utoipa::path(
    post, path = "/oauth/token", tag = "oauth",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded",
        description = "The grant. An application with a secret authenticates here or by \
            `Authorization: Basic`."),
    responses((status = 200, description = "The tokens.", body = TokenAnswer)),
    extensions(("x-oauth-errors" = json!([
        OauthErrorCode::InvalidRequest, OauthErrorCode::InvalidClient, OauthErrorCode::InvalidGrant,
        OauthErrorCode::UnsupportedGrantType, OauthErrorCode::InvalidScope,
        OauthErrorCode::InvalidTarget,
    ]))),
    security(()),
)]
pub(crate) async fn issue_token(
    State(state): State<ApiState>,
    client: OauthClient,
    form: OauthForm,
) -> OauthResult<Json<TokenAnswer>> {
    let grant_type = form.required("grant_type")?.to_owned();
    let application = authenticated(&state, &form).await?;
    let mcp_only = match form.get("resource") {
        None => None,
        Some(resource) => Some(mcp_only(resource, &state.settings).ok_or_else(|| {
            OauthRejection::new(OauthErrorCode::InvalidTarget, "resource is not of this service")
        })?),
    };
    let (store, now) = (client.acting(&state, &application.id), state.now());
    match grant_type.as_str() {
        "authorization_code" => by_code((&store, now), &form, &application, mcp_only).await,
        "refresh_token" => by_refresh_token((&store, now), &form, &application, mcp_only).await,
        _ => Err(OauthRejection::new(
            OauthErrorCode::UnsupportedGrantType,
            "grant_type must be authorization_code or refresh_token",
        )),
    }
    .map(Json)
}

async fn by_code(
    (store, now): (&Store, Millis),
    form: &OauthForm,
    application: &Application,
    mcp_only: Option<bool>,
) -> OauthResult<TokenAnswer> {
    let shown = CodeExchange {
        application: &application.id,
        code: form.required("code")?,
        verifier: form.required("code_verifier")?,
        redirect_uri: form.get("redirect_uri"),
        mcp_only,
    };
    token_response(store.redeem_code(&shown, now).await?)
}

async fn by_refresh_token(
    (store, now): (&Store, Millis),
    form: &OauthForm,
    application: &Application,
    mcp_only: Option<bool>,
) -> OauthResult<TokenAnswer> {
    let scopes = form.get("scope").map(str::parse::<OauthScopes>).transpose();
    let scopes = scopes.map_err(|unknown| {
        OauthRejection::new(OauthErrorCode::InvalidScope, unknown.to_string())
    })?;
    let shown = RefreshExchange {
        application: &application.id,
        token: form.required("refresh_token")?,
        scopes: scopes.filter(|scopes| !scopes.is_empty()),
        mcp_only,
    };
    token_response(store.refresh(&shown, now).await?)
}

/// Revoke a token
///
/// Revokes an access token, or with a refresh token the whole authorization. An unknown token is
/// treated as revoked.
#[utoipa::path(
    post, path = "/oauth/revoke", tag = "oauth",
    request_body(
        content = RevokeToken,
        content_type = "application/x-www-form-urlencoded",
        description = "The token and the application.",
    ),
    responses((status = 200, description = "The token is revoked; the body is empty.")),
    extensions(("x-oauth-errors" = json!([
        OauthErrorCode::InvalidRequest, OauthErrorCode::InvalidClient, OauthErrorCode::InvalidGrant,
    ]))),
    security(()),
)]
pub(crate) async fn revoke_token(
    State(state): State<ApiState>,
    client: OauthClient,
    form: OauthForm,
) -> OauthResult<StatusCode> {
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
