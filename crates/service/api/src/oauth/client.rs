//! Authentication of applications: by secret, or by `client_id` alone for public clients.

use axum::http::{HeaderMap, header};
use data_encoding::BASE64;
use store::Application;
use url::form_urlencoded;

use super::{OauthForm, OauthRejection, OauthResult};
use crate::ApiState;

/// Authenticates the application that sent the form.
pub(crate) async fn authenticated(state: &ApiState, form: &OauthForm) -> OauthResult<Application> {
    let (id, secret) = match basic(&form.headers)? {
        Some((id, secret)) => {
            if form.get("client_secret").is_some() {
                return Err(OauthRejection::request(
                    "authenticate by the Authorization header or by client_secret, not by both",
                ));
            }
            if form.get("client_id").is_some_and(|named| named != id) {
                return Err(OauthRejection::request(
                    "client_id differs from the Authorization header",
                ));
            }
            (id, Some(secret))
        }
        None => {
            let id = form.required("client_id")?.to_owned();
            (id, form.get("client_secret").map(str::to_owned))
        }
    };
    let id = id.parse().map_err(|_| OauthRejection::client())?;
    let found = state.store.authenticate_application(&id, secret.as_deref()).await?;
    found.ok_or_else(OauthRejection::client)
}

/// Client id and secret of the `Authorization: Basic` header.
fn basic(headers: &HeaderMap) -> OauthResult<Option<(String, String)>> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(OauthRejection::request("the Authorization header must be given once"));
    }
    read_basic(value.to_str().unwrap_or_default()).map(Some).ok_or_else(OauthRejection::client)
}

fn read_basic(value: &str) -> Option<(String, String)> {
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = BASE64.decode(encoded.trim().as_bytes()).ok()?;
    let decoded = String::from_utf8(decoded).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some((unescaped(id), unescaped(secret)))
}

/// Both parts are form-encoded (RFC 6749, section 2.3.1).
fn unescaped(text: &str) -> String {
    let mut names = form_urlencoded::parse(text.as_bytes());
    names.next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_credentials_are_form_decoded() {
        let value = format!("basic {}", BASE64.encode(b"app%5F1:aps_%2D+x"));
        assert_eq!(read_basic(&value), Some(("app_1".to_owned(), "aps_- x".to_owned())));
        for wrong in ["", "Basic", "Basic ", "Bearer YTpi", "Basic YQ==", "Basic !"] {
            assert_eq!(read_basic(wrong), None, "{wrong}");
        }
    }
}
