//! `GET /v1/jobs/{id}`.

use contract::ErrorCode;
use insta::assert_json_snapshot;
use job::{JobCommand, RunEnding, Tier};

use crate::bench::Bench;

#[tokio::test]
async fn a_job_shows_where_it_stands() {
    let bench = Bench::start().await;
    let (id, mut lease) = bench.running("example.com").await;
    bench.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}");
    assert_json_snapshot!("running", bench.get(&path).await.stable());
    bench.report(&lease, &JobCommand::ReachBoundary).await;
    assert_json_snapshot!("on_a_boundary", bench.get(&path).await.stable());
}

#[tokio::test]
async fn a_protected_site_shows_its_marker_and_a_failed_run_its_error() {
    let bench = Bench::start().await;
    let (id, lease) = bench.running("protected.example").await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    bench.report(&lease, &JobCommand::LearnTier(tier)).await;
    let job = bench.get(&format!("/v1/jobs/{id}")).await;
    assert_json_snapshot!("awaiting_confirmation", job.stable());
    let (id, lease) = bench.running("empty.example").await;
    let ending = RunEnding::nothing(ErrorCode::NoData, "nothing was there");
    bench.report(&lease, &JobCommand::Finish(ending)).await;
    assert_json_snapshot!("failed", bench.get(&format!("/v1/jobs/{id}")).await.stable());
}

#[tokio::test]
async fn what_belongs_to_somebody_else_is_not_there() {
    let bench = Bench::start().await;
    let id = bench.queued("example.com").await;
    let (_, other) = bench.account("bob@example.com", 5).await;
    for part in ["", "/results", "/skipped"] {
        assert_eq!(
            bench.get_as(&other, &format!("/v1/jobs/{id}{part}")).await.refusal(),
            (404, "not_found")
        );
    }
    for deed in ["confirm", "abort"] {
        let path = format!("/v1/jobs/{id}/{deed}");
        let answer = bench.post_as(&other, &path, &serde_json::json!({})).await;
        assert_eq!(answer.refusal(), (404, "not_found"));
    }
    assert_eq!(bench.get_as(&other, "/v1/jobs").await.body["total"], 0);
}

#[tokio::test]
async fn what_is_no_identifier_names_nothing() {
    let bench = Bench::start().await;
    for id in ["1", "job_", "job_x", "key_00000000000000000000000000000000", "%FF", "..%2f", "%00"]
    {
        assert_eq!(
            bench.get(&format!("/v1/jobs/{id}")).await.refusal(),
            (404, "not_found"),
            "{id}"
        );
    }
}
