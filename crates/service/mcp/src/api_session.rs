//! Calls of the API in the name of the caller of a tool.

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use client::{ApiCall, ApiResponse, Client, RequestOrigin, SseStream};
use contract::{Account, JobId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::tool_error::ToolResult;

/// The caller of a tool and its connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct McpCaller {
    /// The `Authorization` header; without one the API responds with 401.
    pub credential: Option<HeaderValue>,
    pub origin: RequestOrigin,
}

impl McpCaller {
    /// The caller of an HTTP request.
    pub fn of(parts: &Parts) -> Self {
        let mut given = parts.headers.get_all(header::AUTHORIZATION).iter();
        // Two `Authorization` headers are ambiguous: use none.
        let credential = given.next().filter(|_| given.next().is_none()).cloned();
        Self { credential, origin: RequestOrigin::of(parts) }
    }

    /// Adds credential and address of the caller to a call.
    pub fn sign(&self, call: ApiCall) -> ApiCall {
        let call = self.origin.on(call);
        match &self.credential {
            Some(credential) => call.authorized(credential),
            None => call,
        }
    }
}

/// The API as one caller uses it.
#[derive(Debug, Clone)]
pub(crate) struct ApiSession {
    pub client: Client,
    pub caller: McpCaller,
    /// Cancelled when this process shuts down: waiting tools return.
    pub closing: CancellationToken,
}

impl ApiSession {
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> ToolResult<T> {
        Ok(self.answer(ApiCall::get(path)).await?.json()?)
    }

    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> ToolResult<T> {
        Ok(self.answer(ApiCall::post(path).json(body)).await?.json()?)
    }

    /// Sends a call and returns its response with headers.
    pub async fn answer(&self, call: ApiCall) -> ToolResult<ApiResponse> {
        Ok(self.client.send(self.caller.sign(call)).await?)
    }

    /// The event stream of a job from now on. `None` if the job has ended.
    pub async fn watch(&self, job: &JobId) -> ToolResult<Option<SseStream>> {
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

    /// Whether the owner lets assistants accept the legal basis. If the account cannot be read, the
    /// API decides for calls over HTTP. On standard input the API cannot recognise an assistant, so
    /// nothing is accepted.
    pub async fn may_accept_legal_basis(&self) -> bool {
        match self.get::<Account>("/v1/account").await {
            Ok(account) => account.assistants_may_accept_legal_basis,
            Err(_) => self.caller.origin.request.is_some(),
        }
    }
}
