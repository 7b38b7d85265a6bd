//! The interface from its client's side: a call in, its answer out.
//!
//! The console and the tools of assistants do what they do by the operations that everybody
//! has, so that nothing is judged, limited or worded twice. A call goes to the router of this
//! very process, or over the wire to a service that runs elsewhere; whoever calls need not know.

mod call;
mod http_transport;
mod response;
mod sse;

pub use call::ApiCall;
pub use http_transport::{ClientSetupError, ServiceUnreachable};
pub use response::{ApiCallError, ApiResponse, UnexpectedResponse};
pub use sse::{SseEvent, SseStream};

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use contract::CallOrigin;
use tower::ServiceExt;

use http_transport::HttpTransport;

/// The operations of the service, as one of its clients sees them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    way: Transport,
}

/// How calls get there.
#[derive(Debug, Clone)]
enum Transport {
    InProcess(Router, CallOrigin),
    Http(Arc<HttpTransport>),
}

impl Client {
    /// A client of the API in this process, which comes in by `door`.
    #[must_use]
    pub fn in_process(router: Router, door: CallOrigin) -> Self {
        Self { way: Transport::InProcess(router, door) }
    }

    /// A client of the service at `url`, which is asked over the wire. Certificates are trusted
    /// that the system trusts or that stand in the PEM file `extra_authorities`.
    ///
    /// # Errors
    /// [`ClientSetupError`] when the address is none, or TLS cannot be set up.
    pub fn over_http(
        url: &str,
        extra_authorities: Option<&Path>,
    ) -> Result<Self, ClientSetupError> {
        let wire = HttpTransport::to(url, extra_authorities)?;
        Ok(Self { way: Transport::Http(Arc::new(wire)) })
    }

    /// The answer to a call, as it comes: for what is a stream. Where nobody answers, it is a
    /// bare 502 that [`ApiResponse::of`] tells apart.
    pub async fn open(&self, call: ApiCall) -> Response {
        match &self.way {
            Transport::InProcess(router, door) => {
                match router.clone().oneshot(call.at(*door)).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            }
            Transport::Http(wire) => wire.exchange(call.into_request()).await,
        }
    }

    /// The answer to a call, whole.
    ///
    /// # Errors
    /// [`UnexpectedResponse`] when there is none, or it breaks off.
    pub async fn send(&self, call: ApiCall) -> Result<ApiResponse, UnexpectedResponse> {
        let answer = async { ApiResponse::of(self.open(call).await).await };
        match &self.way {
            Transport::InProcess(..) => answer.await,
            Transport::Http(wire) => wire.in_time(answer).await?,
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
                post(async |headers: HeaderMap, Extension(door): Extension<CallOrigin>, body: String| {
                    assert_eq!(door, CallOrigin::Mcp);
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
    async fn a_call_carries_its_credential_its_door_and_its_body() {
        let call = ApiCall::post("/echo").bearer("key_live_1").json(&json!({"a": 1}));
        let answer = client().send(call).await.expect("an answer");
        let echo: Value = answer.json().expect("JSON");
        assert_eq!(echo, json!({"token": "Bearer key_live_1", "body": "{\"a\":1}"}));
    }

    #[tokio::test]
    async fn a_refusal_comes_as_the_problem_it_is() {
        let answer = client().send(ApiCall::get("/refused")).await.expect("an answer");
        let Err(ApiCallError::Problem { status, problem }) = answer.json::<Credits>() else {
            panic!("it was refused")
        };
        assert_eq!((status, problem.message.as_str()), (StatusCode::NOT_FOUND, "gone"));
    }

    #[tokio::test]
    async fn what_is_no_answer_of_the_interface_is_told_as_such() {
        let answer = client().send(ApiCall::get("/broken")).await.expect("an answer");
        assert!(matches!(answer.json::<Credits>(), Err(ApiCallError::Unexpected(_))));
    }
}
