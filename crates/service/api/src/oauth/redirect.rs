//! Redirect URIs of applications.
//!
//! Registered URIs are compared as strings, because lenient comparison is a common vulnerability.
//! The only exception is that of RFC 8252: a native application on the loopback interface may use
//! any port.

use thiserror::Error;
use url::{Host, Url};

const LONGEST: usize = 2_048;

/// A redirect URI that an application may register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RedirectUri {
    text: String,
    url: Url,
}

/// Why a redirect URI is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum RedirectUriError {
    #[error("must have at most {LONGEST} characters, of printable ASCII and without * and \\")]
    Characters,
    #[error("must be an absolute URI")]
    NotAbsolute,
    #[error("must have no fragment")]
    Fragment,
    #[error("must have no user and no password")]
    Credentials,
    #[error(
        "must begin with https://, with http:// and 127.0.0.1, [::1] or localhost, or with a \
         scheme of your own that has a dot in it, as com.example.app:/"
    )]
    Scheme,
    #[error("must have a host name of letters, digits, dots and hyphens")]
    Host,
}

impl RedirectUri {
    pub fn parse(text: &str) -> Result<Self, RedirectUriError> {
        // Characters that browsers normalise are rejected, not corrected.
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"*\\<>\"`{}|^".contains(&byte);
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(plain) {
            return Err(RedirectUriError::Characters);
        }
        let url = Url::parse(text).map_err(|_| RedirectUriError::NotAbsolute)?;
        if text.contains('#') {
            return Err(RedirectUriError::Fragment);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(RedirectUriError::Credentials);
        }
        let fits = match url.scheme() {
            // Checked on the text: the URL parser would add missing slashes.
            "https" => url.has_host() && text[5..].starts_with("://"),
            "http" => is_loopback(&url) && text[4..].starts_with("://"),
            own => own.contains('.'),
        };
        if !fits {
            return Err(RedirectUriError::Scheme);
        }
        // The consent page puts the host into its content security policy.
        let plain = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '-');
        if url.scheme() == "https" && !url.host_str().is_some_and(|host| host.chars().all(plain)) {
            return Err(RedirectUriError::Host);
        }
        Ok(Self { text: text.to_owned(), url })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, or the scheme if there is none, for display.
    pub fn display_host(&self) -> &str {
        self.url.host_str().unwrap_or(self.url.scheme())
    }

    /// Whether `requested` matches this registered URI.
    pub fn admits(&self, requested: &Self) -> bool {
        self.text == requested.text
            || (is_local(&self.url) && self.without_port() == requested.without_port())
    }

    fn without_port(&self) -> Option<Url> {
        let mut url = self.url.clone();
        (is_local(&url) && url.set_port(None).is_ok()).then_some(url)
    }

    /// This URI with parameters added to its query.
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let mark = if self.text.contains('?') { '&' } else { '?' };
        let query =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        format!("{}{mark}{query}", self.text)
    }
}

fn is_local(url: &Url) -> bool {
    url.scheme() == "http" && is_loopback(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(ip)) => ip == std::net::Ipv6Addr::LOCALHOST,
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> RedirectUri {
        RedirectUri::parse(text).expect(text)
    }

    #[test]
    fn https_loopback_and_private_scheme_uris_are_accepted() {
        for good in [
            "https://app.example/back",
            "https://app.example:8443/back?tenant=1",
            "http://127.0.0.1/back",
            "http://127.0.0.1:49152/back",
            "http://[::1]:8080/",
            "http://localhost:3000/callback",
            "com.example.app:/back",
            "com.example.app://back",
        ] {
            assert_eq!(uri(good).as_str(), good);
        }
    }

    #[test]
    fn unsafe_redirect_uris_are_rejected() {
        for bad in [
            "",
            "/back",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "java.script\t:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "blob:https://a.example/1",
            "about:blank",
            "app:/back",
            "http://app.example/back",
            "http://127.0.0.2/back",
            "http://127.0.0.1.evil.example/",
            "http://localhost.evil.example/",
            "http://10.0.0.1/",
            "https://*.example.com/",
            "https://app.example/*",
            "https://app.example/back#x",
            "https://app.example/#",
            "https://user@app.example/",
            "https://user:password@app.example/",
            "https://good.example\\@evil.example/",
            "https:app.example/back",
            "https:/app.example/back",
            "https://app.example/ back",
            "https://app.example/b\u{e4}ck",
            "https://app.example/\nback",
            "https://my_app.example/back",
            "https://[2001:db8::1]/back",
        ] {
            assert!(RedirectUri::parse(bad).is_err(), "{bad}");
        }
        let long = format!("https://app.example/{}", "x".repeat(LONGEST));
        assert_eq!(RedirectUri::parse(&long), Err(RedirectUriError::Characters));
    }

    #[test]
    fn redirect_uris_match_only_exactly() {
        let registered = uri("https://app.example/back");
        assert!(registered.admits(&uri("https://app.example/back")));
        for other in [
            "https://app.example/back/",
            "https://app.example/back?x=1",
            "https://app.example/Back",
            "https://APP.example/back",
            "https://app.example:443/back",
            "https://app.example/a/../back",
            "https://evil.example/back",
            "https://app.example.evil.example/back",
            "http://localhost/back",
        ] {
            assert!(!registered.admits(&uri(other)), "{other}");
        }
    }

    #[test]
    fn loopback_redirect_uri_matches_any_port() {
        let registered = uri("http://127.0.0.1/back");
        for port in ["", ":80", ":1024", ":65535"] {
            assert!(registered.admits(&uri(&format!("http://127.0.0.1{port}/back"))), "{port}");
        }
        assert!(uri("http://[::1]:9/x").admits(&uri("http://[::1]:10/x")));
        for other in [
            "http://127.0.0.1:1024/other",
            "http://127.0.0.1:1024/back?x=1",
            "http://localhost:1024/back",
            "http://[::1]:1024/back",
            "https://127.0.0.1:1024/back",
        ] {
            assert!(!registered.admits(&uri(other)), "{other}");
        }
        assert!(!uri("https://app.example:1/back").admits(&uri("https://app.example:2/back")));
    }

    #[test]
    fn parameters_are_appended_to_an_existing_query() {
        let parameters = [("code", "a b&c"), ("iss", "https://t.example")];
        assert_eq!(
            uri("https://app.example/back").with(&parameters),
            "https://app.example/back?code=a+b%26c&iss=https%3A%2F%2Ft.example"
        );
        assert_eq!(
            uri("com.example.app:/back?t=1").with(&parameters),
            "com.example.app:/back?t=1&code=a+b%26c&iss=https%3A%2F%2Ft.example"
        );
    }
}
