//! Request headers with secrets of the client: cookies, credentials and others, bound to one origin.

use std::fmt;

use http::HeaderMap;
use urls::CanonicalUrl;

/// Headers that are sent to one origin only: scheme, host and port. A redirect to another origin is
/// requested without them. `Debug` hides them, so that no log has them.
#[derive(Clone, PartialEq, Eq)]
pub struct SiteHeaders {
    origin: String,
    headers: HeaderMap,
}

impl SiteHeaders {
    /// Headers for the origin of this URL.
    #[must_use]
    pub fn new(url: &CanonicalUrl, headers: HeaderMap) -> Self {
        Self { origin: url.origin().to_owned(), headers }
    }

    /// The headers of a request for this URL; `None` if it has another origin.
    #[must_use]
    pub fn of(&self, url: &CanonicalUrl) -> Option<&HeaderMap> {
        (url.origin() == self.origin).then_some(&self.headers)
    }
}

impl fmt::Debug for SiteHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteHeaders").field("origin", &self.origin).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::COOKIE;

    use super::*;

    #[test]
    fn headers_belong_to_one_scheme_host_and_port_and_are_not_shown() {
        let url = |text: &str| CanonicalUrl::parse(text).expect("a URL");
        let headers = [(COOKIE, HeaderValue::from_static("id=secret"))].into_iter().collect();
        let site = SiteHeaders::new(&url("https://shop.test/login"), headers);
        assert!(site.of(&url("https://shop.test/orders?page=2")).is_some());
        for other in [
            "http://shop.test/login",
            "https://www.shop.test/login",
            "https://shop.test:8443/login",
            "https://evil.test/login",
            "https://shop.test.evil.test/",
        ] {
            assert!(site.of(&url(other)).is_none(), "{other}");
        }
        assert!(!format!("{site:?}").contains("secret"));
    }
}
