//! A client of the API.
//!
//! The console and the MCP tools use the public operations through this crate, so that validation,
//! limits and messages exist once. A [`Client`] sends an [`ApiCall`] to the router of this process or
//! over HTTP to another service, and returns an [`ApiResponse`] or, for server-sent events, an
//! [`SseStream`].
//!
//! To use an operation: build an `ApiCall` with path, credential and body, `send` it, and read the
//! response with [`ApiResponse::json`] as a type of `contract`.

mod body_stream;
mod call;
mod http_transport;
mod request_origin;
mod response;
mod sse;

pub use body_stream::BodyStream;
pub use call::ApiCall;
pub use http_transport::{ClientSetupError, ServiceUnreachable};
pub use request_origin::RequestOrigin;
pub use response::{ApiCallError, ApiResponse, UnexpectedResponse};
pub use sse::{SseEvent, SseStream};

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use contract::CallOrigin;
use tower::ServiceExt;

use http_transport::HttpTransport;

/// A client of the API. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    transport: Transport,
}

/// How a client sends its calls.
#[derive(Debug, Clone)]
enum Transport {
    InProcess(Router, CallOrigin),
    Http(Arc<HttpTransport>),
}

impl Client {
    /// A client of the API in this process.
    #[must_use]
    pub fn in_process(router: Router, origin: CallOrigin) -> Self {
        Self { transport: Transport::InProcess(router, origin) }
    }

    /// A client of the service at `url`, over HTTP. Trusts the certificate authorities of the system
    /// and those of the PEM file `extra_authorities`.
    ///
    /// # Errors
    /// [`ClientSetupError`] if the URL is invalid or TLS cannot be set up.
    pub fn over_http(
        url: &str,
        extra_authorities: Option<&Path>,
    ) -> Result<Self, ClientSetupError> {
        let http = HttpTransport::new(url, extra_authorities)?;
        Ok(Self { transport: Transport::Http(Arc::new(http)) })
    }

    /// Sends a call and returns the response before its body, for streams. If the service is
    /// unreachable, it is a 502 that [`ApiResponse::of`] converts to an error.
    pub async fn open(&self, call: ApiCall) -> Response {
        match &self.transport {
            Transport::InProcess(router, origin) => {
                match router.clone().oneshot(call.with_origin(*origin)).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            }
            Transport::Http(http) => http.exchange(call).await,
        }
    }

    /// Sends a call and returns the whole response.
    ///
    /// # Errors
    /// [`UnexpectedResponse`] if there is no response or it is incomplete.
    pub async fn send(&self, call: ApiCall) -> Result<ApiResponse, UnexpectedResponse> {
        let within = call.timeout();
        let response = async { ApiResponse::of(self.open(call).await).await };
        match &self.transport {
            Transport::InProcess(..) => response.await,
            Transport::Http(http) => http.in_time(within, response).await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::Extension;
    use axum::Json;
    use axum::http::{HeaderMap, StatusCode};
    use axum::routing::{get, post};
    use contract::Credits;
    use serde_json::{Value, json};

    use super::*;

    fn client() -> Client {
        let router = Router::new()
            .route(
                "/echo",
                post(async |headers: HeaderMap, Extension(origin): Extension<CallOrigin>, body: String| {
                    assert_eq!(origin, CallOrigin::Mcp);
                    let token = headers["authorization"].to_str().expect("text").to_owned();
                    Json(json!({"token": token, "body": body}))
                }),
            )
            .route(
                "/refused",
                get(async || {
                    let problem =
                        json!({"code": "not_found", "message": "gone", "request_id": "req_01a1e336d7ba7346b24e99028f743606"});
                    (StatusCode::NOT_FOUND, Json(problem))
                }),
            )
            .route("/broken", get(async || (StatusCode::BAD_GATEWAY, "<html>")));
        Client::in_process(router, CallOrigin::Mcp)
    }

    #[tokio::test]
    async fn call_has_credential_origin_and_body() {
        let call = ApiCall::post("/echo").bearer("key_live_1").json(&json!({"a": 1}));
        let response = client().send(call).await.expect("a response");
        let echo: Value = response.json().expect("JSON");
        assert_eq!(echo, json!({"token": "Bearer key_live_1", "body": "{\"a\":1}"}));
    }

    #[tokio::test]
    async fn error_response_is_returned_as_problem() {
        let response = client().send(ApiCall::get("/refused")).await.expect("a response");
        let Err(ApiCallError::Problem { status, problem }) = response.json::<Credits>() else {
            panic!("it was refused")
        };
        assert_eq!((status, problem.message.as_str()), (StatusCode::NOT_FOUND, "gone"));
    }

    #[tokio::test]
    async fn response_without_problem_body_is_unexpected() {
        let response = client().send(ApiCall::get("/broken")).await.expect("a response");
        assert!(matches!(response.json::<Credits>(), Err(ApiCallError::Unexpected(_))));
    }
}
