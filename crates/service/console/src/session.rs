//! The session of a person as a cookie, and the token that ties a form to it.
//!
//! The cookie holds the token of the API's own session; nothing of it is kept here. A form's
//! token is derived from it, so that a page of somebody else cannot know it and there is nothing
//! to store.
//!
//! A second cookie holds the device token of the last sign-in, by which the next one is known.

use axum::http::{HeaderMap, HeaderValue, header};
use contract::Millis;
use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::ConsoleState;

/// As long as the store remembers a device.
const DEVICE_SECONDS: u64 = 180 * 24 * 60 * 60;

/// What a form's token is made for; nothing else is signed with a session.
const PURPOSE: &[u8] = b"a form of the console";

/// Behind TLS browsers take the name with the prefix from this very host alone, for `/` alone:
/// a neighbouring host cannot slip in a session of its own.
fn name(state: &ConsoleState) -> &'static str {
    if state.is_secure() { "__Host-trawl_session" } else { "trawl_session" }
}

fn device_name(state: &ConsoleState) -> &'static str {
    if state.is_secure() { "__Host-trawl_device" } else { "trawl_device" }
}

/// The token that the request's cookie carries.
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

/// The header that gives a browser its session.
pub(crate) fn begin(token: &str, expires_at: Millis, state: &ConsoleState) -> HeaderValue {
    cookie(name(state), token, expires_at.since(state.now()).as_secs(), state)
}

/// The header that takes it away.
pub(crate) fn end(state: &ConsoleState) -> HeaderValue {
    cookie(name(state), "", 0, state)
}

/// The header by which a browser is known at its next sign-in.
pub(crate) fn remember(device: &str, state: &ConsoleState) -> HeaderValue {
    cookie(device_name(state), device, DEVICE_SECONDS, state)
}

fn cookie(name: &str, value: &str, seconds: u64, state: &ConsoleState) -> HeaderValue {
    let secure = if state.is_secure() { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let header = HeaderValue::from_str(&text);
    // The API's tokens have nothing in them that a header could not hold.
    let mut header = header.unwrap_or_else(|_| HeaderValue::from_static(""));
    header.set_sensitive(true);
    header
}

/// The token for the forms of a session.
pub(crate) fn form_token(session: &str) -> String {
    let tag = signed(session).map(|mac| mac.finalize().into_bytes());
    tag.map(|tag| BASE64URL_NOPAD.encode(&tag)).unwrap_or_default()
}

/// Whether a form carries the token of this session.
pub(crate) fn is_form_token(session: &str, given: &str) -> bool {
    let (Some(mac), Ok(tag)) = (signed(session), BASE64URL_NOPAD.decode(given.as_bytes())) else {
        return false;
    };
    mac.verify_slice(&tag).is_ok()
}

fn signed(session: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(session.as_bytes()).ok()?;
    mac.update(PURPOSE);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_fits_its_own_session_alone() {
        let token = form_token("sess_one");
        assert!(is_form_token("sess_one", &token));
        for (session, given) in
            [("sess_two", token.as_str()), ("sess_one", ""), ("sess_one", &token[1..])]
        {
            assert!(!is_form_token(session, given));
        }
    }
}
