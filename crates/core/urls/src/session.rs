//! Session ids in URLs, which never change the content.
//!
//! A session id in a query or path parameter is removed. A session id that the server requires, as a path
//! segment, makes the URL a trap.

use memchr::memchr;

/// Parameter names that always mean a session.
const SESSION_NAMES: &[&str] =
    &["jsessionid", "phpsessid", "oscsid", "zenid", "cftoken", "aspsessionid", "sessid"];

/// Names that mean a session only if the value is a token; `sid` may be a story.
const AMBIGUOUS_NAMES: &[&str] = &["s", "sid", "session", "session_id", "sessionid"];

/// Minimum length of a session token.
const MIN_TOKEN: usize = 20;

/// Whether a query parameter is a session id.
pub(crate) fn is_session(name: &str, value: &str) -> bool {
    SESSION_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
        || (is_token(value) && AMBIGUOUS_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)))
        // Classic ASP appends eight letters.
        || (name.len() == 20
            && name.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("aspsessionid")))
}

/// A random mix of letters and digits.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() >= MIN_TOKEN
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Removes `;jsessionid=…` from the path that begins at `start`.
pub(crate) fn remove_from_path(text: &mut String, start: usize) {
    const MARK: &[u8] = b";jsessionid=";
    // Most paths have no parameter.
    if text.as_bytes().get(start..).and_then(|path| memchr(b';', path)).is_none() {
        return;
    }
    let mut from = start;
    while let Some(found) = text.as_bytes().get(from..).and_then(|rest| {
        rest.windows(MARK.len()).position(|window| window.eq_ignore_ascii_case(MARK))
    }) {
        let at = from + found;
        let rest = &text.as_bytes()[at + 1..];
        let length = rest.iter().position(|byte| matches!(byte, b'/' | b';'));
        let end = length.map_or(text.len(), |length| at + 1 + length);
        let segment = text[..at].rsplit('/').next().unwrap_or_default();
        if matches!(segment, "." | "..") {
            // The remaining dot segment would change the path.
            from = end;
        } else {
            text.replace_range(at..end, "");
            from = at;
        }
    }
}

/// Whether a path segment is a session id that cannot be removed: ASP.NET redirects a request without one
/// to a new one.
pub(crate) fn is_session_segment(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let aspx = inner.is_some_and(|inner| {
        matches!(inner.as_bytes(), [b'S' | b'A' | b'F' | b'X', b'(', .., b')'])
    });
    aspx || segment
        .split_once(['=', '-', '_'])
        .is_some_and(|(name, value)| name.len() > 1 && is_session(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_are_distinguished_from_other_values() {
        let token = "0a1b2c3d4e5f60718293a4b5";
        for (name, value, session) in [
            ("PHPSESSID", "x", true),
            ("ASPSESSIONIDQADBRCSA", "x", true),
            ("sid", token, true),
            ("s", token, true),
            ("sid", "1234", false),
            ("s", "a search for shoes", false),
            ("sid", "12345678901234567890123", false),
            ("id", token, false),
        ] {
            assert_eq!(is_session(name, value), session, "{name}={value}");
        }
        for (segment, session) in [
            ("(S(lit3py55t21z5v55vlm25s55))", true),
            ("sid-0a1b2c3d4e5f60718293a4b5", true),
            ("sessionid=0a1b2c3d4e5f60718293a4b5", true),
            ("s-0a1b2c3d4e5f60718293a4b5", false),
            ("session-1", false),
            ("(draft)", false),
            ("()", false),
        ] {
            assert_eq!(is_session_segment(segment), session, "{segment}");
        }
    }

    #[test]
    fn session_id_is_removed_from_a_path() {
        for (path, kept) in [
            ("/a;jsessionid=1", "/a"),
            ("/a;JSessionID=1.node2/b;v=1;jsessionid=2;w=3", "/a/b;v=1;w=3"),
            ("/a;jsessionid=1;jsessionid=2", "/a"),
            ("/.;jsessionid=1/b", "/.;jsessionid=1/b"),
            ("/a;jsessionid", "/a;jsessionid"),
            ("/", "/"),
        ] {
            let mut text = path.to_owned();
            remove_from_path(&mut text, 0);
            assert_eq!(text, kept, "{path}");
        }
    }
}
