//! `GET /v1/jobs/{id}`.

use contract::ErrorCode;
use insta::assert_json_snapshot;
use job::{JobCommand, RunEnding, Tier};

use crate::harness::TestApi;

#[tokio::test]
async fn job_shows_its_status() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let path = format!("/v1/jobs/{id}");
    assert_json_snapshot!("running", api.get(&path).await.stable());
    api.report(&lease, &JobCommand::ReachBoundary).await;
    assert_json_snapshot!("on_a_boundary", api.get(&path).await.stable());
}

#[tokio::test]
async fn protected_marker_and_error_are_shown() {
    let api = TestApi::start().await;
    let (id, lease) = api.running("protected.example").await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    api.report(&lease, &JobCommand::LearnTier(tier)).await;
    let job = api.get(&format!("/v1/jobs/{id}")).await;
    assert_json_snapshot!("awaiting_confirmation", job.stable());
    let (id, lease) = api.running("empty.example").await;
    let ending = RunEnding::nothing(ErrorCode::NoData, "nothing was there");
    api.report(&lease, &JobCommand::Finish(ending)).await;
    assert_json_snapshot!("failed", api.get(&format!("/v1/jobs/{id}")).await.stable());
}

#[tokio::test]
async fn job_of_another_account_is_404() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let (_, other) = api.account("bob@example.com", 5).await;
    for part in ["", "/results", "/skipped"] {
        assert_eq!(
            api.get_as(&other, &format!("/v1/jobs/{id}{part}")).await.refusal(),
            (404, "not_found")
        );
    }
    for action in ["confirm", "abort"] {
        let path = format!("/v1/jobs/{id}/{action}");
        let answer = api.post_as(&other, &path, &serde_json::json!({})).await;
        assert_eq!(answer.refusal(), (404, "not_found"));
    }
    assert_eq!(api.get_as(&other, "/v1/jobs").await.body["total"], 0);
}

#[tokio::test]
async fn invalid_job_id_is_404() {
    let api = TestApi::start().await;
    for id in ["1", "job_", "job_x", "key_00000000000000000000000000000000", "%FF", "..%2f", "%00"]
    {
        assert_eq!(api.get(&format!("/v1/jobs/{id}")).await.refusal(), (404, "not_found"), "{id}");
    }
}
