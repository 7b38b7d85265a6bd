//! Where a caller's requests are handed in: the way to the service, and who it is that asks.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use client::{ApiCall, ApiResponse, Client, SseStream};
use contract::{JobId, RequestId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::trouble::Trouble;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whoever asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caller {
    /// The `Authorization` header; without one the service says what is missing.
    pub credential: Option<HeaderValue>,
    /// The request that is being answered, if it came over HTTP.
    pub request: Option<RequestId>,
    /// Where it comes from, for what is counted by address, for the audit log and for keys that
    /// are limited to networks.
    pub peer: Option<SocketAddr>,
    pub forwarded_for: Option<HeaderValue>,
}

impl Caller {
    /// The caller behind a request over HTTP.
    pub fn of(parts: &Parts) -> Self {
        let mut given = parts.headers.get_all(header::AUTHORIZATION).iter();
        // Two credentials are two opinions, and none.
        let credential = given.next().filter(|_| given.next().is_none()).cloned();
        Self {
            credential,
            request: parts.extensions.get().cloned(),
            peer: parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0),
            forwarded_for: parts.headers.get_all(FORWARDED_FOR).iter().next_back().cloned(),
        }
    }

    /// A call in the name of this caller.
    pub fn sign(&self, mut call: ApiCall) -> ApiCall {
        if let Some(credential) = &self.credential {
            call = call.authorized(credential);
        }
        if let Some(request) = &self.request {
            call = call.within(request.clone());
        }
        if let Some(peer) = self.peer {
            call = call.from_address(peer);
        }
        if let Some(forwarded_for) = &self.forwarded_for {
            call = call.header(FORWARDED_FOR, forwarded_for.clone());
        }
        call
    }
}

/// The service, as one caller may use it.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    pub client: Client,
    pub caller: Caller,
    /// True when this process is about to end: whoever waits is let go.
    pub closing: watch::Receiver<bool>,
}

impl Desk {
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Trouble> {
        Ok(self.answer(ApiCall::get(path)).await?.json()?)
    }

    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Trouble> {
        Ok(self.answer(ApiCall::post(path).json(body)).await?.json()?)
    }

    /// The answer to a call, for whoever also reads its headers.
    pub async fn answer(&self, call: ApiCall) -> Result<ApiResponse, Trouble> {
        Ok(self.client.send(self.caller.sign(call)).await?)
    }

    /// What happens to a job, from now on. `None` when nothing will.
    pub async fn watch(&self, job: &JobId) -> Result<Option<SseStream>, Trouble> {
        let call = ApiCall::get(&format!("/v1/jobs/{job}/events"));
        let response = self.client.open(self.caller.sign(call)).await;
        match response.status() {
            StatusCode::OK => Ok(Some(SseStream::of(response))),
            StatusCode::NO_CONTENT => Ok(None),
            _ => {
                ApiResponse::of(response).await?.check()?;
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
}
