//! The key of a URL in a CDXJ index: its SURT form, by the rules of the `surt` package of the Internet
//! Archive, which replay programs apply to the requested URL.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// Bytes that stay escaped.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'%');

/// Query parameters of sessions, whose values have 32 letters and digits.
const SESSIONS: [&str; 3] = ["jsessionid=", "phpsessid=", "sid="];
const SESSION_DIGITS: usize = 32;

/// The key of an http or https URL: `com,example)/path?a=1` for `https://www.example.com/Path/?a=1`.
pub(super) fn key(url: &str) -> String {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (path, query) = path.split_once('?').map_or((path, ""), |(path, query)| (path, query));
    let mut key = host_key(&authority.to_ascii_lowercase(), scheme);
    key.push(')');
    key.push_str(&path_key(path));
    let query = without_sessions(normalised(query)).to_ascii_lowercase();
    if !query.is_empty() {
        key.push('?');
        key.push_str(&sorted(&query));
    }
    key
}

fn host_key(authority: &str, scheme: &str) -> String {
    let default = if scheme.eq_ignore_ascii_case("https") { "443" } else { "80" };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (authority, ""),
    };
    let host = host.trim_matches('.');
    let numbered = host.strip_prefix("www").map(|rest| rest.trim_start_matches(digit));
    let host = numbered.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host);
    let labels: Vec<_> = host.rsplit('.').collect();
    let mut key = labels.join(",");
    if !port.is_empty() && port != default {
        key.push(':');
        key.push_str(port);
    }
    key
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The path in lower case, without dot segments, empty segments and the slash at its end.
fn path_key(path: &str) -> String {
    let path = decoded(path);
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"" | b"." => {}
            b".." if kept.last().is_some_and(|last| *last != b"..") => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    let path = percent_encode(&kept.join(&b'/'), ESCAPED).to_string();
    format!("/{}", path.to_ascii_lowercase())
}

/// Without percent escapes, also of percent escapes. Each turn makes the text shorter.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = percent_decode_str(text).collect();
    loop {
        let again: Vec<u8> = percent_encoding::percent_decode(&bytes).collect();
        if again.len() == bytes.len() {
            return bytes;
        }
        bytes = again;
    }
}

fn normalised(text: &str) -> String {
    percent_encode(&decoded(text), ESCAPED).to_string()
}

fn without_sessions(mut query: String) -> String {
    for name in SESSIONS {
        let folded = query.to_ascii_lowercase();
        let found = folded.rmatch_indices(name).find_map(|(from, _)| {
            let value = &folded[from + name.len()..];
            let digits = value.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let is_last = value.len() == digits || value.as_bytes().get(digits) == Some(&b'&');
            let end = (from + name.len() + digits + 1).min(folded.len());
            (digits == SESSION_DIGITS && is_last).then_some((from, end))
        });
        if let Some((from, end)) = found {
            query.replace_range(from..end, "");
        }
    }
    query
}

/// The parameters by name and value.
fn sorted(query: &str) -> String {
    let parts = query
        .split('&')
        .map(|part| part.split_once('=').map_or((part, None), |(a, b)| (a, Some(b))));
    let mut parts: Vec<_> = parts.collect();
    parts.sort_unstable();
    let parts = parts.into_iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => name.to_owned(),
    });
    parts.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_the_keys_of_the_surt_package() {
        for (url, expected) in [
            ("https://www.Example.com/", "com,example)/"),
            ("http://www2.example.com:80/A/B/", "com,example)/a/b"),
            ("https://example.com:8443/a//b/./c/../d", "com,example:8443)/a/b/d"),
            ("http://127.0.0.1:8080/x?b=2&a=1&a&a=", "1,0,0,127:8080)/x?a&a=&a=1&b=2"),
            ("https://example.com/caf%C3%A9%20bar?", "com,example)/caf%c3%a9%20bar"),
            ("https://example.com/%2541?q=%23a%26b", "com,example)/a?b&q=%23a"),
            (
                "https://example.com/?id=1&PHPSESSID=0123456789abcdef0123456789abcdef&z=2",
                "com,example)/?id=1&z=2",
            ),
            ("https://user@example.com", "com,example)/"),
            ("https://wwwexample.com/#top", "com,wwwexample)/"),
        ] {
            assert_eq!(key(url), expected, "{url}");
        }
    }
}
