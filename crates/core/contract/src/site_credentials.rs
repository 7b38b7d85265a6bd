//! Headers, cookies and credentials that a client gives for the site of a page. `Debug` hides their
//! values, so that no log has them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::BodyFields;

/// Maximum headers, and maximum cookies.
const MAX_FIELDS: usize = 50;

/// Maximum bytes of all headers and cookies together.
const MAX_BYTES: usize = 16 * 1024;

/// Headers that the service sets, or that change how a connection or a message is read. `proxy-` and
/// `sec-` are prefixes.
const REFUSED_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "from",
    "host",
    "http2-settings",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];
const REFUSED_PREFIXES: &[&str] = &["proxy-", "sec-", "x-forwarded-", ":"];

/// A secret text. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SecretText(String);

impl SecretText {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret. Never log it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// User name and password of HTTP basic authentication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    #[schema(max_length = 500)]
    pub username: String,
    #[schema(value_type = String, format = "password", max_length = 500)]
    pub password: SecretText,
}

/// What is sent to the origin of a URL, and to no other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteCredentials {
    pub headers: BTreeMap<String, SecretText>,
    pub cookies: BTreeMap<String, SecretText>,
    pub basic_auth: Option<BasicAuth>,
    pub bearer: Option<SecretText>,
}

impl SiteCredentials {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads `headers`, `cookies`, `basic_auth` and `bearer`.
    pub(crate) fn read(fields: &mut BodyFields<'_>) -> Self {
        let headers = read_fields(fields, "headers", header_error);
        let cookies = read_fields(fields, "cookies", cookie_error);
        let basic_auth = fields.object("basic_auth", read_basic_auth).flatten();
        let bearer = fields.text("bearer").map(SecretText::new);
        if bearer.as_ref().is_some_and(|token| !is_token68(token.reveal())) {
            fields.wrong("bearer", "must be a token of letters, digits and -._~+/=");
        }
        if fields.given("basic_auth") && fields.given("bearer") {
            fields.wrong("bearer", "must not be given together with basic_auth");
        }
        let has = |name: &str| headers.keys().any(|header| header.eq_ignore_ascii_case(name));
        if has("authorization") && (fields.given("basic_auth") || fields.given("bearer")) {
            fields.wrong("headers.Authorization", "is set by basic_auth or bearer");
        }
        if has("cookie") && !cookies.is_empty() {
            fields.wrong("headers.Cookie", "is set by cookies");
        }
        let all = || headers.iter().chain(&cookies);
        let bytes: usize = all().map(|(name, value)| name.len() + value.reveal().len()).sum();
        if bytes > MAX_BYTES {
            let name = if headers.is_empty() { "cookies" } else { "headers" };
            fields.wrong(name, format!("must not have more than {MAX_BYTES} bytes, with cookies"));
        }
        Self { headers, cookies, basic_auth, bearer }
    }
}

/// Reads `headers` without the other members.
pub(crate) fn read_headers(fields: &mut BodyFields<'_>) -> BTreeMap<String, SecretText> {
    let headers = read_fields(fields, "headers", header_error);
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.reveal().len()).sum();
    if bytes > MAX_BYTES {
        fields.wrong("headers", format!("must not have more than {MAX_BYTES} bytes"));
    }
    headers
}

fn read_basic_auth(fields: &mut BodyFields<'_>) -> Option<BasicAuth> {
    let mut part = |name: &'static str| {
        fields.require(name);
        let text = fields.text(name)?.to_owned();
        let is_valid = text.len() <= 500 && !text.chars().any(char::is_control);
        if !is_valid {
            fields.wrong(name, "must have at most 500 bytes and no control characters");
        } else if name == "username" && text.contains(':') {
            fields.wrong(name, "must not contain a colon");
        }
        Some(text)
    };
    let (username, password) = (part("username"), part("password"));
    Some(BasicAuth { username: username?, password: SecretText(password?) })
}

/// Reads an object of names and values. Errors name the entry and never contain its value.
fn read_fields(
    fields: &mut BodyFields<'_>,
    name: &'static str,
    error: fn(&str, &str) -> Option<&'static str>,
) -> BTreeMap<String, SecretText> {
    let Some(value) = fields.value(name) else { return BTreeMap::new() };
    let Value::Object(members) = value else {
        fields.wrong(name, "must be an object of names and values");
        return BTreeMap::new();
    };
    if members.len() > MAX_FIELDS {
        fields.wrong(name, format!("must have at most {MAX_FIELDS} entries"));
        return BTreeMap::new();
    }
    let mut read = BTreeMap::<String, SecretText>::new();
    for (key, value) in members {
        let at = format!("{name}.{}", key.chars().take(100).collect::<String>());
        let Value::String(text) = value else {
            fields.wrong(&at, "must be a string");
            continue;
        };
        if let Some(message) = error(key, text) {
            fields.wrong(&at, message);
        } else if name == "headers" && read.keys().any(|known| known.eq_ignore_ascii_case(key)) {
            fields.wrong(&at, "is given twice");
        } else {
            read.insert(key.clone(), SecretText::new(text));
        }
    }
    read
}

