//! Request headers with secrets of the client: cookies, credentials and others, bound to one origin.

use std::fmt;

use contract::SiteCredentials;
use data_encoding::BASE64;
use http::header::{AUTHORIZATION, COOKIE, InvalidHeaderValue};
use http::{HeaderMap, HeaderName, HeaderValue};
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

/// The headers of the credentials.
///
/// # Errors
/// The name of a header that cannot be sent.
pub fn credential_headers(credentials: &SiteCredentials) -> Result<HeaderMap, String> {
    let SiteCredentials { headers, cookies, basic_auth, bearer } = credentials;
    let mut all = HeaderMap::new();
    for (name, value) in headers {
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| name.clone())?;
        all.insert(known, secret_value(value.reveal()).map_err(|_| name.clone())?);
    }
    if !cookies.is_empty() {
        let pairs: Vec<_> =
            cookies.iter().map(|(name, value)| format!("{name}={}", value.reveal())).collect();
        all.insert(COOKIE, secret_value(&pairs.join("; ")).map_err(|_| "Cookie".to_owned())?);
    }
    let authorization = match (basic_auth, bearer) {
        (Some(basic), _) => {
            let pair = format!("{}:{}", basic.username, basic.password.reveal());
            Some(format!("Basic {}", BASE64.encode(pair.as_bytes())))
        }
        (None, Some(token)) => Some(format!("Bearer {}", token.reveal())),
        (None, None) => None,
    };
    if let Some(value) = authorization {
        let value = secret_value(&value).map_err(|_| "Authorization".to_owned())?;
        all.insert(AUTHORIZATION, value);
    }
    Ok(all)
}

/// A header value that `Debug` does not show.
pub(crate) fn secret_value(value: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(value)?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for SiteHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteHeaders").field("origin", &self.origin).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use contract::{BasicAuth, SecretText};

    use super::*;

    #[test]
    fn credentials_become_headers_that_are_not_shown() {
        let secrets = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), SecretText::new(*value)))
                .collect()
        };
        let credentials = SiteCredentials {
            headers: secrets(&[("X-Token", "s3cret")]),
            cookies: secrets(&[("a", "1"), ("b", "s3cret")]),
            basic_auth: Some(BasicAuth {
                username: "Aladdin".to_owned(),
                password: SecretText::new("open sesame"),
            }),
            bearer: None,
        };
        let headers = credential_headers(&credentials).expect("headers");
        assert_eq!(headers["x-token"], "s3cret");
        assert_eq!(headers["cookie"], "a=1; b=s3cret");
        assert_eq!(headers["authorization"], "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(!format!("{headers:?}").contains("s3cret"), "{headers:?}");
    }

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
