//! The interface from its client's side: a call in, its answer out.
//!
//! The console and the tools of assistants do what they do by the operations that everybody
//! has, so that nothing is judged, limited or worded twice. A call goes to the router of this
//! very process; nothing is sent over a wire.

mod answer;
mod call;

pub use answer::{Answer, Refused, UnexpectedAnswer};
pub use call::Call;

use axum::Router;
use axum::response::Response;
use contract::Door;
use tower::ServiceExt;

/// The operations of the service, as one of its clients sees them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    router: Router,
    door: Door,
}

impl Client {
    /// A client of the API in this process, which comes in by `door`.
    #[must_use]
    pub fn here(router: Router, door: Door) -> Self {
        Self { router, door }
    }

    /// The answer to a call, as it comes: for what is a stream.
    pub async fn open(&self, call: Call) -> Response {
        match self.router.clone().oneshot(call.into_request(self.door)).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// The answer to a call, whole.
    ///
    /// # Errors
    /// [`UnexpectedAnswer`] when the answer breaks off.
    pub async fn send(&self, call: Call) -> Result<Answer, UnexpectedAnswer> {
        Answer::of(self.open(call).await).await
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
                post(async |headers: HeaderMap, Extension(door): Extension<Door>, body: String| {
                    assert_eq!(door, Door::Mcp);
                    let token = headers["authorization"].to_str().expect("text").to_owned();
                    Json(json!({"token": token, "body": body}))
                }),
            )
            .route(
                "/refused",
                get(async || {
                    let problem =
                        json!({"code": "not_found", "message": "gone", "request_id": "req_1"});
                    (StatusCode::NOT_FOUND, Json(problem))
                }),
            )
            .route("/broken", get(async || (StatusCode::BAD_GATEWAY, "<html>")));
        Client::here(router, Door::Mcp)
    }

    #[tokio::test]
    async fn a_call_carries_its_credential_its_door_and_its_body() {
        let call = Call::post("/echo").bearer("key_live_1").json(&json!({"a": 1}));
        let answer = client().send(call).await.expect("an answer");
        let echo: Value = answer.json().expect("JSON");
        assert_eq!(echo, json!({"token": "Bearer key_live_1", "body": "{\"a\":1}"}));
    }

    #[tokio::test]
    async fn a_refusal_comes_as_the_problem_it_is() {
        let answer = client().send(Call::get("/refused")).await.expect("an answer");
        let Err(Refused::Problem { status, problem }) = answer.json::<Credits>() else {
            panic!("it was refused")
        };
        assert_eq!((status, problem.message.as_str()), (StatusCode::NOT_FOUND, "gone"));
    }

    #[tokio::test]
    async fn what_is_no_answer_of_the_interface_is_told_as_such() {
        let answer = client().send(Call::get("/broken")).await.expect("an answer");
        assert!(matches!(answer.json::<Credits>(), Err(Refused::Unexpected(_))));
    }
}
