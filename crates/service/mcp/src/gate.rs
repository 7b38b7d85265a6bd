//! `/mcp` over HTTP: who may come in, and with how much.
//!
//! The credential is judged by the service itself, for every request: there is no session that
//! could outlive a revoked key or be taken over by somebody else.

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
use tokio::sync::watch;
use tokio::time::timeout;
use url::Url;

use crate::assistant::Assistant;
use crate::desk::Caller;

/// How assistants come in.
#[derive(Debug, Clone)]
pub struct McpSettings {
    /// Where clients reach the service, without a slash at its end.
    pub public_url: String,
    /// The largest message, and the time in which it has to arrive.
    pub body_bytes: usize,
    pub body_timeout: Duration,
    /// True when the process begins its end.
    pub closing: watch::Receiver<bool>,
}

#[derive(Debug)]
struct Gate {
    client: Client,
    body_bytes: usize,
    body_timeout: Duration,
}

/// The route `/mcp`, over the operations of `client`.
pub fn router(client: Client, settings: McpSettings) -> Router {
    let McpSettings { public_url, body_bytes, body_timeout, closing } = settings;
    let assistant = Assistant::new(client.clone(), None, closing);
    // A page in a browser tells where it comes from. Those of others are refused, so that no name
    // that suddenly leads to this machine lets a stranger's page speak to it. Programs tell
    // nothing, and come in by their credential alone.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body_bytes)
        .with_allowed_origins(origin(&public_url))
        .enforce_origin_validation()
        // The name that a request is for is whatever the proxy in front calls us.
        .disable_allowed_hosts();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(assistant.clone()), sessions, config);
    let gate = Gate { client, body_bytes, body_timeout };
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(Arc::new(gate), pass))
}

/// The origin of pages that this service serves, with its port written out.
fn origin(public_url: &str) -> Option<String> {
    let url = Url::parse(public_url).ok()?;
    let port = url.port_or_known_default()?;
    Some(format!("{}://{}:{port}", url.scheme(), url.host_str()?))
}

async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match gate.judge(request).await {
        Ok(request) => next.run(request).await,
        Err(refused) => *refused,
    }
}

impl Gate {
    /// Lets a request in whose sender is known, whole and not too large.
    async fn judge(&self, request: Request) -> Result<Request, Box<Response>> {
        let (parts, body) = request.into_parts();
        self.know(&Caller::of(&parts)).await?;
        let body = match timeout(self.body_timeout, to_bytes(body, self.body_bytes)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                let most = self.body_bytes;
                return Err(refuse(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("a message may have {most} bytes"),
                ));
            }
            Err(_) => {
                let text = "the message took too long to arrive".to_owned();
                return Err(refuse(StatusCode::REQUEST_TIMEOUT, text));
            }
        };
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// Asks the service whether it knows the credential. Its refusal is passed on as it is: it
    /// tells an application where credentials come from (RFC 9728).
    async fn know(&self, caller: &Caller) -> Result<(), Box<Response>> {
        let answer = match self.client.send(caller.sign(ApiCall::get("/v1/account"))).await {
            Ok(answer) => answer,
            Err(cause) => {
                tracing::warn!(%cause, "a credential could not be judged");
                return Err(refuse(StatusCode::SERVICE_UNAVAILABLE, "try again".to_owned()));
            }
        };
        // An application need not be allowed to see the account: it is known all the same.
        if answer.status.is_success() || answer.status == StatusCode::FORBIDDEN {
            return Ok(());
        }
        Err(Box::new(pass_on(answer)))
    }
}

fn refuse(status: StatusCode, text: String) -> Box<Response> {
    Box::new((status, text).into_response())
}

fn pass_on(answer: ApiResponse) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response
}
