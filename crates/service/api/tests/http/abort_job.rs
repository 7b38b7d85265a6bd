//! `POST /v1/jobs/{id}/abort`.

use http::Method;
use job::{JobCommand, RunEnding};

use crate::bench::{Bench, bearer};

#[tokio::test]
async fn a_job_is_aborted_once_and_for_all() {
    let bench = Bench::start().await;
    let (id, mut lease) = bench.running("example.com").await;
    bench.deliver(&mut lease, 0..2).await;
    let path = format!("/v1/jobs/{id}/abort");
    let key = bearer(&bench.key);
    let answer = bench.send(Method::POST, &path, &[("authorization", &key)], "").await;
    assert_eq!(answer.status, 200);
    insta::assert_json_snapshot!(answer.stable());
    // Again, with a body that nobody reads.
    let again = bench.send(Method::POST, &path, &[("authorization", &key)], "what?").await;
    assert_eq!((again.status, again.body), (200, answer.body));
    let results = bench.get(&format!("/v1/jobs/{id}/results")).await;
    assert_eq!(results.body["total"], 2);
}

#[tokio::test]
async fn what_is_over_is_not_aborted() {
    let bench = Bench::start().await;
    let (id, lease) = bench.running("example.com").await;
    bench.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    let answer = bench.post(&format!("/v1/jobs/{id}/abort"), &serde_json::json!({})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
}
