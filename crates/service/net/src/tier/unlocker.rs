//! A provider that fetches pages for us: an endpoint that is told the address.
//!
//! The guard judges the URL before the endpoint is asked, but the endpoint resolves the name
//! again: where it connects to is its own decision and cannot be guarded here.

use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use thiserror::Error;
use url::Url;

use crate::{Answer, Fetch, FetchError, GuardedResolver, HttpFetch, ProviderFault, Request};

/// Where the address stands in the template.
const PLACE: &str = "{url}";

/// The endpoint: a URL with `{url}` in it, and headers.
#[derive(Clone, PartialEq, Eq)]
pub struct Unlocker {
    template: String,
    port: u16,
    headers: HeaderMap,
}

impl std::fmt::Debug for Unlocker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Template and headers hold the key of an account.
        f.debug_struct("Unlocker").finish_non_exhaustive()
    }
}

/// A text that names no endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "this is not an endpoint, as https://api.example.com/v1?key=KEY&url={{url}}, with headers \
     behind it as | Name: value"
)]
pub struct UnlockerError;

impl FromStr for Unlocker {
    type Err = UnlockerError;

    /// Reads `https://host/path?url={url} | Name: value | Name: value`.
    fn from_str(text: &str) -> Result<Self, UnlockerError> {
        let mut parts = text.split(" | ");
        let template = parts.next().unwrap_or_default().trim().to_owned();
        let probe = Url::parse(&template.replace(PLACE, "x")).map_err(|_| UnlockerError)?;
        let fits = matches!(probe.scheme(), "http" | "https") && template.contains(PLACE);
        if !fits || probe.host_str().is_none() {
            return Err(UnlockerError);
        }
        let port = probe.port_or_known_default().ok_or(UnlockerError)?;
        let mut headers = HeaderMap::new();
        for part in parts {
            let (name, value) = part.split_once(':').ok_or(UnlockerError)?;
            let name = HeaderName::from_str(name.trim()).map_err(|_| UnlockerError)?;
            let mut value = HeaderValue::from_str(value.trim()).map_err(|_| UnlockerError)?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self { template, port, headers })
    }
}

/// The address at which something is asked for on behalf of another.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

impl Unlocker {
    /// The port of the endpoint.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    fn endpoint(&self, url: &str) -> Endpoint {
        let encoded = utf8_percent_encode(url, NON_ALPHANUMERIC).to_string();
        Endpoint { uri: self.template.replace(PLACE, &encoded), headers: self.headers.clone() }
    }
}

/// Asks by way of the endpoint.
#[derive(Debug)]
pub struct UnlockerFetch {
    unlocker: Unlocker,
    /// Reaches the endpoint, which is the operator's choice and may be anywhere.
    http: HttpFetch,
    /// Judges what the endpoint is asked for.
    guard: Arc<GuardedResolver>,
}

impl UnlockerFetch {
    /// Asks `unlocker` by `http`, for what `guard` lets pass.
    #[must_use]
    pub fn new(unlocker: Unlocker, http: HttpFetch, guard: Arc<GuardedResolver>) -> Self {
        Self { unlocker, http, guard }
    }
}

#[async_trait]
impl Fetch for UnlockerFetch {
    async fn fetch(&self, request: Request) -> Result<Answer, FetchError> {
        self.guard.resolve(request.url.host(), request.url.port()).await?;
        let endpoint = self.unlocker.endpoint(request.url.as_str());
        let answer = self.http.fetch(Request { at: Some(Arc::new(endpoint)), ..request }).await;
        match answer {
            // These speak of us and the provider, not of the site.
            Ok(Answer { status: status @ (401 | 402 | 407), .. }) => {
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(Answer { status: status @ 500.., .. }) => {
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(answer) => Ok(answer),
            Err(
                FetchError::NameNotFound
                | FetchError::NameServer
                | FetchError::Connect(_)
                | FetchError::Tls(_)
                | FetchError::CutOff
                | FetchError::Protocol
                | FetchError::AddressRefused(_)
                | FetchError::PortRefused(_)
                | FetchError::Egress(_),
            ) => Err(FetchError::Provider(ProviderFault::Unreachable)),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_template_and_headers() {
        let text = "https://api.test/v1?key=K&url={url} | X-Key: se:cret | Accept: */*";
        let unlocker: Unlocker = text.parse().unwrap();
        let endpoint = unlocker.endpoint("https://a.test/p?q=1&r=ü");
        assert_eq!(
            endpoint.uri,
            "https://api.test/v1?key=K&url=https%3A%2F%2Fa%2Etest%2Fp%3Fq%3D1%26r%3D%C3%BC"
        );
        assert_eq!(endpoint.headers["x-key"], "se:cret");
        assert_eq!(unlocker.port(), 443);
        assert!(!format!("{unlocker:?}{endpoint:?}").contains("se:cret"), "keys stay out of logs");
        for wrong in ["", "https://api.test/", "{url}", "ftp://a/{url}", "https://a/{url} | x"] {
            assert_eq!(wrong.parse::<Unlocker>(), Err(UnlockerError), "{wrong}");
        }
    }
}