fn header_error(name: &str, value: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let is_refused = REFUSED_HEADERS.contains(&lower.as_str())
        || REFUSED_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    if is_refused {
        return Some("is set by the service and cannot be given");
    }
    let is_text = |byte: u8| matches!(byte, b' '..=b'~' | b'\t');
    if !is_token(name) || name.len() > 100 {
        Some("is not the name of a header")
    } else if !value.bytes().all(is_text) || value.trim() != value {
        Some("must be printable ASCII without white space around it")
    } else {
        None
    }
}

fn cookie_error(name: &str, value: &str) -> Option<&'static str> {
    let is_octet =
        |byte: u8| matches!(byte, b'!' | b'#'..=b'+' | b'-'..=b':' | b'<'..=b'[' | b']'..=b'~');
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if !is_token(name) || name.len() > 100 {
        Some("is not the name of a cookie")
    } else if !inner.bytes().all(is_octet) {
        Some("must be printable ASCII without white space, quotes, comma, semicolon and backslash")
    } else {
        None
    }
}

/// Whether the text is a token of RFC 9110.
fn is_token(text: &str) -> bool {
    let is_special = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_special(byte))
}

fn is_token68(text: &str) -> bool {
    let is_special = |byte: u8| b"-._~+/=".contains(&byte);
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || is_special(byte);
    (1..=4_096).contains(&text.len()) && text.bytes().all(is_valid)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<SiteCredentials, Vec<String>> {
        let mut fields = BodyFields::of(body).expect("an object");
        let read = SiteCredentials::read(&mut fields);
        let errors = fields.finish();
        if errors.is_empty() {
            return Ok(read);
        }
        assert!(errors.iter().all(|error| !error.message.contains("s3cret")), "{errors:?}");
        Err(errors.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn credentials_are_read_and_not_shown() {
        let body = json!({"headers": {"X-Token": "s3cret"}, "cookies": {"id": "s3cret"},
            "basic_auth": {"username": "ada", "password": "s3cret"}});
        let read = read(&body).expect("valid credentials");
        assert_eq!(read.headers["X-Token"].reveal(), "s3cret");
        assert!(!read.is_empty());
        assert!(!format!("{read:?}").contains("s3cret"), "{read:?}");
    }

    #[test]
    fn dangerous_and_contradictory_headers_are_refused() {
        for name in [
            "Host",
            "content-length",
            "Transfer-Encoding",
            "Connection",
            "Upgrade",
            "TE",
            "Proxy-Authorization",
            "Sec-Fetch-Site",
            "X-Forwarded-For",
            "Range",
            "User-Agent",
        ] {
            let wrong = read(&json!({"headers": {name: "s3cret"}}));
            assert_eq!(wrong, Err(vec![format!("headers.{name}")]));
        }
        for (body, wrong) in [
            (json!({"headers": {"a b": "s3cret"}}), "headers.a b"),
            (json!({"headers": {"A": "s3cret\r\nHost: x"}}), "headers.A"),
            (json!({"headers": {"A": 1}}), "headers.A"),
            (json!({"headers": {"A": "1", "a": "2"}}), "headers.a"),
            (json!({"headers": ["A"]}), "headers"),
            (json!({"headers": {"A": "s3cret".repeat(3_000)}}), "headers"),
            (json!({"cookies": {"a": "s3cret; b=1"}}), "cookies.a"),
            (json!({"cookies": {"": "s3cret"}}), "cookies."),
            (json!({"headers": {"Cookie": "a=1"}, "cookies": {"a": "1"}}), "headers.Cookie"),
            (
                json!({"headers": {"authorization": "s3cret"}, "bearer": "s3cret"}),
                "headers.Authorization",
            ),
            (json!({"bearer": "s3cret s3cret"}), "bearer"),
            (json!({"bearer": "a", "basic_auth": {"username": "a", "password": "b"}}), "bearer"),
            (json!({"basic_auth": {"username": "a"}}), "basic_auth.password"),
            (
                json!({"basic_auth": {"username": "a:b", "password": "s3cret"}}),
                "basic_auth.username",
            ),
        ] {
            assert_eq!(read(&body), Err(vec![wrong.to_owned()]), "{body}");
        }
    }
}
