//! The API as a person at the console uses it.

use axum::http::Method;
use axum::response::Response;
use client::{Call, Client, Refused};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ConsoleUser;

/// The operations of the service in a person's hands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserApi<'a> {
    client: &'a Client,
    user: &'a ConsoleUser,
}

impl<'a> UserApi<'a> {
    pub fn new(client: &'a Client, user: &'a ConsoleUser) -> Self {
        Self { client, user }
    }

    /// What stands at a path.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Refused> {
        self.send(Call::get(path)).await?.json()
    }

    /// What comes of a deed.
    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Refused> {
        self.send(Call::post(path).json(body)).await?.json()
    }

    /// A deed of any kind, whose answer says nothing more.
    pub async fn perform(&self, method: Method, path: &str) -> Result<(), Refused> {
        self.send(Call::new(method, path)).await?.check()
    }

    /// Any call, with the person's session.
    pub async fn send(&self, call: Call) -> Result<client::Answer, Refused> {
        let call = self.user.origin().on(call);
        Ok(self.client.send(call.bearer(self.user.token())).await?)
    }

    /// The answer as it comes: for streams.
    pub async fn open(&self, call: Call) -> Response {
        let call = self.user.origin().on(call);
        self.client.open(call.bearer(self.user.token())).await
    }
}
