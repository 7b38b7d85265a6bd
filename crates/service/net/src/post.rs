//! Speaking to a service over HTTPS: one request with a body, one short answer.
//!
//! Whoever is told was named by a client: the guard judges every address, the operator's own
//! names included where the settings say so, and nothing ever goes out in the clear.

use std::sync::Arc;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use tokio::time::timeout_at;
use url::Url;

use crate::connector::{Connector, after};
use crate::http::{LargeBodies, body, client, failure_of};
use crate::{Encoding, FetchError, GuardedResolver, HttpSettings, Phase, SetupError, authorities};

/// What is told to whom.
#[derive(Debug, Clone)]
pub struct Post {
    /// An `https:` address.
    pub url: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What a service answered.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    /// As much of it as is read.
    pub body: Bytes,
}

/// Sends POSTs, over connections that are kept for a while.
#[derive(Clone)]
pub struct HttpPost {
    client: Client<Connector, Full<Bytes>>,
    resolver: Arc<GuardedResolver>,
    user_agent: HeaderValue,
    settings: Arc<HttpSettings>,
    large: LargeBodies,
}

impl std::fmt::Debug for HttpPost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpPost").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpPost {
    /// A sender with its own pool of connections; nothing is connected yet. Of an answer no
    /// more than `body_bytes` of the settings are read, and all of it takes no longer than
    /// `whole`.
    ///
    /// # Errors
    /// [`SetupError`] when the settings are wrong.
    pub fn new(settings: HttpSettings) -> Result<Self, SetupError> {
        let user_agent = HeaderValue::from_str(&settings.user_agent)
            .map_err(|_| SetupError::UserAgent(settings.user_agent.clone()))?;
        let resolver = Arc::new(GuardedResolver::new(settings.resolver.clone())?);
        let tls = authorities::tls(settings.extra_authorities.as_deref(), authorities::ANY_HTTP)?;
        let connector = Connector::new(Arc::clone(&resolver), tls, &settings);
        let client = client(&settings, connector);
        let large = LargeBodies::new(settings.large_body_bytes);
        Ok(Self { client, resolver, user_agent, settings: Arc::new(settings), large })
    }

    /// The resolver that guards this sender.
    #[must_use]
    pub fn resolver(&self) -> &Arc<GuardedResolver> {
        &self.resolver
    }

    /// The status of the answer, once the answer or as much of it as is read is there.
    /// A redirect is an answer.
    ///
    /// # Errors
    /// [`FetchError`] when there is no whole answer within the time.
    pub async fn post(&self, post: Post) -> Result<u16, FetchError> {
        // What it says is nobody's business; that it ends tells that the receiver is done.
        self.ask(Method::POST, post).await.map(|reply| reply.status)
    }

    /// The same by any method, with what the answer says.
    ///
    /// # Errors
    /// [`FetchError`] when there is no whole answer within the time.
    pub async fn ask(&self, method: Method, post: Post) -> Result<Reply, FetchError> {
        let deadline = after(self.settings.whole);
        let mut request = Request::new(Full::new(post.body));
        *request.method_mut() = method;
        *request.uri_mut() = secure(&post.url)?;
        *request.headers_mut() = post.headers;
        request.headers_mut().insert(USER_AGENT, self.user_agent.clone());
        let answer = timeout_at(deadline, self.client.request(request)).await;
        let answer = answer.map_err(|_| FetchError::TimedOut(Phase::Whole))?.map_err(|error| {
            let failure = failure_of(&error);
            if error.is_connect() { failure } else { underway(failure) }
        })?;
        let status = answer.status().as_u16();
        let wanted = body::Wanted::first(self.settings.body_bytes);
        let (incoming, settings) = (answer.into_body(), &*self.settings);
        let large = self.large.of(&post.url);
        let body = body::read(incoming, Encoding::Identity, wanted, settings, large, deadline);
        let body = body.await.map_err(underway)?;
        Ok(Reply { status, body: body.bytes })
    }
}

/// What breaks once there is a connection is no refusal to make one: the other side may have
/// got the request.
fn underway(failure: FetchError) -> FetchError {
    match failure {
        FetchError::Tls(_) | FetchError::Connect(_) => FetchError::CutOff,
        other => other,
    }
}

/// The address as it goes into a request, never one in the clear.
fn secure(text: &str) -> Result<Uri, FetchError> {
    let mut url = Url::parse(text).map_err(|_| FetchError::BadUrl)?;
    if url.scheme() != "https" || !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::BadUrl);
    }
    url.set_fragment(None);
    url.as_str().parse().map_err(|_| FetchError::BadUrl)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_goes_out() {
        let uri = secure("https://hooks.example/a?b=1&utm_source=x#c").expect("an address");
        assert_eq!(uri.to_string(), "https://hooks.example/a?b=1&utm_source=x", "nothing is cut");
        for wrong in ["http://hooks.example/", "ftp://x/", "hooks.example", "https://a:b@x.org/"] {
            assert_eq!(secure(wrong), Err(FetchError::BadUrl), "{wrong}");
        }
    }
}
