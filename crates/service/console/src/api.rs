//! The API, called with the session of a console user.

use axum::http::Method;
use axum::response::Response;
use client::{ApiCall, ApiCallError, Client, RequestOrigin};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// API client with the session and address of a user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserApi<'a> {
    client: &'a Client,
    /// The session token of the user.
    token: &'a str,
    origin: &'a RequestOrigin,
}

impl<'a> UserApi<'a> {
    pub fn new(client: &'a Client, token: &'a str, origin: &'a RequestOrigin) -> Self {
        Self { client, token, origin }
    }

    /// GET with a JSON response.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ApiCallError> {
        self.send(ApiCall::get(path)).await?.json()
    }

    /// POST with a JSON response.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ApiCallError> {
        self.send(ApiCall::post(path).json(body)).await?.json()
    }

    /// A request whose response body is not needed.
    pub async fn perform(&self, method: Method, path: &str) -> Result<(), ApiCallError> {
        self.send(ApiCall::new(method, path)).await?.check()
    }

    /// Sends a call with the user's session.
    pub async fn send(&self, call: ApiCall) -> Result<client::ApiResponse, ApiCallError> {
        let call = self.origin.on(call);
        Ok(self.client.send(call.bearer(self.token)).await?)
    }

    /// Sends a call and returns the raw response, for streams.
    pub async fn open(&self, call: ApiCall) -> Response {
        let call = self.origin.on(call);
        self.client.open(call.bearer(self.token)).await
    }
}
