//! `POST /oauth/register`: dynamic client registration (RFC 7591).

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use contract::{
    ClientAuth, OauthErrorCode, OauthScopes, RegisterApplication, RegisteredApplication, comma_list,
};
use serde_json::Value;
use store::NewApplication;

use crate::api_error::ApiResult;
use crate::body::JsonBody;
use crate::oauth::{OauthRejection, OauthResult, RedirectUri, RegistrationLimit};
use crate::{ApiState, Registration};

const MOST_REDIRECT_URIS: usize = 3;
const LONGEST_REDIRECT_URI: usize = 512;
const LONGEST_NAME: usize = 100;
const LONGEST_URI: usize = 2_048;

/// Register an application
///
/// Returns a `client_id` and, for confidential clients, a secret that is not shown again. Unknown
/// members are ignored. An application that no user authorizes within a day is deleted, as are the
/// oldest of these when there are too many. A service can require an initial access token or
/// disable registration.
#[utoipa::path(
    post, path = "/oauth/register", tag = "oauth",
    request_body(content = RegisterApplication, description = "The client metadata."),
    responses(
        (status = 201, description = "The registered application.", body = RegisteredApplication),
    ),
    extensions(("x-oauth-errors" = json!([
        OauthErrorCode::InvalidRequest, OauthErrorCode::InvalidClient,
        OauthErrorCode::UnauthorizedClient, OauthErrorCode::InvalidRedirectUri,
        OauthErrorCode::InvalidClientMetadata,
    ]))),
    security(()),
)]
pub(crate) async fn register_application(
    State(state): State<ApiState>,
    _: RegistrationLimit,
    headers: HeaderMap,
    body: ApiResult<JsonBody>,
) -> OauthResult<(StatusCode, Json<RegisteredApplication>)> {
    match &state.settings.registration {
        Registration::Open => {}
        Registration::Token(token) if token.matches(&headers) => {}
        Registration::Token(_) => return Err(OauthRejection::registration_token()),
        Registration::Off => {
            return Err(OauthRejection::new(
                OauthErrorCode::UnauthorizedClient,
                "this service does not register applications; ask its operator",
            ));
        }
    }
    let JsonBody(body) = body?;
    let new = read(&body)?;
    let (made, secret) = state.store.register_application(new, state.now()).await?;
    let secret = secret.map(|secret| secret.reveal().to_owned());
    let answer = RegisteredApplication {
        client_id_issued_at: made.created_at.0 / 1_000,
        client_secret_expires_at: secret.as_ref().map(|_| 0),
        client_secret: secret,
        client_id: made.id,
        client_name: made.name,
        client_uri: made.uri,
        redirect_uris: made.redirect_uris,
        token_endpoint_auth_method: made.client_auth,
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        response_types: vec!["code".to_owned()],
        scope: made.scopes.to_string(),
    };
    Ok((StatusCode::CREATED, Json(answer)))
}

fn read(body: &Value) -> OauthResult<NewApplication> {
    if !body.is_object() {
        return Err(OauthRejection::request("the body must be a JSON object"));
    }
    let redirect_uris = redirect_uris(body)?;
    for (member, needed) in [("grant_types", "authorization_code"), ("response_types", "code")] {
        let given = texts(body, member)?;
        if given.is_some_and(|given| !given.contains(&needed)) {
            return Err(metadata(member, &format!("must hold {needed}")));
        }
    }
    let client_auth = match text(body, "token_endpoint_auth_method")? {
        None => ClientAuth::Basic,
        Some(word) => word.parse().map_err(|_| {
            let known = format!("must be one of {}", comma_list(ClientAuth::ALL));
            metadata("token_endpoint_auth_method", &known)
        })?,
    };
    // Scopes of other servers are ignored: the response contains the registered ones.
    let scopes = OauthScopes::known_in(text(body, "scope")?.unwrap_or_default());
    let scopes = if scopes.is_empty() { OauthScopes::all() } else { scopes };
    Ok(NewApplication {
        name: name(body, &redirect_uris)?,
        uri: uri(body)?,
        redirect_uris: redirect_uris.iter().map(|uri| uri.as_str().to_owned()).collect(),
        client_auth,
        scopes,
    })
}

fn redirect_uris(body: &Value) -> OauthResult<Vec<RedirectUri>> {
    let wrong = |message: String| OauthRejection::new(OauthErrorCode::InvalidRedirectUri, message);
    let given = texts(body, "redirect_uris")?.unwrap_or_default();
    if given.is_empty() || given.len() > MOST_REDIRECT_URIS {
        return Err(wrong(format!(
            "redirect_uris must have from 1 to {MOST_REDIRECT_URIS} entries"
        )));
    }
    let judged = given.iter().enumerate().map(|(place, text)| {
        if text.len() > LONGEST_REDIRECT_URI {
            return Err(wrong(format!(
                "redirect_uris[{place}] must have at most {LONGEST_REDIRECT_URI} bytes"
            )));
        }
        RedirectUri::parse(text)
            .map_err(|refused| wrong(format!("redirect_uris[{place}] {refused}")))
    });
    judged.collect()
}

/// The name on the consent page: one line without invisible characters.
fn name(body: &Value, redirect_uris: &[RedirectUri]) -> OauthResult<String> {
    let given = text(body, "client_name")?.map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = given else {
        let host = redirect_uris.first().map_or("application", RedirectUri::display_host);
        return Ok(host.chars().take(LONGEST_NAME).collect());
    };
    if name.chars().count() > LONGEST_NAME {
        return Err(metadata(
            "client_name",
            &format!("must have at most {LONGEST_NAME} characters"),
        ));
    }
    if name.chars().any(is_deceptive) {
        return Err(metadata("client_name", "must not contain invisible characters"));
    }
    Ok(name.to_owned())
}

/// Control characters, zero-width characters and characters that change the text direction: they
/// could disguise a name.
fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The URL of a page about the application, https only.
fn uri(body: &Value) -> OauthResult<Option<String>> {
    let Some(given) = text(body, "client_uri")? else { return Ok(None) };
    let is_page = given.len() <= LONGEST_URI
        && RedirectUri::parse(given).is_ok_and(|uri| uri.as_str().starts_with("https://"));
    if is_page {
        Ok(Some(given.to_owned()))
    } else {
        Err(metadata("client_uri", "must begin with https:// and be no longer than 2,048 bytes"))
    }
}

fn text<'b>(body: &'b Value, member: &str) -> OauthResult<Option<&'b str>> {
    match body.get(member) {
        None | Some(Value::Null) => Ok(None),
        // PostgreSQL cannot store it.
        Some(Value::String(text)) if !text.contains('\0') => Ok(Some(text)),
        Some(_) => Err(metadata(member, "must be a string without U+0000")),
    }
}

fn texts<'b>(body: &'b Value, member: &str) -> OauthResult<Option<Vec<&'b str>>> {
    let wrong = || metadata(member, "must be an array of strings");
    match body.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => {
            let texts: Option<Vec<_>> = items.iter().map(Value::as_str).collect();
            texts.map(Some).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn metadata(member: &str, message: &str) -> OauthRejection {
    OauthRejection::new(OauthErrorCode::InvalidClientMetadata, format!("{member} {message}"))
}
