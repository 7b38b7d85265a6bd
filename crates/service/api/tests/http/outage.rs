//! The database is gone.

use http::Method;
use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn everything_that_needs_the_database_is_503_and_says_when_to_come_back() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    bench.store.close().await;
    for path in ["/v1/jobs", "/v1/account", "/v1/jobs/job_00000000000000000000000000000000"] {
        let answer = bench.get(path).await;
        assert_eq!(answer.refusal(), (503, "unavailable"), "{path}");
        assert!(answer.header("retry-after").is_some());
    }
    let body = json!({"mode": "links", "url": "https://example.com/"});
    insta::assert_json_snapshot!(bench.create(&body, "k").await.stable());
    assert_eq!(bench.get_as(&session, "/api-keys").await.status, 503);
    assert_eq!(bench.send(Method::GET, "/readyz", &[], "").await.refusal(), (503, "unavailable"));
    assert_eq!(bench.send(Method::GET, "/healthz", &[], "").await.status, 200);
}
