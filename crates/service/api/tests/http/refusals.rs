//! The one shape of every refusal.

use http::Method;

use crate::bench::{Bench, bearer};

#[tokio::test]
async fn what_is_not_there_is_404() {
    let bench = Bench::start().await;
    for path in ["/v1", "/v2/jobs", "/v1/jobs/", "/nothing", "/docs/nothing.js", "/%FF", "//"] {
        let answer = bench.get(path).await;
        assert_eq!(answer.refusal(), (404, "not_found"), "{path}");
    }
    insta::assert_json_snapshot!(bench.get("/nothing").await.stable());
}

#[tokio::test]
async fn a_method_that_is_not_there_is_405_and_told_which_are() {
    let bench = Bench::start().await;
    for (method, path, allowed) in [
        (Method::DELETE, "/v1/jobs", "GET,HEAD,POST"),
        (Method::GET, "/session", "DELETE,POST"),
        (Method::POST, "/healthz", "GET,HEAD"),
        (Method::PATCH, "/v1/jobs/1", "GET,HEAD"),
        (Method::OPTIONS, "/v1/account", "GET,HEAD"),
    ] {
        let answer = bench.send(method, path, &[], "").await;
        assert_eq!(answer.refusal(), (405, "method_not_allowed"), "{path}");
        let mut methods: Vec<_> = answer.header("allow").unwrap_or("").split(',').collect();
        methods.sort_unstable();
        assert_eq!(methods.join(","), allowed, "{path}");
    }
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused() {
    let bench = Bench::start().await;
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
        let answer = bench.post_text("/v1/jobs", body).await;
        let shown: String = body.chars().take(30).collect();
        assert_eq!(answer.refusal(), (400, "invalid_json"), "{shown}");
    }
    // As deep as it may be: it is read, and found to be no object.
    assert_eq!(bench.post_text("/v1/jobs", &nested(64)).await.status, 422);
}

#[tokio::test]
async fn a_body_is_announced_as_json() {
    let bench = Bench::start().await;
    let key = bearer(&bench.key);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "json"]
    {
        let headers = [("authorization", key.as_str()), ("content-type", kind)];
        let answer = bench.send(Method::POST, "/v1/jobs", &headers, "{}").await;
        assert_eq!(answer.refusal(), (415, "unsupported_media_type"), "{kind}");
    }
    let answer = bench.send(Method::POST, "/v1/jobs", &[("authorization", &key)], "{}").await;
    assert_eq!(answer.status, 415);
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"] {
        let headers = [("authorization", key.as_str()), ("content-type", kind)];
        assert_eq!(
            bench.send(Method::POST, "/v1/jobs", &headers, "{}").await.status,
            422,
            "{kind}"
        );
    }
}

#[tokio::test]
async fn a_body_has_at_most_a_mebibyte() {
    let bench = Bench::start().await;
    let fits = format!("{{}}{}", " ".repeat((1 << 20) - 2));
    assert_eq!(bench.post_text("/v1/jobs", &fits).await.status, 422);
    for more in [1, 4 << 20] {
        let large = format!("{fits}{}", " ".repeat(more));
        let answer = bench.post_text("/v1/jobs", &large).await;
        assert_eq!(answer.refusal(), (413, "payload_too_large"));
    }
}
