//! Start URLs as people type them.

use std::borrow::Cow;

/// The URL with a scheme: a missing one is `https`, or `http` on this machine. Text that is no host
/// with an optional port stays as it is, so that it is refused.
pub fn with_scheme(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let authority = &text[..end];
    let (host, port) = match authority.rfind(':') {
        // An IPv6 address has colons within its brackets.
        Some(at) if !authority[at..].contains(']') => {
            (&authority[..at], Some(&authority[at + 1..]))
        }
        _ => (authority, None),
    };
    let is_port =
        port.is_none_or(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    if host.is_empty() || !is_port || host.contains('@') {
        return Cow::Borrowed(text);
    }
    let scheme = if is_this_machine(host) { "http" } else { "https" };
    Cow::Owned(format!("{scheme}://{text}"))
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The path of a URL below which a run stays: none for the home page of a site.
pub fn path_of(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    (url.path() != "/").then(|| url.path().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_scheme_is_added() {
        for (text, url) in [
            ("example.com", "https://example.com"),
            (" example.com/docs/?a=b:c ", "https://example.com/docs/?a=b:c"),
            ("example.com:8443/x", "https://example.com:8443/x"),
            ("localhost:8000", "http://localhost:8000"),
            ("127.0.0.1:80/a", "http://127.0.0.1:80/a"),
            ("[::1]:8000", "http://[::1]:8000"),
        ] {
            assert_eq!(with_scheme(text), url);
        }
    }

    #[test]
    fn text_with_a_scheme_or_without_a_host_is_unchanged() {
        for text in
            ["http://example.com", "HTTPS://a.b/", "mailto:a@b.c", "ftp://x/", "/docs", "", "a@b"]
        {
            assert_eq!(with_scheme(text), text);
        }
    }

    #[test]
    fn home_page_has_no_path() {
        assert_eq!(path_of("https://a.test"), None);
        assert_eq!(path_of("https://a.test/?q=1"), None);
        assert_eq!(path_of("https://a.test/docs/").as_deref(), Some("/docs/"));
        assert_eq!(path_of("nonsense"), None);
    }
}
