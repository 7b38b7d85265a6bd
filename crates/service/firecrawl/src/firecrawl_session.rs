//! Calls of the API for one request.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use client::{ApiCall, ApiResponse, RequestOrigin};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::FirecrawlState;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The name of that header in Firecrawl.
const THEIR_IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("x-idempotency-key");

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The caller of a request, and the API as that caller uses it.
#[derive(Debug)]
pub(crate) struct FirecrawlSession {
    pub state: Arc<FirecrawlState>,
    credential: Option<HeaderValue>,
    /// The protocol that a WebSocket offers.
    protocol: Option<String>,
    idempotency_key: Option<HeaderValue>,
    origin: RequestOrigin,
    /// URL of the operations, as the caller reaches them.
    base: String,
}

impl FromRequestParts<Arc<FirecrawlState>> for FirecrawlSession {
    type Rejection = FirecrawlError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &Arc<FirecrawlState>,
    ) -> Result<Self, FirecrawlError> {
        let mut given = parts.headers.get_all(header::AUTHORIZATION).iter();
        // Two `Authorization` headers are ambiguous: use none.
        let credential = given.next().filter(|_| given.next().is_none()).cloned();
        let protocol = parts.headers.get(header::SEC_WEBSOCKET_PROTOCOL);
        let protocol = protocol.and_then(|value| value.to_str().ok()).map(str::to_owned);
        // A browser cannot set headers of a WebSocket: the npm client sends its key as a protocol.
        let credential = credential.or_else(|| {
            let key =
                protocol.as_deref().filter(|_| !parts.headers.contains_key(header::AUTHORIZATION));
            HeaderValue::from_str(&format!("Bearer {}", key?)).ok()
        });
        Ok(Self {
            credential,
            protocol,
            idempotency_key: parts.headers.get(THEIR_IDEMPOTENCY_KEY).cloned(),
            origin: RequestOrigin::of(parts),
            base: format!("{}{}", own_url(parts, &state.settings.public_url), state.prefix),
            state: Arc::clone(state),
        })
    }
}

/// The URL of the service for links in its answers: as the caller reaches it, because old clients
/// request these links as they are.
fn own_url(parts: &Parts, public_url: &str) -> String {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host else { return public_url.to_owned() };
    let public = Url::parse(public_url).ok();
    let is_public = public.is_some_and(|url| {
        let name = url.host_str().unwrap_or_default();
        let authority = url.port().map_or(name.to_owned(), |port| format!("{name}:{port}"));
        authority.eq_ignore_ascii_case(host)
    });
    if is_public {
        return public_url.to_owned();
    }
    let is_https = parts.headers.get(FORWARDED_PROTO).is_some_and(|scheme| scheme == "https");
    let scheme = if is_https { "https" } else { "http" };
    // An authority only: the header must not add a path.
    match Url::parse(&format!("{scheme}://{host}/")) {
        Ok(url) if url.path() == "/" && url.username().is_empty() => {
            url.as_str().trim_end_matches('/').to_owned()
        }
        Ok(_) | Err(_) => public_url.to_owned(),
    }
}

impl FirecrawlSession {
    /// The `Authorization` of the caller.
    pub fn credential(&self) -> Option<&HeaderValue> {
        self.credential.as_ref()
    }

    pub fn url(&self, operation: &str) -> String {
        format!("{}{operation}", self.base)
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> FirecrawlResult<T> {
        let answer = self.send(ApiCall::get(path)).await?;
        answer.json().map_err(|error| FirecrawlError::from(error).with_headers(&answer.headers))
    }

    /// Sends a body. A retry with the caller's idempotency key gets the same answer.
    pub async fn post(&self, path: &str, body: &Value) -> FirecrawlResult<ApiResponse> {
        let mut call = ApiCall::post(path).json(body);
        if let Some(key) = &self.idempotency_key {
            call = call.header(IDEMPOTENCY_KEY, key.clone());
        }
        self.send(call).await
    }

    pub async fn send(&self, call: ApiCall) -> FirecrawlResult<ApiResponse> {
        Ok(self.state.client.send(self.authorized(call)).await?)
    }

    /// Sends a call, and returns its successful response before the body.
    pub async fn open(&self, call: ApiCall) -> FirecrawlResult<Response> {
        let response = self.state.client.open(self.authorized(call)).await;
        if response.status().is_success() {
            return Ok(response);
        }
        let refused = ApiResponse::of(response).await?;
        let error = match refused.check() {
            Err(error) => FirecrawlError::from(error).with_headers(&refused.headers),
            Ok(()) => FirecrawlError::unsupported("this answer"),
        };
        Err(error)
    }

    fn authorized(&self, call: ApiCall) -> ApiCall {
        let call = self.origin.on(call);
        match &self.credential {
            Some(credential) => call.authorized(credential),
            None => call,
        }
    }

    /// The protocol that a WebSocket offers.
    pub fn protocol(&self) -> Option<String> {
        self.protocol.clone()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn url(headers: &[(&str, &str)]) -> String {
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        own_url(&parts, "https://crawl.example")
    }

    #[test]
    fn links_name_the_host_that_the_caller_used() {
        assert_eq!(url(&[("host", "crawl.example")]), "https://crawl.example");
        assert_eq!(url(&[("host", "127.0.0.1:8080")]), "http://127.0.0.1:8080");
        let proxied = [("host", "other.example"), ("x-forwarded-proto", "https")];
        assert_eq!(url(&proxied), "https://other.example");
        assert_eq!(url(&[]), "https://crawl.example");
        assert_eq!(url(&[("host", "a.example/path?x")]), "https://crawl.example");
        assert_eq!(url(&[("host", "u:p@a.example")]), "https://crawl.example");
    }
}
