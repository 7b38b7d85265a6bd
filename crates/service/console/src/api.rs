//! The API as a person at the console uses it.

use axum::http::Method;
use axum::response::Response;
use client::{ApiCall, ApiCallError, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Person;

/// The operations of the service in a person's hands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Api<'a> {
    client: &'a Client,
    person: &'a Person,
}

impl<'a> Api<'a> {
    pub fn new(client: &'a Client, person: &'a Person) -> Self {
        Self { client, person }
    }

    /// What stands at a path.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ApiCallError> {
        self.send(ApiCall::get(path)).await?.json()
    }

    /// What comes of a deed.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ApiCallError> {
        self.send(ApiCall::post(path).json(body)).await?.json()
    }

    /// A deed of any kind, whose answer says nothing more.
    pub async fn perform(&self, method: Method, path: &str) -> Result<(), ApiCallError> {
        self.send(ApiCall::new(method, path)).await?.check()
    }

    /// Any call, with the person's session.
    pub async fn send(&self, call: ApiCall) -> Result<client::ApiResponse, ApiCallError> {
        let call = self.person.origin().on(call);
        Ok(self.client.send(call.bearer(self.person.token())).await?)
    }

    /// The answer as it comes: for streams.
    pub async fn open(&self, call: ApiCall) -> Response {
        let call = self.person.origin().on(call);
        self.client.open(call.bearer(self.person.token())).await
    }
}
