//! A web unlocker: the endpoint of a provider that fetches a URL for us.
//!
//! The guard checks the URL before the request to the endpoint, but the endpoint resolves the name
//! again: the address it connects to cannot be guarded here.

use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use thiserror::Error;
use url::Url;

use super::Endpoint;
use crate::{
    Fetch, FetchError, FetchRequest, FetchResponse, FetchResult, GuardedResolver, HttpFetch,
    ProviderFault,
};

/// Replaced in the template by the percent-encoded URL.
const URL_PLACEHOLDER: &str = "{url}";

/// The endpoint: a URL template with `{url}`, and headers.
#[derive(Clone, PartialEq, Eq)]
pub struct Unlocker {
    template: String,
    port: u16,
    headers: HeaderMap,
}

// Template and headers may contain an API key.
runtime::partial_debug!(Unlocker);

/// The text is no endpoint template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "invalid endpoint, expected https://api.example.com/v1?key=KEY&url={{url}}, optionally with \
     headers as | Name: value"
)]
pub struct UnlockerError;

impl FromStr for Unlocker {
    type Err = UnlockerError;

    /// Parses `https://host/path?url={url} | Name: value | Name: value`.
    fn from_str(text: &str) -> Result<Self, UnlockerError> {
        let mut parts = text.split(" | ");
        let template = parts.next().unwrap_or_default().trim().to_owned();
        let probe =
            Url::parse(&template.replace(URL_PLACEHOLDER, "x")).map_err(|_| UnlockerError)?;
        let is_template =
            matches!(probe.scheme(), "http" | "https") && template.contains(URL_PLACEHOLDER);
        if !is_template || probe.host_str().is_none() {
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

impl Unlocker {
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    fn endpoint(&self, url: &str) -> Endpoint {
        let encoded = utf8_percent_encode(url, NON_ALPHANUMERIC).to_string();
        Endpoint {
            uri: self.template.replace(URL_PLACEHOLDER, &encoded),
            headers: self.headers.clone(),
        }
    }
}

/// Fetches through the endpoint of a provider.
#[derive(Debug)]
pub struct UnlockerFetch {
    unlocker: Unlocker,
    /// Connects to the endpoint. Its resolver allows the address that the operator configured.
    http: HttpFetch,
    /// Checks the URLs that the endpoint fetches.
    guard: Arc<GuardedResolver>,
}

impl UnlockerFetch {
    #[must_use]
    pub fn new(unlocker: Unlocker, http: HttpFetch, guard: Arc<GuardedResolver>) -> Self {
        Self { unlocker, http, guard }
    }
}

#[async_trait]
impl Fetch for UnlockerFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult<FetchResponse> {
        self.guard.resolve(request.url.host(), request.url.port()).await?;
        let endpoint = self.unlocker.endpoint(request.url.as_str());
        let response =
            self.http.fetch(FetchRequest { at: Some(Arc::new(endpoint)), ..request }).await;
        match response {
            // These statuses come from the provider, not from the site.
            Ok(FetchResponse { status: status @ (401 | 402 | 407), .. }) => {
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(FetchResponse { status: status @ 500.., .. }) => {
                Err(FetchError::Provider(ProviderFault::Refused(status)))
            }
            Ok(response) => Ok(response),
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
    fn endpoint_is_parsed_from_template_and_headers() {
        let text = "https://api.test/v1?key=K&url={url} | X-Key: se:cret | Accept: */*";
        let unlocker: Unlocker = text.parse().unwrap();
        let endpoint = unlocker.endpoint("https://a.test/p?q=1&r=ü");
        assert_eq!(
            endpoint.uri,
            "https://api.test/v1?key=K&url=https%3A%2F%2Fa%2Etest%2Fp%3Fq%3D1%26r%3D%C3%BC"
        );
        assert_eq!(endpoint.headers["x-key"], "se:cret");
        assert_eq!(unlocker.port(), 443);
        assert!(
            !format!("{unlocker:?}{endpoint:?}").contains("se:cret"),
            "debug output hides keys"
        );
        for wrong in ["", "https://api.test/", "{url}", "ftp://a/{url}", "https://a/{url} | x"] {
            assert_eq!(wrong.parse::<Unlocker>(), Err(UnlockerError), "{wrong}");
        }
    }
}
