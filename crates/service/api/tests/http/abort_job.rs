//! `POST /v1/jobs/{id}/abort`.

use http::Method;
use job::{JobCommand, RunEnding};

use crate::harness::{TestApi, bearer};

#[tokio::test]
async fn aborting_twice_changes_nothing() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..2).await;
    let path = format!("/v1/jobs/{id}/abort");
    let key = bearer(&api.key);
    let answer = api.send(Method::POST, &path, &[("authorization", &key)], "").await;
    assert_eq!(answer.status, 200);
    insta::assert_json_snapshot!(answer.stable());
    // Again, with a body, which is ignored.
    let again = api.send(Method::POST, &path, &[("authorization", &key)], "what?").await;
    assert_eq!((again.status, again.body), (200, answer.body));
    let results = api.get(&format!("/v1/jobs/{id}/results")).await;
    assert_eq!(results.body["total"], 2);
}

#[tokio::test]
async fn ended_job_cannot_be_aborted() {
    let api = TestApi::start().await;
    let (id, lease) = api.running("example.com").await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    let answer = api.post(&format!("/v1/jobs/{id}/abort"), &serde_json::json!({})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
}
