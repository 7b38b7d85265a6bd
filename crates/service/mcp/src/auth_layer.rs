//! `/mcp` over HTTP: authentication and limits of requests.
//!
//! The API checks the credential of every request: there is no session that could outlive a
//! revoked key or be hijacked.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use client::{ApiCall, ApiResponse, Client};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::api_session::McpCaller;
use crate::server::McpServer;

/// Settings of the MCP endpoint.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// Public URL of the service, without a slash at its end.
    pub public_url: String,
    /// Maximum bytes of a message; `body_timeout` is the time in which it must arrive.
    pub body_bytes: usize,
    pub body_timeout: Duration,
    /// Cancelled when the process shuts down.
    pub closing: CancellationToken,
}

#[derive(Debug)]
struct AuthLayer {
    client: Client,
    body_bytes: usize,
    body_timeout: Duration,
}

/// The route `/mcp`, over the operations of `client`.
pub fn router(client: Client, settings: McpSettings) -> Router {
    let McpSettings { public_url, body_bytes, body_timeout, closing } = settings;
    let server = McpServer::new(client.clone(), None, closing);
    // Browsers send the origin of a page. Foreign origins are rejected, so that DNS rebinding
    // cannot let a page of another site call this server. Other clients send no origin and need
    // only a credential.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body_bytes)
        .with_allowed_origins(origin(&public_url))
        .enforce_origin_validation()
        // The host of a request depends on the proxy in front: do not check it.
        .disable_allowed_hosts();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let layer = AuthLayer { client, body_bytes, body_timeout };
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(Arc::new(layer), authenticate))
}

/// The origin of this service, with an explicit port.
fn origin(public_url: &str) -> Option<String> {
    let url = Url::parse(public_url).ok()?;
    let port = url.port_or_known_default()?;
    Some(format!("{}://{}:{port}", url.scheme(), url.host_str()?))
}

async fn authenticate(
    State(layer): State<Arc<AuthLayer>>,
    request: Request,
    next: Next,
) -> Response {
    match layer.check(request).await {
        Ok(request) => next.run(request).await,
        Err(rejected) => *rejected,
    }
}

impl AuthLayer {
    /// Accepts a request with a known credential, a complete body and an allowed size.
    async fn check(&self, request: Request) -> Result<Request, Box<Response>> {
        let (parts, body) = request.into_parts();
        self.check_credential(&McpCaller::of(&parts)).await?;
        let body = match timeout(self.body_timeout, to_bytes(body, self.body_bytes)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                let most = self.body_bytes;
                return Err(reject(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("the message is larger than {most} bytes"),
                ));
            }
            Err(_) => {
                let text = "timeout while receiving the message".to_owned();
                return Err(reject(StatusCode::REQUEST_TIMEOUT, text));
            }
        };
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// Asks the API whether it knows the credential. Its error response is forwarded unchanged: it
    /// shows an application where to get credentials (RFC 9728).
    async fn check_credential(&self, caller: &McpCaller) -> Result<(), Box<Response>> {
        let answer = match self.client.send(caller.sign(ApiCall::get("/v1/account"))).await {
            Ok(answer) => answer,
            Err(cause) => {
                tracing::warn!(%cause, "cannot check the credential: no response from the API");
                return Err(reject(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "the service is unavailable; try again".to_owned(),
                ));
            }
        };
        // 403 means that the credential is known and lacks the scope for the account.
        if answer.status.is_success() || answer.status == StatusCode::FORBIDDEN {
            return Ok(());
        }
        Err(Box::new(to_response(answer)))
    }
}

fn reject(status: StatusCode, text: String) -> Box<Response> {
    Box::new((status, text).into_response())
}

fn to_response(answer: ApiResponse) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}
