//! The shape of error responses.

use http::Method;

use crate::harness::{TestApi, bearer};

#[tokio::test]
async fn unknown_path_is_404() {
    let api = TestApi::start().await;
    for path in ["/v1", "/v2/jobs", "/v1/jobs/", "/nothing", "/docs/nothing.js", "/%FF", "//"] {
        let answer = api.get(path).await;
        assert_eq!(answer.refusal(), (404, "not_found"), "{path}");
    }
    insta::assert_json_snapshot!(api.get("/nothing").await.stable());
}

#[tokio::test]
async fn unknown_method_is_405_with_allow() {
    let api = TestApi::start().await;
    for (method, path, allowed) in [
        (Method::DELETE, "/v1/jobs", "GET,HEAD,POST"),
        (Method::GET, "/session", "DELETE,POST"),
        (Method::POST, "/healthz", "GET,HEAD"),
        (Method::PUT, "/v1/jobs/1", "DELETE,GET,HEAD,PATCH"),
        (Method::OPTIONS, "/v1/account", "GET,HEAD"),
    ] {
        let answer = api.send(method, path, &[], "").await;
        assert_eq!(answer.refusal(), (405, "method_not_allowed"), "{path}");
        let mut methods: Vec<_> = answer.header("allow").unwrap_or("").split(',').collect();
        methods.sort_unstable();
        assert_eq!(methods.join(","), allowed, "{path}");
    }
}

#[tokio::test]
async fn invalid_json_is_400() {
    let api = TestApi::start().await;
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for body in [
        "",
        " ",
        "{",
        "{\"mode\":\"links\"",
        "{'mode':'links'}",
        "{\"a\":01}",
        "{} {}",
        "\u{feff}{}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}",
        "{\"a\":NaN}",
        "{\"a\":\"\t\"}",
        &nested(65),
        &nested(100_000),
    ] {
        let answer = api.post_text("/v1/jobs", body).await;
        let shown: String = body.chars().take(30).collect();
        assert_eq!(answer.refusal(), (400, "invalid_json"), "{shown}");
    }
    // As deep as it may be: it is read, and found to be no object.
    assert_eq!(api.post_text("/v1/jobs", &nested(64)).await.status, 422);
}

#[tokio::test]
async fn missing_content_type_is_415() {
    let api = TestApi::start().await;
    let key = bearer(&api.key);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "json"]
    {
        let headers = [("authorization", key.as_str()), ("content-type", kind)];
        let answer = api.send(Method::POST, "/v1/jobs", &headers, "{}").await;
        assert_eq!(answer.refusal(), (415, "unsupported_media_type"), "{kind}");
    }
    let answer = api.send(Method::POST, "/v1/jobs", &[("authorization", &key)], "{}").await;
    assert_eq!(answer.status, 415);
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"] {
        let headers = [("authorization", key.as_str()), ("content-type", kind)];
        assert_eq!(api.send(Method::POST, "/v1/jobs", &headers, "{}").await.status, 422, "{kind}");
    }
}

#[tokio::test]
async fn body_over_one_mebibyte_is_413() {
    let api = TestApi::start().await;
    let fits = format!("{{}}{}", " ".repeat((1 << 20) - 2));
    assert_eq!(api.post_text("/v1/jobs", &fits).await.status, 422);
    for more in [1, 4 << 20] {
        let large = format!("{fits}{}", " ".repeat(more));
        let answer = api.post_text("/v1/jobs", &large).await;
        assert_eq!(answer.refusal(), (413, "payload_too_large"));
    }
}
