//! Health checks, documentation pages and metrics.

use http::Method;

use crate::harness::{METRICS_TOKEN, TestApi, bearer};

#[tokio::test]
async fn healthz_and_readyz_return_200() {
    let api = TestApi::start().await;
    assert_eq!(api.send(Method::GET, "/healthz", &[], "").await.text, "ok");
    assert_eq!(api.send(Method::GET, "/readyz", &[], "").await.text, "ready");
    let index = api.send(Method::GET, "/", &[], "").await;
    assert_eq!(index.body["docs"], "https://trawl.example/docs/");
}

#[tokio::test]
async fn metrics_have_routes_and_no_callers() {
    let api = TestApi::measured().await;
    let id = api.queued("example.com").await;
    api.get(&format!("/v1/jobs/{id}")).await;
    api.get("/nothing/of/the/kind").await;
    let token = bearer(METRICS_TOKEN);
    let headers = [("authorization", token.as_str())];
    let numbers = api.send(Method::GET, "/metrics", &headers, "").await.text;
    for line in [
        r#"trawl_http_requests_total{route="/v1/jobs/{id}",method="GET",status="200"} 1"#,
        r#"trawl_http_requests_total{route="unmatched",method="GET",status="404"} 1"#,
        r#"trawl_http_request_seconds_count{route="/v1/jobs",method="POST"} 1"#,
        "# HELP trawl_http_requests_total",
    ] {
        assert!(numbers.contains(line), "{line} is not in {numbers}");
    }
    for private in [id.as_str(), api.key.as_str(), api.account.as_str(), "nothing/of"] {
        assert!(!numbers.contains(private));
    }
}

#[tokio::test]
async fn bot_page_explains_robots_txt() {
    let api = TestApi::start().await;
    let page = api.send(Method::GET, "/bot", &[], "").await;
    assert!(page.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    assert!(page.text.contains("User-agent: Trawl\nDisallow: /"));
}

#[tokio::test]
async fn responses_have_nosniff_and_no_store() {
    let api = TestApi::start().await;
    let answer = api.get("/v1/account").await;
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let head = api.send(Method::HEAD, "/healthz", &[], "").await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}
