//! A call: what is asked, of which operation, by whom.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderName, HeaderValue, Method, Request, header};
use contract::{CallOrigin, RequestId};
use serde::Serialize;

/// What is asked, of which operation, by whom.
#[derive(Debug)]
pub struct ApiCall {
    request: Request<Body>,
}

impl ApiCall {
    /// A call of `method` on a path, which may carry a query. A path that is none asks for
    /// nothing that exists.
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
    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// With the header by which a caller has proved who it is.
    #[must_use]
    pub fn authorized(self, credential: &HeaderValue) -> Self {
        self.header(header::AUTHORIZATION, credential.clone())
    }

    /// With a credential: a key, a session or an access token.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        match HeaderValue::from_str(&format!("Bearer {token}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.header(header::AUTHORIZATION, value)
            }
            // What cannot stand in a header is nobody's credential: the operation refuses it.
            Err(_) => self,
        }
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.request.headers_mut().insert(name, value);
        self
    }

    /// For a request that this process is answering: what is told and logged of the call has the
    /// id of that request.
    #[must_use]
    pub fn within(mut self, request: RequestId) -> Self {
        self.request.extensions_mut().insert(request);
        self
    }

    /// From the address of whoever made us ask, for what is counted by address.
    #[must_use]
    pub fn from_address(mut self, peer: SocketAddr) -> Self {
        self.request.extensions_mut().insert(ConnectInfo(peer));
        self
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        // What cannot be written as JSON is refused by the operation as an empty body.
        let text = serde_json::to_vec(body).unwrap_or_default();
        *self.request.body_mut() = Body::from(text);
        self.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    /// As it comes in by a door of this process.
    pub(crate) fn at(self, door: CallOrigin) -> Request<Body> {
        let mut request = self.request;
        request.extensions_mut().insert(door);
        request
    }

    /// As it is sent over the wire.
    pub(crate) fn into_request(self) -> Request<Body> {
        self.request
    }
}
