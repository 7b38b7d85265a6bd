//! Requests with a body over HTTPS: webhook deliveries and payment providers.
//!
//! A client chooses the URL of a webhook: the guard checks every address, also those of the
//! operator's name table if the settings say so. Only `https:` URLs are accepted, and with
//! [`HttpSettings::plain_to_allowed`] also `http:` URLs of hosts in explicitly allowed networks.

use std::sync::Arc;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use tokio::time::timeout_at;
use url::Url;

use crate::deadline::deadline_after;
use crate::http::{BodyMemory, ConnectionPool, body, fetch_error, set_up};
use crate::{Encoding, FetchError, FetchResult, GuardedResolver, HttpSettings, Phase, SetupError};

/// URL, headers and body of a request.
#[derive(Debug, Clone)]
pub struct Post {
    /// Must have the scheme `https`, except with [`HttpSettings::plain_to_allowed`].
    pub url: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Status and body of a response.
#[derive(Debug, Clone)]
pub struct PostResponse {
    pub status: u16,
    /// At most `body_bytes` of the settings.
    pub body: Bytes,
}

/// Sends requests with a body over a connection pool.
#[derive(Clone)]
pub struct HttpPost {
    pool: ConnectionPool,
    resolver: Arc<GuardedResolver>,
    user_agent: HeaderValue,
    settings: Arc<HttpSettings>,
    body_memory: BodyMemory,
}

runtime::partial_debug!(HttpPost, settings);

impl HttpPost {
    /// Creates a sender with its own connection pool. Opens no connection. At most `body_bytes`
    /// of a response are read, and a request takes at most `whole`.
    ///
    /// # Errors
    /// [`SetupError`] when the settings are wrong.
    pub fn new(settings: HttpSettings) -> Result<Self, SetupError> {
        let (user_agent, resolver, connector) = set_up(&settings)?;
        let pool = ConnectionPool::new(&settings, connector);
        let body_memory = BodyMemory::new(settings.large_body_bytes);
        Ok(Self { pool, resolver, user_agent, settings: Arc::new(settings), body_memory })
    }

    #[must_use]
    pub fn resolver(&self) -> &Arc<GuardedResolver> {
        &self.resolver
    }

    /// Sends a POST and returns the status after the body was read. Does not follow redirects.
    ///
    /// # Errors
    /// [`FetchError`] if the response is not complete within `whole`.
    pub async fn post(&self, post: Post) -> FetchResult<u16> {
        // The body is ignored, but its end shows that the receiver is done.
        self.send(Method::POST, post).await.map(|response| response.status)
    }

    /// Sends a request with any method and returns status and body.
    ///
    /// # Errors
    /// [`FetchError`] if the response is not complete within `whole`.
    pub async fn send(&self, method: Method, post: Post) -> FetchResult<PostResponse> {
        let deadline = deadline_after(self.settings.whole);
        let mut request = Request::new(Full::new(post.body));
        *request.method_mut() = method;
        *request.uri_mut() = request_uri(&post.url, self.settings.plain_to_allowed)?;
        *request.headers_mut() = post.headers;
        request.headers_mut().insert(USER_AGENT, self.user_agent.clone());
        let response = timeout_at(deadline, self.pool.request(request)).await;
        let response =
            response.map_err(|_| FetchError::TimedOut(Phase::Whole))?.map_err(|error| {
                let failure = fetch_error(&error);
                if error.is_connect() { failure } else { after_connect(failure) }
            })?;
        let status = response.status().as_u16();
        let wanted = body::ReadLimit::first(self.settings.body_bytes);
        let (incoming, settings) = (response.into_body(), &*self.settings);
        let body_memory = self.body_memory.of(&post.url);
        let body =
            body::read(incoming, Encoding::Identity, wanted, settings, body_memory, deadline);
        let body = body.await.map_err(after_connect)?;
        Ok(PostResponse { status, body: body.bytes })
    }
}

/// An error after the connection was open becomes `CutOff`: the receiver may have got the request
/// ([`FetchError::may_have_arrived`]).
fn after_connect(failure: FetchError) -> FetchError {
    match failure {
        FetchError::Tls(_) | FetchError::Connect(_) => FetchError::CutOff,
        other => other,
    }
}

/// The URI of a request. Rejects other schemes than `https`, and `http` unless it is accepted, and
/// credentials in the URL.
fn request_uri(text: &str, accepts_plain: bool) -> FetchResult<Uri> {
    let mut url = Url::parse(text).map_err(|_| FetchError::BadUrl)?;
    let is_accepted = url.scheme() == "https" || (accepts_plain && url.scheme() == "http");
    if !is_accepted || !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::BadUrl);
    }
    url.set_fragment(None);
    url.as_str().parse().map_err(|_| FetchError::BadUrl)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_urls_are_accepted() {
        let uri = request_uri("https://hooks.example/a?b=1&utm_source=x#c", false);
        let uri = uri.expect("an address");
        assert_eq!(
            uri.to_string(),
            "https://hooks.example/a?b=1&utm_source=x",
            "the query is kept"
        );
        for wrong in ["http://hooks.example/", "ftp://x/", "hooks.example", "https://a:b@x.org/"] {
            assert_eq!(request_uri(wrong, false), Err(FetchError::BadUrl), "{wrong}");
        }
        assert!(request_uri("http://hooks.example/", true).is_ok());
        for wrong in ["ftp://x/", "http://a:b@x.org/"] {
            assert_eq!(request_uri(wrong, true), Err(FetchError::BadUrl), "{wrong}");
        }
    }
}
