//! Where a caller's requests are handed in: the way to the service, and the caller's credential.

use axum::http::{HeaderValue, StatusCode};
use client::{Answer, Call, Client, Events};
use contract::JobId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::trouble::Trouble;

/// The service, as one caller may use it.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    pub client: Client,
    /// The `Authorization` header; without one the service says what is missing.
    pub credential: Option<HeaderValue>,
    /// True when this process is about to end: whoever waits is let go.
    pub closing: watch::Receiver<bool>,
}

impl Desk {
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        Ok(self.answer(Call::get(path)).await?.json()?)
    }

    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Trouble> {
        Ok(self.answer(Call::post(path).json(body)).await?.json()?)
    }

    /// The answer to a call, for whoever also reads its headers.
    pub async fn answer(&self, call: Call) -> Result<Answer, Trouble> {
        Ok(self.client.send(self.signed(call)).await?)
    }

    /// What happens to a job, from now on. `None` when nothing will.
    pub async fn watch(&self, job: &JobId) -> Result<Option<Events>, Trouble> {
        let call = Call::get(&format!("/v1/jobs/{job}/events"));
        let response = self.client.open(self.signed(call)).await;
        match response.status() {
            StatusCode::OK => Ok(Some(Events::of(response))),
            StatusCode::NO_CONTENT => Ok(None),
            _ => {
                Answer::of(response).await?.check()?;
                Ok(None)
            }
        }
    }

    /// Waits for this process to begin its end.
    pub async fn closes(&self) {
        let mut closing = self.closing.clone();
        if closing.wait_for(|closing| *closing).await.is_err() {
            // Nobody is left who could say so: it goes on.
            std::future::pending::<()>().await;
        }
    }

    fn signed(&self, call: Call) -> Call {
        match &self.credential {
            Some(credential) => call.authorized(credential),
            None => call,
        }
    }
}
