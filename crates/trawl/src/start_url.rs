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

/// The path below which a run stays that starts at a URL; none for the home page of a site.
pub fn route_of(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let route = urls::route(url.path());
    (!route.is_empty()).then(|| route.to_owned())
}

/// Prints that a run stays below the path of its start URL.
pub fn announce_route(route: &str) {
    eprintln!("trawl: only pages under {route}; --whole-site crawls the whole site");
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
    fn home_page_has_no_route() {
        for url in
            ["https://a.test", "https://a.test/?q=1", "https://a.test/index.html", "nonsense"]
        {
            assert_eq!(route_of(url), None, "{url}");
        }
        for url in ["https://a.test/docs/", "https://a.test/docs", "https://a.test/docs/a.html"] {
            assert_eq!(route_of(url).as_deref(), Some("/docs"), "{url}");
        }
    }
}
