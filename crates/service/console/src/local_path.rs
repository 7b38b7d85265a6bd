//! Redirect targets on this server.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A path of this server with its query. Never a URL that a browser resolves to another host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalPath(String);

impl LocalPath {
    /// The default target after sign-in.
    pub fn home() -> Self {
        Self("/".to_owned())
    }

    /// Parses an untrusted path. Browsers read `\` as `/`, drop tabs and line breaks, and take
    /// `//` for the start of a host.
    pub fn parse(text: &str) -> Option<Self> {
        let stays = text.starts_with('/')
            && !text.starts_with("//")
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        stays.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Redirects after a form (303), so that a reload does not submit it again.
pub(crate) fn see_other(path: &str) -> Response {
    let path = LocalPath::parse(path).unwrap_or_else(LocalPath::home);
    let location = HeaderValue::from_str(path.as_str());
    let location = location.unwrap_or_else(|_| HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_to_other_hosts_are_rejected() {
        for path in ["/", "/runs?mode=links&page=2", "/runs/job_1#results"] {
            assert_eq!(LocalPath::parse(path).map(|it| it.0).as_deref(), Some(path));
        }
        for path in [
            "",
            "runs",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/runs\r\nSet-Cookie: a=b",
            " /runs",
        ] {
            assert_eq!(LocalPath::parse(path), None, "{path:?}");
        }
    }
}
