//! Rate limits per credential.

use std::time::Duration;

use crate::harness::TestApi;

#[tokio::test]
async fn burst_is_followed_by_429_and_refill() {
    let api = TestApi::with(|settings| settings.limits.request_burst = 3).await;
    for (left, full_in) in [(2, 1), (1, 1), (0, 1)] {
        let answer = api.get("/v1/account").await;
        let expected = format!("\"default\";r={left};t={full_in}");
        assert_eq!(answer.header("ratelimit"), Some(expected.as_str()));
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=600;w=60"));
    }
    let refused = api.get("/v1/account").await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.text.contains("burst limit: more than 3 requests"), "{}", refused.text);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("ratelimit"), Some("\"default\";r=0;t=1"));
    api.pass(Duration::from_secs(1));
    assert_eq!(api.get("/v1/account").await.status, 200);
}

#[tokio::test]
async fn keys_have_own_buckets_and_sessions_share_one() {
    let api = TestApi::with(|settings| settings.limits.request_burst = 1).await;
    let second = api.key_of(&api.account, "direct").await;
    assert_eq!(api.get("/v1/account").await.status, 200);
    assert_eq!(api.get("/v1/account").await.status, 429);
    assert_eq!(api.get_as(&second, "/v1/account").await.status, 200);
    let (one, two) = (api.session().await, api.session().await);
    assert_eq!(api.get_as(&one, "/api-keys").await.status, 200);
    assert_eq!(api.get_as(&two, "/api-keys").await.status, 429);
}

#[tokio::test]
async fn error_responses_have_rate_limit_headers() {
    let api = TestApi::start().await;
    assert!(api.get("/v1/jobs/1").await.header("ratelimit").is_some());
    assert!(api.get("/v1/jobs?page=0").await.header("ratelimit-policy").is_some());
}

#[tokio::test]
async fn message_distinguishes_minute_and_burst_limit() {
    let api = TestApi::with(|settings| {
        settings.limits.request_burst = 5;
        settings.limits.requests_per_minute = 6;
    })
    .await;
    for _ in 0..5 {
        assert_eq!(api.get("/v1/account").await.status, 200);
    }
    let refused = api.get("/v1/account").await;
    assert!(refused.text.contains("burst limit"), "{}", refused.text);
    api.pass(Duration::from_secs(10));
    assert_eq!(api.get("/v1/account").await.status, 200);
    let refused = api.get("/v1/account").await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.text.contains("minute limit: more than 6 requests"), "{}", refused.text);
}
