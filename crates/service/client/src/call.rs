//! A call of an API operation: method, path, credential and body.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, header};
use contract::CallOrigin;
use serde::Serialize;

/// A service may take ten minutes to receive a list of URLs.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(11 * 60);

/// How long a call may take, if not as long as others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallTimeout(pub Duration);

/// A call of an API operation.
#[derive(Debug)]
pub struct ApiCall {
    request: Request<Body>,
}

impl ApiCall {
    /// A call of `method` on a path with an optional query. An invalid path is replaced by `/`.
    #[must_use]
    pub fn new(method: Method, path: &str) -> Self {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().unwrap_or_default();
        Self { request }
    }

    #[must_use]
    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path)
    }

    #[must_use]
    pub fn post(path: &str) -> Self {
        Self::new(Method::POST, path)
    }

    #[must_use]
    pub fn patch(path: &str) -> Self {
        Self::new(Method::PATCH, path)
    }

    #[must_use]
    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Sets the `Authorization` header.
    #[must_use]
    pub fn authorized(self, credential: &HeaderValue) -> Self {
        self.header(header::AUTHORIZATION, credential.clone())
    }

    /// Sets a bearer credential: a key, a session token or an access token.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        match HeaderValue::from_str(&format!("Bearer {token}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.header(header::AUTHORIZATION, value)
            }
            // Not a valid header value, hence no valid credential: the call fails with 401.
            Err(_) => self,
        }
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.request.headers_mut().insert(name, value);
        self
    }

    /// Adds what the router of this process reads from a request besides its headers: the id of the
    /// request that it is made for, the client address, the shutdown of the server.
    pub(crate) fn with_extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.request.extensions_mut().insert(value);
        self
    }

    /// Sets a JSON body and its type.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        // Serialisation of contract types cannot fail; an empty body would be rejected.
        let text = serde_json::to_vec(body).unwrap_or_default();
        *self.request.body_mut() = Body::from(text);
        self.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    /// Sets a large body of another type than JSON, and the time that its way may take.
    #[must_use]
    pub fn upload(mut self, content_type: &'static str, body: impl Into<Body>) -> Self {
        *self.request.body_mut() = body.into();
        self.header(header::CONTENT_TYPE, HeaderValue::from_static(content_type))
            .with_extension(CallTimeout(UPLOAD_TIMEOUT))
    }

    /// How long the call may take; `None` for most of them.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.request.extensions().get::<CallTimeout>().map(|timeout| timeout.0)
    }

    /// The request for the router of this process.
    pub(crate) fn with_origin(self, origin: CallOrigin) -> Request<Body> {
        let mut request = self.request;
        request.extensions_mut().insert(origin);
        request
    }

    /// The request for another service.
    pub(crate) fn into_request(self) -> Request<Body> {
        self.request
    }
}
