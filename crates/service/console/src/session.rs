//! The session cookie and the form token (CSRF).
//!
//! The cookie contains the session token of the API; the console stores nothing. The form token is
//! derived from it, so that other sites cannot know it.
//!
//! A second cookie has the device token of the last sign-in, which identifies the browser at the
//! next one.

use axum::http::{HeaderMap, HeaderValue, header};
use contract::Millis;
use data_encoding::BASE64URL_NOPAD;
use ring::hmac;

use crate::ConsoleState;

/// Lifetime of a device token, as in the store.
const DEVICE_SECONDS: u64 = 180 * 24 * 60 * 60;

/// Domain separation: sessions sign form tokens only.
const PURPOSE: &[u8] = b"a form of the console";

/// Over TLS the `__Host-` prefix binds the cookie to this host and `/`: a neighbouring host cannot
/// set it.
fn name(state: &ConsoleState) -> &'static str {
    if state.is_secure() { "__Host-trawl_session" } else { "trawl_session" }
}

fn device_name(state: &ConsoleState) -> &'static str {
    if state.is_secure() { "__Host-trawl_device" } else { "trawl_device" }
}

/// The session token of the request's cookie.
pub(crate) fn token(headers: &HeaderMap, state: &ConsoleState) -> Option<String> {
    value(headers, name(state))
}

/// The device token of an earlier sign-in.
pub(crate) fn device(headers: &HeaderMap, state: &ConsoleState) -> Option<String> {
    value(headers, device_name(state))
}

fn value(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut cookies = cookies.flat_map(|line| line.split(';')).filter_map(|it| it.split_once('='));
    let (_, token) = cookies.find(|(name, _)| name.trim() == wanted)?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// The `Set-Cookie` header that starts a session.
pub(crate) fn begin(token: &str, expires_at: Millis, state: &ConsoleState) -> HeaderValue {
    cookie(name(state), token, expires_at.since(state.now()).as_secs(), state)
}

/// The `Set-Cookie` header that ends a session.
pub(crate) fn end(state: &ConsoleState) -> HeaderValue {
    cookie(name(state), "", 0, state)
}

/// The `Set-Cookie` header with the device token.
pub(crate) fn remember(device: &str, state: &ConsoleState) -> HeaderValue {
    cookie(device_name(state), device, DEVICE_SECONDS, state)
}

fn cookie(name: &str, value: &str, seconds: u64, state: &ConsoleState) -> HeaderValue {
    let secure = if state.is_secure() { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let header = HeaderValue::from_str(&text);
    // Tokens of the API contain only characters that are valid in headers.
    let mut header = header.unwrap_or_else(|_| HeaderValue::from_static(""));
    header.set_sensitive(true);
    header
}

pub(crate) fn form_token(session: &str) -> String {
    BASE64URL_NOPAD.encode(hmac::sign(&form_key(session), PURPOSE).as_ref())
}

/// Whether the form token belongs to this session.
pub(crate) fn is_form_token(session: &str, given: &str) -> bool {
    let tag = BASE64URL_NOPAD.decode(given.as_bytes());
    tag.is_ok_and(|tag| hmac::verify(&form_key(session), PURPOSE, &tag).is_ok())
}

fn form_key(session: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, session.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_token_is_valid_for_its_session_only() {
        let token = form_token("sess_one");
        assert!(is_form_token("sess_one", &token));
        for (session, given) in
            [("sess_two", token.as_str()), ("sess_one", ""), ("sess_one", &token[1..])]
        {
            assert!(!is_form_token(session, given));
        }
    }
}
